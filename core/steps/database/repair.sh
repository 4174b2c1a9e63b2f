# Looks at a node whose database may be torn, or repairs it: $what is look or repair. Standard output is lines of
# name=value, and of judge.py. Variables: $service, $data_dir, $rpc_address, $rpc_port, $rpc_seconds.

state_of() { systemctl show -p "$1" --value "$service" 2> /dev/null || true; }

# Its start belongs to somebody else: a retirement masks it, and an operator may have switched it off.
is_meant_to_run() { [ "$(systemctl is-enabled "$service" 2> /dev/null)" = enabled ]; }

judge_into() {
  local said=
  code=0
  judged=$("$1" "$data_dir" 2> "$errors") || code=$?
  said=$(redact < "$errors" | tail -n 1)
  case $code in 0 | 3 | 4 | 5 | 6 | 7) ;; *) fail "the node's database could not be judged (exit $code)" "${said:-no word about it}" ;; esac
  [ -z "$said" ] || judged+=${judged:+$'\n'}"why=$said"
}

tell() { printf '%s\nexit=%s\n' "$judged" "$code"; }

errors=$(mktemp)
code=0 judged= start=no
before=$(state_of ActiveState)
[ "$(state_of LoadState)" != not-found ] || fail "there is no service $service here" "needed: a host on which a node was deployed"
say "node=$before"
if is_meant_to_run; then say "enabled=yes"; else say "enabled=no"; fi

if [ "$what" = look ]; then
  trap 'rm -f "$errors"' EXIT
  # While it runs its database changes: nothing can be said of it.
  case $before in active | deactivating | reloading) code=5 judged="why=the node runs" ;; *) need_python && judge_into judge_database ;; esac
  tell
  exit 0
fi

# What ends this run on the way does not leave a node off that was on.
trap 'rm -f "$errors"; [ "$start" = no ] || systemctl start --no-block "$service" 2> /dev/null || true' EXIT
need_python
case $before in active | activating | reloading) start=yes ;; *) if is_meant_to_run; then start=yes; fi ;; esac
for try in 1 2 3; do
  stop_node
  judge_into cure_database
  # The hourly restart starts it, too.
  if [ "$code" != 5 ] || [ "$try" = 3 ]; then break; fi
  warn "the node was started by somebody else meanwhile: it is stopped again" >&2
done
tell
# One that cannot be repaired is not set going again, where it did not run before.
if [ "$code" != 0 ] && [ "$before" != active ]; then start=no; fi
[ "$start" = yes ] || exit 0
start=no
# One that failed again and again is not started any more without this.
systemctl reset-failed "$service" 2> /dev/null || true
systemctl start "$service" || true
if wait_for_node "$rpc_seconds"; then say "started=yes"; else
  say "started=no"
  node_facts | sed 's/^/fact=/'
fi
