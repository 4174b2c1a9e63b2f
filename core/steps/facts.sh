# What there is to look at on a host, a line each, without secrets. Only reads, and writes no file: the disk may be full.
set +e
trap - ERR

if [ "$with_stages" = yes ]; then
  stages=
  for pair in "packages.done:packages" "deploy.done:deployed" "synced:synced"; do
    marker=$state/${pair%%:*}
    if [ -r "$marker" ]; then stages+="${stages:+, }${pair#*:} $(head -n 1 "$marker")"; fi
  done
  say "done so far: ${stages:-nothing}"
  if [ "$(systemctl is-active pillar-host-step 2> /dev/null)" = active ]; then
    say "at work now: $(systemctl show -p Description --value pillar-host-step | sed 's/^pillar-host: //')"
  fi
fi

property() { systemctl show -p "$1" --value "$service" 2> /dev/null; }
if [ "$(property LoadState)" = loaded ]; then
  line="service: $service is $(property ActiveState) ($(property SubState))"
  since=$(property StateChangeTimestamp)
  [ -z "$since" ] || line+=" since $(date -u -d "$since" '+%F %T UTC' 2> /dev/null || say "$since")"
  restarts=$(property NRestarts)
  [ "${restarts:-0}" = 0 ] || line+=", systemd restarted it ${restarts} times after failures"
  result=$(property Result)
  [ "${result:-success}" = success ] || line+=", it failed last with $result"
  say "$line"
  # One that runs changes it.
  case $(property ActiveState) in inactive | failed) database_facts ;; esac
elif [ "$(property LoadState)" = masked ]; then
  say "service: $service is $(property ActiveState), and masked: it does not start again by itself"
else
  say "service: $service is not there"
fi

peers=$(rpc stats.networkInfo | grep -o '"numPeers": *[0-9]*' | head -n 1 | grep -o '[0-9]*$')
case $peers in
  '') say "peers: not known, the RPC at $rpc_address:$rpc_port gives no answer" ;;
  0) say "peers: 0. Is $p2p_port, tcp and udp, open to the world, at the provider's firewall too?" ;;
  *) say "peers: $peers" ;;
esac

disk_of=$data_dir
while [ ! -d "$disk_of" ]; do disk_of=$(dirname "$disk_of"); done
say "$(df -Pk "$disk_of" | awk -v at="$disk_of" 'NR == 2 {
  printf "disk: %.1f of %.1f GB free at %s%s", $4 / 1e6, $2 / 1e6, at, ($4 < 1e6 ? ". Nearly full: the node cannot go on without room" : "") }')"

say "$(awk '/^MemTotal:/ { total = $2 } /^MemAvailable:/ { free = $2 } /^SwapTotal:/ { swap = $2 } /^SwapFree:/ { left = $2 }
  END { printf "memory: %d of %d MiB available, %d of %d MiB of swap used%s", free / 1024, total / 1024, (swap - left) / 1024, swap / 1024,
    (free < total / 20 ? ". Nearly used up: restarting the service frees it" : "") }' /proc/meminfo)"
killed=$(journalctl -k -q --since -24h --no-pager -o short-iso 2> /dev/null | grep -aE 'Out of memory: Killed|oom-kill:' | tail -n 1 | cut -c 1-160)
[ -z "$killed" ] || say "memory: the kernel killed a process for want of it: $killed" | redact
say "load: $(cut -d' ' -f1-3 /proc/loadavg) on $(nproc) cores"

if [ "$(timedatectl show -p NTPSynchronized --value 2> /dev/null)" = yes ]; then kept="kept in sync"; else kept="kept in sync by nothing"; fi
say "clock: $(date -u '+%F %T UTC'), $kept"

journalctl -u "$service" -q -n "$log_lines" --no-pager -o short-iso 2> /dev/null | redact | cut -c 1-200 | sed 's/^/log: /'
exit 0
