# Replaces the node's program by pillar-host:node.release. Beside the program are NAME.next, which is checked and not yet started,
# and NAME.before, the former program: on one file system, so that a rename puts each in place, even on a full disk.
release_file=$state/node.release
upgrade_file=$state/node.upgrade
upgrade_unit=pillar-host-node-upgrade
# In /run: a reboot removes it, and ends the run that judges the new version.
upgrade_run=/run/pillar-host/node-upgrade
# Megabytes that must be free before a download, because the node writes to this disk.
release_room=500

hash_of() { sha256sum "$1" | cut -d' ' -f1; }
release_note() { mark node.release "$release_marker"$'\n'"$(hash_of "$program")"; }

# Sets $started, what the node's unit starts, and $program, its file.
node_program() {
  started=$(systemctl show -p ExecStart --value "$service" 2> /dev/null | sed -nE '1s/^\{ path=([^ ;]+) ;.*/\1/p')
  program=$(readlink -f -- "${started:-/nonexistent}" || true)
  [ -f "$program" ] || fail "the program of $service cannot be found" "found: ${started:-no ExecStart in its unit}" "needed: a unit that starts it. See it with: systemctl cat $service"
}

# Fails if the node's program must not be replaced: on an adopted host the unit is somebody else's.
node_release_check() {
  local found
  node_program
  case ${started##*/} in
    "${service%.service}" | "${service%.service}"-linux-* | znnd | znnd-linux-*) ;;
    *) fail "the node is not upgraded: $service does not start the node's program itself" "found: $started in its unit" "needed: ExecStart=/path/to/znnd in the unit, or $(config_rm node.release)" ;;
  esac
  found=$(node_elsewhere)
  [ -z "$found" ] || fail "the node is not upgraded: a node runs here that is not $service" "found: $found" "needed: $node_elsewhere_help. Then: $(pulumi_up)"
  if ! is_marked deploy.done && [ "$(systemctl is-active "$service" 2> /dev/null)" = inactive ]; then
    fail "the node is not upgraded: $service was stopped, and an upgrade would start it" "needed: start it on the host: systemctl start $service. Then: $(pulumi_up)"
  fi
}

