# Facts and shutdown of a retired host. Variables: the node's $service, $data_dir and $rpc_port, the orchestrator's $signer_…

is_node_at_work() { is_at_work "$service" znnd "$rpc_port" || processes_of "${service%.service}" > /dev/null; }

# Prints the facts as lines of name=value: addresses, states and names, no secret. Only reads.
retire_facts() {
  local marker share
  yes_if() { local name=$1; shift; if "$@"; then fact "$name" yes; else fact "$name" no; fi; }
  fact producer "$(configured_address)"
  yes_if keyStore holds_files "$data_dir/wallet"
  yes_if nodeActive is_node_at_work
  yes_if nodeMasked unit_is_masked "$service"
  yes_if signerActive is_at_work "$signer_service" "$signer_executable" "$signer_rpc_port"
  connections_of "$signer_executable"
  fact addresses "$(signer_addresses)"
  fact signerRestarts "$(systemctl show -p NRestarts --value "$signer_service" 2> /dev/null || true)"
  yes_if signerMasked unit_is_masked "$signer_service"
  yes_if signerDirectory holds_files "$signer_directory"
  yes_if signerKeyStore [ -e "$signer_directory/$(signer_key_store "$signer_directory")" ]
  yes_if signerConfig holds_any "$signer_directory/config.json"
  yes_if signerKeyAside holds_any "$signer_directory/$(signer_key_store "$signer_directory")".moved-to-*
  for share in "$signer_directory"/tss/localstate-*.json; do if [ -s "$share" ]; then fact share "${share##*/}"; fi; done
  signer_shares_beside "$signer_directory" | sed 's/^/shareBeside=/'
  for marker in stack deploy.done synced retired; do
    if is_marked "$marker"; then fact "marked.$marker" "$(head -n 1 "$state/$marker")"; fi
  done
  if [ -e "$state/orchestrator.json" ]; then fact journal "$(base64 -w 0 < "$state/orchestrator.json")"; fi
  fact end yes
}
holds_files() {
  local found
  [ -d "$1" ] || return 1
  found=$(find "$1/" -type f -size +0 -print -quit) || fail "$1 could not be read"
  [ -n "$found" ]
}
holds_any() {
  local path
  for path; do if [ -f "$path" ] && [ -s "$path" ] || holds_files "$path"; then return 0; fi; done
  return 1
}

# Marks the host as retired, unless an orchestrator is here, or may come back in a move that has begun. A move and this shutdown
# may run at the same time, from two machines: both check and write under one lock, and no move brings an orchestrator to a
# marked host (orchestrator/moveSteps.sh). $judged is the stage by which the guard allowed this, after it had asked the successor
# (core/retirement/lossRules.ts). With $in_spite the operator has typed that neither matters.
retire_mark() {
  local busy
  if is_marked retired; then return 0; fi
  lease_enter orchestrator 100 || retire_waits "a step of the move, or an upgrade of the node, is at work"
  if [ "${in_spite:-no}" != yes ]; then
    busy=$(signer_at_work)
    [ -z "$busy" ] || [ "$busy" = "its journal says ${judged:-}" ] || retire_waits "$busy"
    if is_at_work "$signer_service" "$signer_executable" "$signer_rpc_port"; then retire_waits "an orchestrator runs here"; fi
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
retire_stop_signer() {
  local service=$signer_service
  assert_own_unit orchestrator.service "$service"
  systemctl stop "$service" 2> /dev/null || true
  mask_node
  ! is_at_work "$service" "$signer_executable" "$signer_rpc_port" ||
    fail "the orchestrator does not stop" "found: $service is $(systemctl is-active "$service" 2> /dev/null || true), $(ss -Hltnp "sport = :$signer_rpc_port" 2> /dev/null | head -n 1)" \
      "needed: end the process $signer_executable, and what listens on port $signer_rpc_port (see them with: ps -ef), then run the same command again."
}

retire_remove_settings() {
  forget_node_stop
  remove_empty_kernel_headers
}
