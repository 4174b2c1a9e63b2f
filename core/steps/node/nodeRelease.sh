# Replaces the node's program by pillar-host:node.release. Beside the program are NAME.next, which is checked and not yet started,
# and NAME.before, the former program: on one file system, so that a rename puts each in place, even on a full disk.
release_file=$state/node.release
upgrade_file=$state/node.upgrade
upgrade_unit=pillar-host-node-upgrade
# In /run: a reboot removes it, and ends the run that judges the new version.
upgrade_run=/run/pillar-host/node-upgrade
# Megabytes that must be free before a download, because the node writes to this disk.
release_room=500
# A run that has not called node_release_look for so long is gone: a call takes 20 s at most.
seen_seconds=25

hash_of() { sha256sum "$1" | cut -d' ' -f1; }
release_note() { mark node.release "$release_marker"$'\n'"$(hash_of "$program")"; }

# Sets $program, the file that the node's unit starts.
node_program() {
  program=$(systemctl show -p ExecStart --value "$service" 2> /dev/null | sed -nE '1s/^\{ path=([^ ;]+) ;.*/\1/p')
  program=$(readlink -f -- "${program:-/nonexistent}" || true)
  [ -f "$program" ] || fail "the program of $service cannot be found" "found: ${program:-no ExecStart in its unit}" "needed: a unit that starts it. See it with: systemctl cat $service"
}

# Puts the release and a copy of the present program beside the program, with least priority; nothing if both are equal.
node_release_fetch() {
  local work free said again="The node runs on as before. Then run $(pulumi_up) again."
  node_program
  { renice -n 19 -p "$BASHPID" && ionice -c 3 -p "$BASHPID"; } > /dev/null 2>&1 || true
  rm -rf "${program%/*}/.${program##*/}".?????? "$program.next"
  free=$(df -Pm "${program%/*}" | awk 'NR == 2 { print $4 }')
  [ "$free" -ge "$release_room" ] || fail "there is no room for the node's release" "found: $free MB free at ${program%/*}" "needed: $release_room MB: make room there. $again"
  work=$(mktemp -d "${program%/*}/.${program##*/}.XXXXXX")
  trap "rm -rf '$work'" EXIT
  fetch_release node node.release "${program##*/}" "$work"
  said=$(release_says "$found")
  [ "$said" = "$version" ] || fail "the release does not report the version that node.release.version names" "found: ${said:-$(release_words "$found" | head -n 1 | cut -c 1-200)} of ${release_url##*/}" "needed: $version, built for $(uname -m). $again"
  if [ "$(hash_of "$found")" = "$(hash_of "$program")" ]; then release_note && return; fi
  cp -p "$program" "$work/before" && sync "$work/before" "$found" || fail "the node's program could not be copied" "found: $(df -Ph "${program%/*}" | awk 'NR == 2 { print $4 " free on " $6 }')" "needed: make room there. $again"
  mv -fT "$work/before" "$program.before"
  mv -fT "$found" "$program.next"
  say "node $version is downloaded and checked: sha256 $actual"
}

node_start() {
  # With microseconds, because the former node may have logged in the same second.
  node_started=${EPOCHREALTIME/,/.}
  systemctl reset-failed "$service" 2> /dev/null || true
  systemctl start "$service" 2> /dev/null || true
  node_pid=$(node_main_pid)
}

# Prints the last log line since the node's start, of those that match the arguments.
node_line() { journalctl -u "$service" -S "@$node_started" -n 3 --no-pager -o cat "$@" 2> /dev/null | redact | tail -n 1 | cut -c 1-200; }

# Waits until the node's RPC reports $version, then for the verdict of the run, which compares the chain. Sets $why if not good.
node_is_good() {
  local pause=0.1 ends=$((SECONDS + answer_seconds)) seen=$EPOCHSECONDS said missed="its RPC does not answer within $answer_seconds s"
  while [ -e "$upgrade_run" ]; do
    if [ -z "$without" ]; then
      said=$(rpc stats.processInfo | sed -nE 's/.*"version": ?"([^"]{0,40})".*/\1/p')
      case $said in
        "$version" | "$version-alphanet" | "$version-libznn")
          without=$(((${EPOCHREALTIME/[.,]/} - from) / 1000)) pause=0.5 ends=$((SECONDS + judge_seconds)) missed="the run that judges it is gone, or gave no verdict"
          (replace_file "$upgrade_run.without" "$without") || true && continue ;;
        ?*) why="it reports the version $said" && return 1 ;;
      esac
    elif [ -e "$upgrade_run.verdict" ]; then
      why=$(< "$upgrade_run.verdict") && [ "$why" = good ] && return 0 || return 1
    fi
    if [ "$node_pid" = 0 ] || [ "$(node_main_pid)" != "$node_pid" ]; then
      # Prefer the node's own lines: systemd's come after them.
      said=$(node_line _TRANSPORT=stdout)
      why="it stops by itself: ${said:-$(node_line)}" && return 1
    fi
    { read -r seen < "$upgrade_run.seen"; } 2> /dev/null || true
    if [ "$SECONDS" -ge "$ends" ] || { [ -n "$without" ] && [ $((EPOCHSECONDS - seen)) -gt "$seen_seconds" ]; }; then why=$missed && return 1; fi
    sleep $pause
  done
  why="the host rebooted before the verdict" && return 1
}

