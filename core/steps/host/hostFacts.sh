# Prints facts of the host, one a line, for core/ssh/hostFacts.ts. Only reads, and writes no file: the disk may be full.
set +e
trap - ERR

if [ "$with_stages" = yes ]; then
  fact stages asked
  for pair in "packages.done:packages" "deploy.done:deployed" "synced:synced"; do
    marker=$state/${pair%%:*}
    if [ -r "$marker" ]; then fact "done.${pair#*:}" "$(head -n 1 "$marker")"; fi
  done
  if [ "$(systemctl is-active pillar-host-step 2> /dev/null)" = active ]; then
    fact atWork "$(systemctl show -p Description --value pillar-host-step | sed 's/^pillar-host: //')"
  fi
fi

property() { systemctl show -p "$1" --value "$service" 2> /dev/null; }
load=$(property LoadState)
fact service.name "$service"
fact service.load "$load"
fact service.elsewhere "$(node_elsewhere | paste -sd ';')"
case $load in loaded | masked) fact service.active "$(property ActiveState)" ;; esac
if [ "$load" = loaded ]; then
  fact service.sub "$(property SubState)"
  since=$(property StateChangeTimestamp)
  [ -z "$since" ] || fact service.since "$(date -u -d "$since" '+%F %T UTC' 2> /dev/null || say "$since")"
  fact service.restarts "$(property NRestarts)"
  fact service.result "$(property Result)"
fi

fact node.rpc "$rpc_address:$rpc_port"
fact node.p2p "$p2p_port"
fact node.peers "$(rpc stats.networkInfo | grep -o '"numPeers": *[0-9]*' | head -n 1 | grep -o '[0-9]*$')"

disk_of=$(existing_directory "$data_dir")
fact disk.at "$disk_of"
df -Pk "$disk_of" | awk 'NR == 2 { print "disk.size=" $2; print "disk.free=" $4 }'

awk '/^(MemTotal|MemAvailable|SwapTotal|SwapFree):/ { sub(":", "", $1); print "memory." $1 "=" $2 }' /proc/meminfo
killed=$(journalctl -k -q --since -24h --no-pager -o short-iso 2> /dev/null | grep -aE 'Out of memory: Killed|oom-kill:' | tail -n 1 | cut -c 1-160)
[ -z "$killed" ] || fact memory.killed "$killed" | redact
fact load "$(cut -d' ' -f1-3 /proc/loadavg)"
fact cores "$(nproc)"
fact clock "$(date -u '+%F %T UTC')"
fact clock.kept "$(timedatectl show -p NTPSynchronized --value 2> /dev/null)"

journalctl -u "$service" -q -n "$((log_lines + 1))" --no-pager -o short-iso 2> /dev/null | redact | tail -n "$log_lines" | cut -c 1-200 | sed 's/^/log=/'
exit 0
