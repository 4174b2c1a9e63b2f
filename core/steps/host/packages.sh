# Procedure A, steps 6 and 7: index, upgrade, then unzip and wget, run individually. With them, packages without which the
# controller's Deploy goes wrong: without git it installs git-all, which brings a web and a mail server; without perl's
# shasum, or without file, it ends in an error.
if is_marked packages.done; then
  say "done before, at $(cat "$state/packages.done"): not upgraded again"
  exit 0
fi
log=$logs/packages.log
: > "$log"

wanted=(unzip wget git perl file)
# The hourly restart's line needs both; minimal images lack them.
if [ "$hourly_restart" = yes ]; then
  has crontab || wanted+=(cron)
  [ -x /usr/bin/sudo ] || wanted+=(sudo)
fi

# apt gives up a lock after 30 s, so that `run` can name the lock's holder.
packages_ask_nothing 30
apt_options=(-q -y -o Dpkg::Use-Pty=0 -o Acquire::Retries=3 -o APT::Update::Error-Mode=any)

# cure OUTPUT: prints what helps, if apt's output shows the cause.
cure() {
  case $1 in
    # First, because a package's own script fails then, too. A failed write to /boot leaves it less than full.
    *"No space left"*) say "needed: room (apt-get clean frees some). Nearly full: $(for of in m i; do df -P$of -x tmpfs -x devtmpfs -x efivarfs -x squashfs; done | awk '$5 + 0 >= 98 || $6 == "/boot" && $2 && $4 < 100 { print $6 }' | sort -u | paste -sd ' ')" ;;
    # Apt names the packages that wait for the failed one, too.
    *"subprocess returned error"*) ;;
    *--fix-broken* | *"dependency problems"*) say "needed: apt-get --fix-broken install, on the host" ;;
    *"not valid yet"*) say "needed: the right time on the host; it says $(date -u '+%F %T UTC')" ;;
    *"404 "* | *"Release file"* | *"is expired"*) say "Is the distribution past its end? Put its archive into /etc/apt: deb [check-valid-until=no] http://archive.debian.org/debian, or http://old-releases.ubuntu.com/ubuntu" ;;
    *"Could not resolve"* | *"Temporary failure resolving"* | *"Could not connect"* | *"Connection failed"*) say "needed: a way from the host to its package servers: $(way_out "$1")" ;;
  esac
}
# run WHAT COMMAND...: repeats the command while another process holds the lock. Any other failure ends the step.
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
    holder=$(tail -n "+$from" "$log" | grep -m 1 -E 'locked by another process|Could not get lock|Unable to (acquire|lock)|is another process using it' || true)
    if [ -z "$holder" ]; then
      [ "$what" = "package index" ] && apt-get "${apt_options[@]}" -s install "${wanted[@]}" > /dev/null 2>&1 ||
        fail "$what failed" "$(last_lines "$log" 12)" "$(cure "$(tail -n "+$from" "$log")")" \
          "The whole log: $log on the host. Fix what it says, then run $(pulumi_up) again."
      warn "$what: some sources do not answer, and nothing of them is needed here: $(tail -n "+$from" "$log" | grep -E '^(E|W|Err)' | head -n 3 | paste -sd ';')"
      return 0
    fi
    holder=${holder#dpkg: error: }
    [ -n "$said" ] || say "$what: another package manager holds the lock; waiting: $holder"
    said=yes
    [ $((SECONDS - started)) -lt "$lock_seconds" ] ||
      fail "$what: the package lock was not released in $lock_seconds s" "found: $holder" "needed: wait until that process has finished (ps -fp PID), then run $(pulumi_up) again."
    sleep 3
  done
}

# Finish an interrupted upgrade first: apt refuses everything else until then.
run "unfinished installations" dpkg --configure -a --force-confdef --force-confold
run "package index" apt-get "${apt_options[@]}" update
run "upgrade" apt-get "${apt_options[@]}" upgrade
run "installing ${wanted[*]}" apt-get "${apt_options[@]}" install "${wanted[@]}"
offered=0
offers_kernel_headers || offered=$?
[ "$offered" -ne 2 ] || fail "apt does not say whether it has $kernel_headers, which the controller's Deploy installs" "found: $(printf %s "$headers_said" | tail -n 3)" "Fix what it says, then run $(pulumi_up) again."
if [ "$offered" -eq 1 ]; then
  made=$(mktemp -d)
  trap 'rm -rf "$made"' EXIT
  mkdir -p "$made/root/DEBIAN"
  printf '%s\n' "Package: $kernel_headers" "Version: 0" "Architecture: all" "Maintainer: $headers_maintainer" \
    "Description: empty: the controller's Deploy asks for this name, which the distribution does not have" > "$made/root/DEBIAN/control"
  run "empty package $kernel_headers" dpkg-deb --build "$made/root" "$made/headers.deb"
  run "installing the empty $kernel_headers" dpkg --install "$made/headers.deb"
fi
if [ -e /var/run/reboot-required ]; then
  say "note: the upgrade asks for a reboot ($(paste -sd ' ' /var/run/reboot-required.pkgs 2> /dev/null || true)). Nothing was rebooted; the best moment is while the node still syncs."
fi
mark packages.done
