# Stops of the node. The controller's unit kills the node, which writes its database in parts: a kill between two parts
# corrupts it without a message. $service is the node's unit.

# A stop waits for the write that is under way; seconds, more than any takes.
node_stop_limit=300

node_stop_file() { say "/etc/systemd/system/$service.service.d/90-pillar-host.conf"; }

# Lets the node finish its writes at every later stop or restart. The unit need not exist yet.
let_node_end() {
  install_file "$(node_stop_file)" "# Not killed: its database is not written in one piece (pillar-host).
[Service]
ExecStop=
KillMode=control-group
KillSignal=SIGTERM
TimeoutStopSec=$node_stop_limit"
  systemctl daemon-reload
  local command
  command=$(systemctl show -p ExecStop --value "$service" 2> /dev/null || true)
  if [ -z "$command" ]; then return 0; fi
  # Somebody's own word, on a host that runs since long.
  if is_marked deploy.done; then
    warn "a stop of $service runs a command of its own, which may tear the node's database: $command"
    return 0
  fi
  fail "a stop of $service would not let the node end what it writes: its database may be torn" "found: ExecStop=$command" \
    "needed: no ExecStop, as in $(node_stop_file)" "See what sets it: systemctl cat $service. Remove it, then run $(pulumi_up) again."
}

# The unit is again as the controller wrote it.
forget_node_stop() {
  [ -e "$(node_stop_file)" ] || return 0
  rm -f "$(node_stop_file)"
  rmdir --ignore-fail-on-non-empty "$(dirname "$(node_stop_file)")"
  systemctl daemon-reload
}

node_main_pid() { systemctl show -p MainPID --value "$service" 2> /dev/null || true; }

# Stops it, on a host without that file too: its main process is asked to end, and waited for, before systemd does what
# the unit says.
stop_node() {
  local pid ends=$((SECONDS + node_stop_limit))
  pid=$(node_main_pid)
  if [ "${pid:-0}" != 0 ]; then systemctl kill --kill-who=main --signal=TERM "$service" 2> /dev/null || true; fi
  while [ "${pid:-0}" != 0 ] && [ "$(node_main_pid)" = "$pid" ]; do
    if [ "$SECONDS" -ge "$ends" ]; then
      warn "the node (process $pid) did not end within $node_stop_limit s of SIGTERM: systemd ends it now, and its database may be torn"
      break
    fi
    sleep 0.2
  done
  systemctl stop "$service" 2> /dev/null || true
}
