# Procedure A, steps 6 and 7: index, upgrade, then unzip and wget, run individually.
if is_marked packages.done; then
  say "done before, at $(cat "$state/packages.done"): not upgraded again"
  exit 0
fi
log=$logs/packages.log
: > "$log"

wanted=(unzip wget)
if has apt-get; then manager=apt cron=cron; elif has dnf; then manager=dnf cron=cronie; else
  fail "no package manager" "found: neither apt-get nor dnf" "needed: one of them"
fi
# The hourly restart's line needs both; minimal images lack them.
if [ "$hourly_restart" = yes ]; then
  has crontab || wanted+=("$cron")
  [ -x /usr/bin/sudo ] || wanted+=(sudo)
  # dnf finds a package by its file; where there is apt, service is part of every image.
  [ "$manager" = apt ] || [ -x /usr/sbin/service ] || wanted+=(/usr/sbin/service)
fi

# Who holds a lock is said after a while.
packages_ask_nothing 30
apt_options=(-q -y -o Dpkg::Use-Pty=0 -o Acquire::Retries=3 -o APT::Update::Error-Mode=any)

# Another one's lock is waited for; every other failure ends the step.
run() {
  local what=$1 started=$SECONDS said= from holder
  shift
  while :; do
    from=$(($(wc -l < "$log") + 1))
    printf '\n$ %s\n' "$*" >> "$log"
    if "$@" < /dev/null >> "$log" 2>&1; then
      say "$what: done in $((SECONDS - started)) s"
      return 0
    fi
    if ! tail -n "+$from" "$log" | grep -qE 'locked by another process|Could not get lock|Unable to (acquire|lock)|Failed to obtain the transaction lock|is another process using it'; then
      fail "$what failed" "$(last_lines "$log" 12)" "The whole log: $log on the host. Fix what it says, then run $(pulumi_up) again."
    fi
    if [ -z "$said" ]; then
      holder=$(tail -n "+$from" "$log" | grep -oE '(process|with pid) [0-9]+' | grep -oE '[0-9]+' | head -n 1 || true)
      said="process ${holder:-unknown}${holder:+ ($(ps -o comm= -p "$holder" || true))}"
      say "$what: another package manager holds the lock ($said); waiting"
    fi
    [ $((SECONDS - started)) -lt "$lock_seconds" ] ||
      fail "$what: the package lock was not released in $lock_seconds s" "found: it is held by ${said:-another}" "See who holds it (ps -fp PID), let it end, then run $(pulumi_up) again."
    sleep 3
  done
}

if [ "$manager" = apt ]; then
  # An upgrade that was cut off is finished first: apt refuses everything else until then.
  run "unfinished installations" dpkg --configure -a --force-confdef --force-confold
  run "package index" apt-get "${apt_options[@]}" update
  run "upgrade" apt-get "${apt_options[@]}" upgrade
  run "installing ${wanted[*]}" apt-get "${apt_options[@]}" install "${wanted[@]}"
else
  run "package index" dnf -q -y makecache
  run "upgrade" dnf -q -y upgrade
  run "installing ${wanted[*]}" dnf -q -y install "${wanted[@]}"
fi
if [ "$hourly_restart" = yes ] && [ "$manager" = dnf ]; then run "cron" systemctl enable --now crond; fi
has unzip && has wget || fail "the packages are not there after their installation" "needed: unzip and wget" "The whole log: $log on the host."

reboot=
if [ -e /var/run/reboot-required ]; then
  reboot=$(paste -sd ' ' /var/run/reboot-required.pkgs 2> /dev/null || true)
  reboot=${reboot:-the upgrade}
elif has needs-restarting && ! needs-restarting -r > /dev/null 2>&1; then
  reboot="the upgrade"
fi
[ -z "$reboot" ] || say "note: $reboot asks for a reboot. Nothing was rebooted; the best moment is while the node still syncs."
mark packages.done
