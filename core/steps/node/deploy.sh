# Procedure A, step 10: runs `1) Deploy` of the controller, once in the life of this host. Facts decide whether it succeeded.

# Deploy stops a node that runs already.
let_node_end
if is_marked deploy.done; then
  if service_is_active "$service"; then
    say "deployed before, at $(cat "$state/deploy.done")"
    exit 0
  fi
  found=$(node_elsewhere)
  [ -z "$found" ] || fail "a node runs here that is not $service: $service is not started beside it" "found: $found" "needed: $node_elsewhere_help. Then run $(pulumi_up) again."
  say "deployed before, at $(cat "$state/deploy.done"), but $service is not running: starting it. If it was off for more than five minutes, it produces from the next tick on"
  complaint= copy=
  systemctl start "$service" 2> "$logs/start.log" || complaint="$service does not start"
  if [ -n "${copy_again:-}" ]; then
    say "the chain copy, which is confirmed, watches it: sync.copyAgain"
    exit 0
  fi
  if [ -z "$complaint" ]; then
    if wait_for_node "$rpc_seconds"; then exit 0; fi
    complaint="$service was started but its RPC does not answer"
  fi
  if is_marked synced; then
    copy="In minutes, copy the chain of a synced host of yours (pillar-host:oldHost, with sync.from: oldHost): $(config_set sync.copyAgain "$(date -d "$(cat "$state/synced")" +%s)") && $(pulumi_up)"
  fi
  fail "$complaint" "$(node_facts)" "A kill or a power cut may have damaged its database. If nothing above explains the failure:" \
    ${copy:+"$copy"} "In days, sync again: ${sync_again/ADDRESS/$host_name} && $(pulumi_up)"
fi
[ "$(cat "$state/stack" 2> /dev/null)" = "$stack_identity" ] ||
  fail "this host does not carry this stack's marker ($state/stack)" "Run $(pulumi_up) again: the host is prepared first."

# If a deploy was interrupted between key store and configuration, the key store's password is lost: its address was never
# shown, and nobody can open it. The controller would ask for that password.
keystore=$data_dir/wallet/producer
if is_marked deploy.started && [ -e "$keystore" ] && ! file_has '"Address"' "$data_dir/config.json"; then
  aside=$keystore.unfinished-$(date -u +%Y%m%dT%H%M%SZ)
  mv "$keystore" "$aside"
  say "an earlier deploy was interrupted before it wrote its configuration; its key store is kept as $aside"
fi
is_marked deploy.started || mark deploy.started

transcript=$logs/deploy-$(date -u +%Y%m%dT%H%M%SZ).log
( umask 077; : > "$transcript" )
# No secret may get into the transcript.
exec 7> >(redact >> "$transcript")
writer=$!
known_questions=(
  "Are you sure you want to proceed with the deployment process?"
  "Producer configuration detected. Continue using the existing configuration?"
)
line_count=0 complaint=
on_line() {
  printf '%s\n' "$1" >&7
  line_count=$((line_count + 1))
  if [[ $1 == *Error!* || $1 == *Aborting* ]]; then complaint=$1; fi
}

IFS=$'\t' read -r found needed < <(go_shortfall) || true
[ -z "$found" ] || fail "the controller would not build the node: its Go is too old" "found: $found" "needed: $needed. Then run $(pulumi_up) again."
packages_ask_nothing 600
say "deploying: the controller builds and starts the node; this takes minutes"
dialog Deploy "$deploy_seconds"
exec 7>&-
wait "$writer"

once_more="The transcript: $transcript on the host. Run $(pulumi_up) again: the deploy is repeated, and a producer key that it had already made is kept."
case $dialog_result in
  question) fail "the controller asked something that this program does not know, and was stopped" "found: $(redact <<< "$dialog_question")" \
    "needed: a release of the controller without this question (an older one: pillar-host:controller.release), or a newer version of this program; another try would stop at the same question" \
    "A producer key that was made is kept. The transcript: $transcript on the host. Then: $(pulumi_up)" ;;
  deadline) fail "the controller did not end within $deploy_seconds s, and was stopped (controller.deployTimeout)" "$(last_lines "$transcript" 5)" "$once_more" ;;
esac
# After an error the controller may have started nothing, so do not wait long.
if [ -n "$complaint" ] && ! service_is_active "$service"; then rpc_seconds=5; fi
if ! wait_for_node "$rpc_seconds"; then
  fail "the controller ended, but the node does not run" ${complaint:+"the controller said: $(redact <<< "$complaint")"} \
    "$(node_facts)" "$(last_lines "$transcript" 5)" \
    "$(systemctl show -pLoadState "$service" | grep -q =loaded || say "There is no unit $service: has it another name? $(config_set node.service NAME)")" "$once_more"
fi
file_has '"Address"' "$data_dir/config.json" || warn "$data_dir/config.json names no producer: the address is read from the controller's Status alone"
let_node_end
mark deploy.done
say "deployed: $service is active, its RPC answers on port $rpc_port ($line_count lines of transcript)"
