# On the new host: puts the copy in place of the node's own databases, or puts those back. While $chain_swapping is there, systemd
# does not start the node, also after a reboot: the next run puts the node's own databases back first.
chain_aside() { say "$data_dir/.pillar-host-aside"; }
chain_swapping=$state/chain-copy.swapping
chain_drop_in() { say "/etc/systemd/system/$service.service.d/91-pillar-host-chain-copy.conf"; }
# Seconds that a node may take to start with copied databases.
start_seconds=900

chain_node_off() {
  install_file "$(chain_drop_in)" "# Not started while its databases are moved (pillar-host).
[Unit]
ConditionPathExists=!$chain_swapping"
  systemctl daemon-reload
  mark "${chain_swapping##*/}"
  stop_node
  ! service_is_active "$service" || fail "$service does not stop" "$(systemctl status --no-pager -n 5 "$service" 2>&1 | redact | tail -n 5)"
}
chain_node_on() {
  sync -f "$data_dir" && rm -f "$chain_swapping" || return
  systemctl reset-failed "$service" 2> /dev/null || true
  systemctl start "$service"
}

# Stops the node cleanly, moves its own databases aside and the copy into their place, and starts it.
chain_swap() {
  local database aside arriving facts busy
  chain_owned
  trap '' HUP PIPE
  aside=$(chain_aside) arriving=$(chain_arriving)
  chain_restore
  busy=$(orchestrator_at_work)
  [ -z "$busy" ] || fail "the node is not stopped for the copy: the orchestrator's move on this host has not finished" "found: $busy" "needed: wait until the move has finished. Then: $(pulumi_up)"
  chain_own_directory "$aside"
  sync -f "$arriving"
  chain_node_off
  # Written in one piece: a database missing in this list counts as one of the copy.
  replace_file "$aside/had" "$(for database in $chain_databases; do if [ -e "$data_dir/$database" ]; then say "$database"; fi; done)"$'\n'
  for database in $chain_databases; do
    if [ -e "$data_dir/$database" ]; then mv -T "$data_dir/$database" "$aside/$database"; fi
    if [ -e "$arriving/$database" ]; then
      chown -R --reference="$data_dir" "$arriving/$database"
      mv -T "$arriving/$database" "$data_dir/$database"
    fi
  done
  if chain_node_on && wait_for_node "$start_seconds"; then return 0; fi
  facts=$(node_facts)
  chain_restore
  fail "the node does not start with the copy; its own databases are back in their place" "found: $facts"
}

# Puts the node's own databases back unless the copy was accepted, the copy where it arrived, and starts the node.
chain_restore() {
  local database aside arriving
  aside=$(chain_aside) arriving=$(chain_arriving)
  if [ -e "$aside/had" ]; then
    chain_node_off
    chain_own_directory "$arriving"
    for database in $chain_databases; do
      if [ -e "$data_dir/$database" ] && { [ -e "$aside/$database" ] || ! grep -qx "$database" "$aside/had"; }; then
        rm -rf "${arriving:?}/$database"
        mv -T "$data_dir/$database" "$arriving/$database"
      fi
      if [ -e "$aside/$database" ]; then mv -T "$aside/$database" "$data_dir/$database"; fi
    done
    sync -f "$data_dir"
  fi
  chain_directory_away "$aside"
  chain_node_on || true
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
  # The operator's confirmation for a node without an answer is for this mark: it is used up.
  if is_marked synced; then mark synced; fi
  chain_directory_away "$(chain_arriving)"
}
# Removes the copy that arrived, so that it is made anew.
chain_discard() {
  chain_owned
  chain_directory_away "$(chain_arriving)"
}

# Removes everything of a copy from this host, except the files that arrived, which the next run needs. The lease is the last:
# chain_away looks for it.
chain_end_new() {
  chain_owned
  chain_restore
  copy_key_away
  rm -f "$(chain_drop_in)" "$state/chain-copy.flock"
  systemctl daemon-reload
  rm -f "$chain_lock"
}
# Removes what unfinished copies left here, once the stack wants no copy.
chain_away() {
  if ! is_there "$chain_lock" && ! is_there "$(chain_arriving)"; then return 0; fi
  local tries=20
  # The provider of a killed run ends within seconds.
  until [ "$(chain_take)" = taken ]; do
    tries=$((tries - 1))
    [ "$tries" -gt 0 ] || refuse_run "another run copies the chain to this host"
    sleep 1
  done
  chain_undo
  chain_discard
  chain_end_new
  say "removed what an unfinished chain copy had left here; the node has its own databases"
}