# Puts the release and a copy of the present program beside the program, with least priority; nothing if both are equal.
node_release_fetch() {
  local work free said again="The node runs on as before. Then run $(pulumi_up) again."
  node_release_check
  { renice -n 19 -p "$BASHPID" && ionice -c 3 -p "$BASHPID"; } > /dev/null 2>&1 || true
  rm -rf "${program%/*}/.${program##*/}".?????? "$program.next"
  free=$(df -PB1000000 "${program%/*}" | awk 'NR == 2 { print $4 }')
  [ "$free" -ge "$release_room" ] || fail "there is no room for the node's release" "found: $free MB free at ${program%/*}" "needed: $release_room MB: make room there. $again"
  work=$(mktemp -d "${program%/*}/.${program##*/}.XXXXXX")
  trap "rm -rf '$work'" EXIT
  fetch_release node node.release "${program##*/}" "$work"
  said=$(release_says "$found")
  [ "$said" = "$version" ] || fail "the release does not report the version that node.release.version names" "found: ${said:-$({ release_words "$found" || true; } | head -n 1 | cut -c 1-200)} of ${release_url##*/}" "needed: $version, built for $(uname -m). $again"
  if [ "$(hash_of "$found")" = "$(hash_of "$program")" ]; then release_note && return; fi
  # A script may start the node in its own way, with another data directory.
  [ "$(head -c 2 "$found")" = "$(head -c 2 "$program")" ] || fail "the node is not upgraded: the release and $program are not of one kind" "found: one is a script" "needed: a unit that starts the node's program itself, or $(config_rm node.release)"
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
  local pause=0.1 ends=$((SECONDS + answer_seconds)) seen=$EPOCHSECONDS said opening= missed="its RPC does not answer within $answer_seconds s"
  while [ -e "$upgrade_run" ]; do
    if [ -z "$without" ]; then
      said=$(rpc stats.processInfo | sed -nE 's/.*"version": ?"([^"]{0,40})".*/\1/p')
      case $said in
        "$version" | "$version-alphanet" | "$version-libznn")
          without=$(((${EPOCHREALTIME/[.,]/} - from) / 1000)) pause=0.5 ends=$((SECONDS + judge_seconds)) missed="the run that judges it gave no verdict within $judge_seconds s"
          (replace_file "$upgrade_run.without" "$without") || true && continue ;;
        ?*) why="it reports the version $said" && return 1 ;;
      esac
      # Before its RPC opens, a version may read all momentums into a cache database, with a line now and then (go-zenon: chain/cache.go).
      said=$(journalctl -u "$service" -S "@$node_started" -n 20 --no-pager -o short-unix 2> /dev/null | sed -nE 's/^([0-9.]+) .*Initializing cache: ([0-9]{1,3})%.*/\1 \2/p' | tail -n 1)
      if [ "$said" != "$opening" ]; then
        opening=$said pause=1 ends=$((SECONDS + answer_seconds))
        (replace_file "$upgrade_run.opening" "${said##* }") || true
      fi
    elif [ -e "$upgrade_run.verdict" ]; then
      why=$(< "$upgrade_run.verdict") && [ "$why" = good ] && return 0 || return 1
    fi
    if [ "$node_pid" = 0 ] || [ "$(node_main_pid)" != "$node_pid" ]; then
      # Prefer the node's own lines: systemd's come after them.
      said=$(node_line _TRANSPORT=stdout)
      why="it stops by itself: ${said:-$(node_line)}" && return 1
    fi
    # Empty for a moment while the run writes it.
    said=
    { read -r said < "$upgrade_run.seen"; } 2> /dev/null || true
    seen=${said:-$seen}
    [ $((EPOCHSECONDS - seen)) -le "$seen_seconds" ] || missed="the run that judges it is gone" ends=0
    if [ "$SECONDS" -ge "$ends" ]; then why=$missed && return 1; fi
    sleep $pause
  done
  why="the host rebooted before the verdict" && return 1
}

# node_rename FILE: puts it in the program's place. If that fails, nothing has changed, and $why says so.
node_rename() {
  local said
  said=$(mv -fT "$1" "$program" 2>&1) || { why="${why:+$why; }$program can't be replaced: ${said##*: }. See: findmnt -T $program; lsattr $program" && return 1; }
}

# Stops the process that started before the rename, once, also after a kill; then starts the program that is there.
node_restart() {
  if [ ! -e "$upgrade_run.stopped" ]; then stop_node && : > "$upgrade_run.stopped" || true; fi
  node_start
}

# The main function of the upgrade's service. Started again after a kill or a reboot, it continues by the files that are there. Each
# rename comes before the stop: the running process keeps its file, and a rename that fails changes nothing.
node_upgrade() {
  local from=${EPOCHREALTIME/[.,]/} why= without= end
  lease_enter orchestrator 100 || true
  end=$(upgrade_ended)
  if [ -n "$end" ]; then upgrade_finish "$end" && return; fi
  if [ -e "$state/retired" ]; then upgrade_end kept "the node was shut down for good" && return; fi
  if [ -e "$program.next" ]; then
    if [ ! -e "$upgrade_run" ]; then upgrade_end kept "the host rebooted before the swap" && return; fi
    node_rename "$program.next" || { upgrade_end kept "$why" && return; }
  fi
  if [ -e "$program.before" ]; then
    if [ -e "$upgrade_run" ]; then node_restart; fi
    if node_is_good; then upgrade_end done "" && return; fi
    if [ "$may_go_back" != yes ]; then upgrade_end stuck "$why" && return; fi
    ln -fT "$program" "$program.failed" 2> /dev/null || true
    rm -f "$upgrade_run.stopped"
    node_rename "$program.before" || { upgrade_end stuck "$why" && return; }
  fi
  node_restart
  if wait_for_node 60; then upgrade_end back "$why"; else upgrade_end off "$why"; fi
}

