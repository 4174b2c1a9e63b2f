# Shutdown of a retired host. Variables: the node's $service, $data_dir and $rpc_port, the orchestrator's $orchestrator_…

# Marks the host as retired, unless an orchestrator is here, or may come back in a move that has begun. A move and this shutdown
# may run at the same time, from two machines: both check and write under one lock, and no move brings an orchestrator to a
# marked host (orchestrator/moveOnHost.sh). $judged is the stage by which the guard allowed this, after it had asked the successor
# (core/retirement/lossRules.ts). With $in_spite the operator has typed that neither matters.
retire_mark() {
  local busy
  if is_marked retired; then return 0; fi
  lease_enter orchestrator 100 || retire_waits "a step of the move, or an upgrade of the node, is at work"
  if [ "${in_spite:-no}" != yes ]; then
    busy=$(orchestrator_at_work)
    [ -z "$busy" ] || [ "$busy" = "its journal says ${judged:-}" ] || retire_waits "$busy"
    if is_at_work "$orchestrator_service" "$orchestrator_executable" "$orchestrator_rpc_port"; then retire_waits "an orchestrator runs here"; fi
  fi
  mark retired
  exec 9>&-
}
retire_waits() {
  fail "the orchestrator's move on this host has not finished: the node is not shut down" "found: $1" \
    "needed: finish the move in a run of the new host's stack; then run the same command again"
}

# Stops the node, also for later boots. Masks it first, because systemd would start it again after an end in error.
retire_stop() {
  local ends found
  found=$(node_elsewhere)
  [ -z "$found" ] || fail "another service than $service runs the node of this host, and only $service can be stopped: nothing was changed" "found: $found" \
    "needed: $node_elsewhere_help. Is it run by another unit? $(config_set node.service NAME). Then run the same command again."
  assert_own_unit node.service "$service"
  retire_mark
  mask_node
  stop_node
  ends=$((SECONDS + 60))
  while is_node_at_work; do
    [ "$SECONDS" -lt "$ends" ] ||
      fail "the node does not stop" "found: $service is $(systemctl is-active "$service" 2> /dev/null || true), $(ss -Hltnp "sport = :$rpc_port" 2> /dev/null | head -n 1)" \
        "needed: stop what listens on port $rpc_port (see it with: ss -ltnp), then run the same command again."
    sleep 0.2
  done
  unit_is_masked "$service" || fail "$service could not be masked: it would start at a boot" "See it with: ls -l /etc/systemd/system/$service.service"
}

# Stops the orchestrator, also for later boots, of a host that the operator gives up in spite of the checks.
retire_stop_orchestrator() {
  local service=$orchestrator_service
  assert_own_unit orchestrator.service "$service"
  systemctl stop "$service" 2> /dev/null || true
  mask_node
  ! is_at_work "$service" "$orchestrator_executable" "$orchestrator_rpc_port" ||
    fail "the orchestrator does not stop" "found: $service is $(systemctl is-active "$service" 2> /dev/null || true), $(ss -Hltnp "sport = :$orchestrator_rpc_port" 2> /dev/null | head -n 1)" \
      "needed: end the process $orchestrator_executable, and what listens on port $orchestrator_rpc_port (see them with: ps -ef), then run the same command again."
}

# Gives this host's mark the corrected name of its Pillar, from $before to $after. A host with another mark, or none, keeps it.
correct_mark() {
  if is_marked stack && [ "$(cat "$state/stack")" = "$before" ]; then mark stack "$after"; fi
}

retire_remove_settings() {
  forget_node_stop
  remove_empty_kernel_headers
}
