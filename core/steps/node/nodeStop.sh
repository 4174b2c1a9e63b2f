# Clean stops of the node: the controller's unit kills it, and a kill between two writes corrupts its database silently. That
# unit also counts SIGKILL as success: a node that the kernel killed for lack of memory would stay off (Restart=on-failure).

# Seconds; longer than any write that a stop waits for.
node_stop_limit=300

node_stop_file() { say "/etc/systemd/system/$service.service.d/90-pillar-host.conf"; }

# Lets the node finish its writes at every later stop or restart, and start again after a kill. The unit need not exist yet.
let_node_end() {
  install_file "$(node_stop_file)" "# Ends its writes at a stop, starts after a kill (pillar-host).
[Service]
ExecStop=
SuccessExitStatus=
KillMode=control-group
KillSignal=SIGTERM
TimeoutStopSec=$node_stop_limit"
  systemctl daemon-reload
  local found what="by its unit, a stop of $service may corrupt the database, or a kill leave it off"
  # Reads back what is in force: `systemctl edit` writes override.conf, which comes after this file.
  found=$(systemctl show -p{LoadState,ExecStop,KillMode,{,Restart}KillSignal,TimeoutStopUSec,SuccessExitStatus,Restart} "$service" 2> /dev/null || true)
  # Leaves what undoes it, such as KillMode=none, Restart=no or less than five minutes.
  [[ $found == *LoadState=loaded* ]] && found=$(grep -vxE 'LoadState=.*|SuccessExitStatus=|KillMode=[cmp].*|.*KillSignal=15|Restart=(a|on-[fa]).*|TimeoutStopUSec=(.*[hdwy].*|([5-9]|[1-5].)min.*)' <<< "$found") || return 0
  found=${found//$'\n'/; }
  # After the deploy, the operator may have set it: only warn.
  if is_marked deploy.done; then warn "$what: $found" && return; fi
  fail "$what" "found: $found" "needed: remove that from its unit: systemctl cat $service"
}

# Makes the unit again as the controller wrote it.
forget_node_stop() {
  [ -e "$(node_stop_file)" ] || return 0
  rm -f "$(node_stop_file)"
  rmdir --ignore-fail-on-non-empty "$(dirname "$(node_stop_file)")"
  systemctl daemon-reload
}

node_main_pid() { systemctl show -p MainPID --value "$service" 2> /dev/null || true; }

# Stops the node, also without let_node_end: SIGTERM, and a wait for its end, before systemd does what the unit says.
stop_node() {
  local pid ends=$((SECONDS + node_stop_limit))
  pid=$(node_main_pid)
  if [ "${pid:-0}" != 0 ]; then systemctl kill --kill-who=main --signal=TERM "$service" 2> /dev/null || true; fi
  while [ "${pid:-0}" != 0 ] && [ "$(node_main_pid)" = "$pid" ]; do
    if [ "$SECONDS" -ge "$ends" ]; then
      warn "the node (process $pid) did not end within $node_stop_limit s of SIGTERM: systemd kills it now, which may corrupt its database"
      break
    fi
    sleep 0.2
  done
  systemctl stop "$service" 2> /dev/null || true
}