# Prints the result of the last upgrade, if it has ended. It is in memory first, because the disk may be full.
upgrade_ended() { cat "$upgrade_run.end" 2> /dev/null || cat "$upgrade_file" 2> /dev/null || true; }
# upgrade_end STAGE WHY
upgrade_end() {
  local end="stage=$1"$'\n'"why=$2"$'\n'"without=${without:-}"
  say "$end" > "$upgrade_run.end" || true
  upgrade_finish "$end"
}
# upgrade_finish RESULT: writes it to the disk, and removes the service. No end leaves the node off.
upgrade_finish() {
  (replace_file "$upgrade_file" "$1"$'\n') || true
  case $1 in stage=done* | stage=stuck*) (release_note) || true ;; esac
  systemctl start --no-block "$service" 2> /dev/null || true
  rm -f "$upgrade_run" "/etc/systemd/system/$upgrade_unit.service" "/etc/systemd/system/multi-user.target.wants/$upgrade_unit.service"
  systemctl daemon-reload || true
}

# Starts the swap in a service, which neither a lost connection nor a reboot ends.
node_release_swap() {
  local busy
  node_release_check
  [ -e "$program.next" ] || fail "no downloaded release is beside the node's program" "needed: fetch the release again: $(pulumi_up)"
  lease_enter orchestrator 100 || fail "the node is not upgraded: another run is at work on this host"
  if is_marked retired; then fail "the node is not upgraded: it was shut down for good at $(cat "$state/retired")"; fi
  busy=$(orchestrator_at_work)
  [ -z "$busy" ] || fail "the node is not upgraded: the orchestrator's move on this host has not finished" "found: $busy" "needed: wait until the move has finished. Then: $(pulumi_up)"
  if [ -e "/etc/systemd/system/$upgrade_unit.service" ]; then fail "an upgrade of the node already runs on this host"; fi
  mkdir -p "${upgrade_run%/*}"
  rm -f "$upgrade_run".* "$upgrade_file"
  write_script "$state/node-upgrade" "state logs proc secret_word announces_next host_name stack_word service rpc_address rpc_port version release_marker program may_go_back answer_seconds judge_seconds seen_seconds node_stop_limit upgrade_file upgrade_unit upgrade_run" \
    "say warn fail redact service_is_active rpc wait_for_node replace_file mark hash_of lease_enter node_main_pid stop_node release_note node_start node_line node_is_good node_rename node_restart upgrade_ended upgrade_end upgrade_finish node_upgrade" \
    '# Not with `set -e`, which could end it between a stop and a start.
node_upgrade || true'
  # With ExecStopPost, whatever ends this service, a kill too, starts a node.
  install_file "/etc/systemd/system/$upgrade_unit.service" "[Unit]
Description=pillar-host: the upgrade of $service
After=$service.service
StartLimitIntervalSec=0
[Service]
ExecStart=/bin/bash $state/node-upgrade
ExecStopPost=-/bin/systemctl start --no-block $service
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

# Prints the state of the upgrade. While one is at work, tells its service that the run which judges it ($judges) still looks.
node_release_look() {
  if [ -e "/etc/systemd/system/$upgrade_unit.service" ]; then
    printf 'atWork=yes\nwithout=%s\nopening=%s\n' "$(cat "$upgrade_run.without" 2> /dev/null || true)" "$(cat "$upgrade_run.opening" 2> /dev/null || true)"
    if [ -n "${judges:-}" ]; then say "$EPOCHSECONDS" > "$upgrade_run.seen" || true; fi
    # Start the service, in case the swap was interrupted before that.
    systemctl start --no-block "$upgrade_unit" 2> /dev/null || true
    return 0
  fi
  upgrade_ended
  if is_marked retired; then say "retired=$(head -n 1 "$state/retired")" && return 0; fi
  node_program
  say "producer=$(configured_address)"
  [ -e "$release_file" ] || return 0
  if [ "$(sed -n 2p "$release_file")" != "$(hash_of "$program")" ]; then
    printf 'installed=%s\nreplaced=yes\n' "$(sed -nE '1s/.* //p' "$release_file")"
  elif [ "$(sed -n 1p "$release_file")" = "$release_marker" ]; then say installed=yes; fi
}