# The main function of the upgrade's service. Started again after a kill or a reboot, it continues by the files that are there.
node_upgrade() {
  local from=${EPOCHREALTIME/[.,]/} why= without=
  signer_flock 100 || true
  if [ -e "$state/retired" ]; then upgrade_end back "the node was shut down for good" && return; fi
  if [ -e "$program.next" ]; then
    if [ ! -e "$upgrade_run" ]; then node_start && upgrade_end back "the host rebooted before the swap" && return; fi
    stop_node
    mv -fT "$program.next" "$program"
  fi
  if [ -e "$program.before" ]; then
    node_start
    if node_is_good; then upgrade_end done "" && return; fi
    if [ "$may_go_back" != yes ]; then upgrade_end stuck "$why" && return; fi
    stop_node
    ln -fT "$program" "$program.failed" 2> /dev/null || true
    mv -fT "$program.before" "$program"
  fi
  node_start
  if wait_for_node 60; then upgrade_end back "$why"; else upgrade_end off "$why"; fi
}

# upgrade_end STAGE WHY: writes the result, to memory first, because the disk may be full.
upgrade_end() {
  local text="stage=$1"$'\n'"why=$2"$'\n'"without=${without:-}"$'\n'
  printf %s "$text" > "$upgrade_run.end" || true
  (replace_file "$upgrade_file" "$text") || true
  case $1 in done | stuck) (release_note) || true ;; esac
  rm -f "$upgrade_run" "/etc/systemd/system/$upgrade_unit.service" "/etc/systemd/system/multi-user.target.wants/$upgrade_unit.service"
  systemctl daemon-reload || true
}

# Starts the swap in a service, which neither a lost connection nor a reboot ends.
node_release_swap() {
  local busy
  node_program
  [ -e "$program.next" ] || fail "no downloaded release is beside the node's program" "needed: fetch the release again: $(pulumi_up)"
  signer_flock 100 || fail "the node is not upgraded: another run is at work on this host"
  if is_marked retired; then fail "the node is not upgraded: it was shut down for good at $(cat "$state/retired")"; fi
  busy=$(signer_at_work)
  [ -z "$busy" ] || fail "the node is not upgraded: the orchestrator's move on this host has not finished" "found: $busy" "needed: wait until the move has finished. Then: $(pulumi_up)"
  if [ -e "/etc/systemd/system/$upgrade_unit.service" ]; then fail "an upgrade of the node already runs on this host"; fi
  mkdir -p "${upgrade_run%/*}"
  rm -f "$upgrade_run".* "$upgrade_file"
  write_script "$state/node-upgrade" "state logs proc secret_word announces_next host_name stack_word service rpc_address rpc_port version release_marker program may_go_back answer_seconds judge_seconds seen_seconds node_stop_limit upgrade_file upgrade_unit upgrade_run" \
    "say warn fail redact service_is_active rpc wait_for_node replace_file mark hash_of signer_flock node_main_pid stop_node release_note node_start node_line node_is_good upgrade_end node_upgrade" \
    node_upgrade
  install_file "/etc/systemd/system/$upgrade_unit.service" "[Unit]
Description=pillar-host: the upgrade of $service
After=$service.service
[Service]
ExecStart=/bin/bash $state/node-upgrade
Restart=on-failure
RestartSec=1
[Install]
WantedBy=multi-user.target"
  : > "$upgrade_run"
  systemctl daemon-reload
  systemctl enable --quiet "$upgrade_unit" 2> /dev/null || true
  exec 9>&-
  systemctl start --no-block "$upgrade_unit"
}

# Hands the service the run's $verdict, in base64: `good`, or what is wrong with the new version.
node_release_judge() { base64 -d <<< "$verdict" > "$upgrade_run.verdict.new" && mv -f "$upgrade_run.verdict.new" "$upgrade_run.verdict"; }

# Prints the state of the upgrade. While one is at work, tells its service that the run still looks.
node_release_look() {
  if [ -e "/etc/systemd/system/$upgrade_unit.service" ]; then
    printf 'atWork=yes\nwithout=%s\n' "$(cat "$upgrade_run.without" 2> /dev/null || true)"
    say "$EPOCHSECONDS" > "$upgrade_run.seen" || true
    # Start the service, in case the swap was interrupted before that.
    systemctl start --no-block "$upgrade_unit" 2> /dev/null || true
    return 0
  fi
  node_program
  cat "$upgrade_run.end" 2> /dev/null || cat "$upgrade_file" 2> /dev/null || true
  say "producer=$(configured_address)"
  [ -e "$release_file" ] || return 0
  if [ "$(sed -n 2p "$release_file")" != "$(hash_of "$program")" ]; then
    printf 'installed=%s\nreplaced=yes\n' "$(sed -nE '1s/.* //p' "$release_file")"
  elif [ "$(sed -n 1p "$release_file")" = "$release_marker" ]; then say installed=yes; fi
}
