# Runs the script on standard input as a systemd service, which outlives this connection, and shows its output. One at a time.
unit=pillar-host-step.service
runs=/run/pillar-host

[ -d /run/systemd/system ] || fail "systemd does not run here" "needed: a host that systemd runs" "Then: $(pulumi_up)"
mkdir -p "$runs"
run=$(mktemp -d "$runs/$step.XXXXXX")
trap 'rm -rf "$run"' EXIT
cat > "$run/script"
exec 3> "$run/out"
: > "$run/err"
echo $$ > "$run/pid"

# True unless systemd says clearly that the unit ended: it says nothing while it re-executes itself, as in its own upgrade.
busy() { case $(systemctl is-active "$unit" 2> /dev/null) in inactive | failed) return 1 ;; *) return 0 ;; esac; }

waited=$SECONDS
until systemd-run --quiet --collect --unit="$unit" --description="pillar-host: $step" \
  --property=RuntimeMaxSec="$limit_seconds" --property=TimeoutStopSec=10 \
  $clean_environment bash -c 'trap "" HUP; if bash -euo pipefail "$0/script" >> "$0/out" 2> "$0/err" < /dev/null; then c=0; else c=$?; fi; echo "$c" > "$0/code"' "$run" 2> "$run/refusal"; do
  # Give up if the reason is not an earlier run. If that run has ended just now, try again.
  busy || grep -q already "$run/refusal" || { cat "$run/refusal" >&2; exit 1; }
  [ -n "${is_said:-}" ] || printf 'an earlier run is still at work on this host (%s); waiting until it has finished\n' "$(systemctl show -p Description --value "$unit")" >&"$notes"
  is_said=yes
  [ $((SECONDS - waited)) -le "$limit_seconds" ] ||
    fail "an earlier run did not finish within $limit_seconds s" "See it with: systemctl status $unit" "Then: $(pulumi_up)"
  sleep 1
done

ends=$((SECONDS + limit_seconds + 60))
# Asks systemd once a second.
looks=0
while [ ! -e "$run/code" ] && { [ $((looks += 1, looks % 5)) -ne 0 ] || busy; } && [ "$SECONDS" -lt "$ends" ]; do sleep 0.2; done &
tail -n +1 -f -s 0.2 --pid=$! "$run/out" | printable
wait
code=$(cat "$run/code" 2> /dev/null || echo unknown)
printable < "$run/err" >&2
[ "$code" != unknown ] ||
  fail "$step was stopped before it finished" "found: no result after at most $limit_seconds s (a time limit, a reboot, or somebody stopped $unit)" \
    "Run $(pulumi_up) again: it continues from where it was."
exit "$code"
