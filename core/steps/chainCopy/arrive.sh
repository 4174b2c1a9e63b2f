# On the new host: puts the copy in place of the node's own databases, or puts those back.
chain_aside() { say "$data_dir/.pillar-host-aside"; }
chain_swapping=$state/chain-copy.swapping
chain_drop_in() { say "/etc/systemd/system/$service.service.d/91-pillar-host-chain-copy.conf"; }

# Brings back the node's own databases if a swap was cut off. Runs before each start of the node.
chain_settle() {
  local database aside arriving
  [ -e "$chain_swapping" ] || return 0
  aside=$(chain_aside) arriving=$(chain_arriving)
  if [ -e "$aside/had" ]; then
    mkdir -p "$arriving"
    for database in $chain_databases; do
      if ! grep -qx "$database" "$aside/had" || [ -e "$aside/$database" ]; then
        if [ -e "$data_dir/$database" ]; then
          rm -rf "${arriving:?}/$database"
          mv -T "$data_dir/$database" "$arriving/$database"
        fi
      fi
      if [ -e "$aside/$database" ]; then mv -T "$aside/$database" "$data_dir/$database"; fi
    done
  fi
  sync -f "$data_dir"
  rm -f "$chain_swapping"
}
chain_guard_starts() {
  # Lets a start of the node, as by the hourly restart, wait while its databases are moved.
  write_script "$state/chain-copy.settle" "state data_dir chain_databases chain_swapping LC_ALL PATH" \
    "say chain_aside chain_arriving chain_settle" 'exec 8>> "$state/chain-copy.moving"; flock -w 240 8; chain_settle'
  install_file "$(chain_drop_in)" "# A start in the middle of the chain's copy puts the node's own databases back first (pillar-host).
[Service]
ExecStartPre=+/bin/bash $state/chain-copy.settle
TimeoutStartSec=300"
  systemctl daemon-reload
}

# From chain_hold_starts to chain_free_starts, nobody can start the node.
chain_hold_starts() { exec 8>> "$state/chain-copy.moving" && flock -w 300 8 || fail "a start of $service does not finish" "See it with: systemctl status $service"; }
chain_free_starts() { exec 8>&-; }

# Stops the node cleanly, moves its own databases aside and the copy into their place, and starts it.
chain_swap() {
  local database aside arriving
  chain_owned
  trap '' HUP PIPE
  aside=$(chain_aside) arriving=$(chain_arriving)
  chain_restore
  chain_note used
  chain_guard_starts
  chain_directory_away "$aside"
  chain_own_directory "$aside"
  sync -f "$arriving"
  chain_hold_starts
  stop_node
  ! service_is_active "$service" || fail "$service does not stop" "$(systemctl status --no-pager -n 5 "$service" 2>&1 | redact | tail -n 5)"
  # Written in one piece: a database missing in this list counts as one of the copy.
  replace_file "$aside/had" "$(for database in $chain_databases; do if [ -e "$data_dir/$database" ]; then say "$database"; fi; done)"$'\n'
  : > "$chain_swapping"
  sync "$state"
  for database in $chain_databases; do
    if [ -e "$data_dir/$database" ]; then mv -T "$data_dir/$database" "$aside/$database"; fi
    if [ -e "$arriving/$database" ]; then
      chown -R --reference="$data_dir" "$arriving/$database"
      mv -T "$arriving/$database" "$data_dir/$database"
    fi
  done
  sync -f "$data_dir"
  rm -f "$chain_swapping"
  chain_free_starts
  chain_start
}
chain_start() {
  systemctl reset-failed "$service" 2> /dev/null || true
  if ! systemctl start "$service" || ! wait_for_node "$start_seconds"; then
    local facts
    facts=$(node_facts)
    chain_back
    fail "the node does not start with the copy; its own databases are back in their place" "found: $facts"
  fi
}

# Puts the node's own databases back, and the copy where it arrived.
chain_back() {
  [ -e "$(chain_aside)/had" ] || return 0
  chain_hold_starts
  : > "$chain_swapping"
  stop_node
  chain_settle
  chain_free_starts
  systemctl reset-failed "$service" 2> /dev/null || true
  systemctl start "$service" || true
}
# Repairs what an interrupted run left: puts the node's own databases back unless the copy was accepted, and starts the node.
chain_restore() {
  if [ -e "$chain_swapping" ]; then
    chain_hold_starts
    stop_node
    chain_settle
    chain_free_starts
  fi
  if is_there "$(chain_aside)"; then
    chain_back
    chain_directory_away "$(chain_aside)"
  fi
  service_is_active "$service" || systemctl start "$service" 2> /dev/null || true
}
chain_undo() {
  chain_owned
  trap '' HUP PIPE
  chain_restore
}

# Makes the copy final: removes the databases that were moved aside.
chain_accept() {
  chain_owned
  chain_directory_away "$(chain_aside)"
  chain_directory_away "$(chain_arriving)"
}
# Removes the copy that arrived, so that it is made anew.
chain_discard() {
  chain_owned
  chain_directory_away "$(chain_arriving)"
  chain_note_away
}

# Removes everything of a copy from this host, except the files that arrived, which the next run needs.
chain_end_new() {
  chain_owned
  chain_restore
  chain_note_away
  copy_key_away
  rm -f "$(chain_drop_in)" "$state"/{,.}chain-copy.settle* "$state/chain-copy.moving" "$chain_owner" "$state/chain-copy.flock"
  systemctl daemon-reload
}
