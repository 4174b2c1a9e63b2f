# Prints facts of a host for core/host/facts.ts, one a line. Only reads, and writes no file, because the disk may be full.
# $groups are the functions facts_… to run. As far as these need them, also: the node's $service, $data_dir, $rpc_address,
# $rpc_port and $p2p_port; $services; the orchestrator's $orchestrator_…; $log_lines, $chain_databases and $tools.
host_facts() {
  local group
  for group in $groups; do
    "$group"
    # Without this line, the answer was cut off.
    fact read "$group"
  done
}
# fact_if NAME COMMAND...: prints whether the command succeeds.
fact_if() { if "${@:2}"; then fact "$1" yes; else fact "$1" no; fi; }
# unit_facts NAME SERVICE: prints what systemd says of a unit.
unit_facts() {
  TZ=UTC0 systemctl show -p LoadState -p ActiveState -p SubState -p StateChangeTimestamp -p NRestarts -p Result -p UnitFileState -p WantedBy -p RequiredBy -p TriggeredBy "$2" 2> /dev/null | sed "s/^/$1./" || true
}
# disk_facts NAME PATH: prints the file system on which a path is or will be, in KiB.
disk_facts() {
  local at
  at=$(existing_directory "$2")
  fact "$1.at" "$at"
  df -k --output=size,avail,target -- "$at" |
    awk -v name="$1" 'NR == 2 { print name ".size=" $1; print name ".free=" $2; sub(/^ *[^ ]+ +[^ ]+ +/, ""); print name ".mount=" $0 }' || true
  # Some file systems count no inodes.
  df --output=itotal,iavail -- "$at" | awk -v name="$1" 'NR == 2 && $1 > 0 { print name ".inodes=" $2 }' || true
}
# path_kind PATH [PARENT]: prints whether a directory is there: `mount` if it is on another file system than its parent.
path_kind() {
  if [ -L "$1" ]; then say link
  elif [ ! -e "$1" ]; then say none
  elif [ ! -d "$1" ]; then say "no directory"
  elif [ "$(stat -c %d "$1")" != "$(stat -c %d "${2:-$1}")" ]; then say mount
  else say there; fi
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
is_node_at_work() { is_at_work "$service" znnd "$rpc_port" || processes_of "${service%.service}" > /dev/null; }

# Prints the first line of each marker of this stack.
facts_marks() {
  local marker
  for marker in stack packages.done deploy.done synced retired; do
    if is_marked "$marker"; then fact "marked.$marker" "$(head -n 1 "$state/$marker")"; fi
  done
}
facts_done() { facts_marks; }
facts_atWork() {
  if service_is_active pillar-host-step; then fact step "$(systemctl show -p Description --value pillar-host-step | sed 's/^pillar-host: //')"; fi
}
facts_service() {
  fact service.name "$service"
  unit_facts service "$service"
  fact service.elsewhere "$(node_elsewhere | paste -sd ';')"
}
facts_node() {
  fact node.rpc "$rpc_address:$rpc_port"
  fact node.p2p "$p2p_port"
  fact node.peers "$(rpc stats.networkInfo | grep -o '"numPeers": *[0-9]*' | head -n 1 | grep -o '[0-9]*$' || true)"
}
facts_disk() { disk_facts disk "$data_dir"; }
facts_memory() { awk '/^(MemTotal|MemAvailable|SwapTotal|SwapFree):/ { sub(":", "", $1); print "memory." $1 "=" $2 }' /proc/meminfo || true; }
facts_killed() {
  fact killed "$(journalctl -k -q --since -24h --no-pager -o short-iso 2> /dev/null | grep -aE 'Out of memory: Killed|oom-kill:' | tail -n 1 | cut -c 1-160 | redact || true)"
}
facts_load() {
  fact load "$(cut -d' ' -f1-3 /proc/loadavg)"
  fact cores "$(nproc)"
}
# Prints each unit of $services: restarts after failures, open files of its process, their limit.
facts_units() {
  local unit pid
  for unit in $services; do
    pid=$(systemctl show -p MainPID --value "$unit" 2> /dev/null || true)
    fact unit "$unit $(systemctl show -p NRestarts --value "$unit" 2> /dev/null || true) $(find "$proc/$pid/fd/" -mindepth 1 2> /dev/null | wc -l || true) $(sed -n 's/^Max open files *\([0-9]*\).*/\1/p' "$proc/$pid/limits" 2> /dev/null || true)"
  done
}
facts_clock() {
  fact clock "$(date -u '+%F %T UTC')"
  fact clock.kept "$(timedatectl show -p NTPSynchronized --value 2> /dev/null || true)"
}
facts_log() {
  journalctl -u "$service" -q -n "$((log_lines + 1))" --no-pager -o short-iso 2> /dev/null | redact | tail -n "$log_lines" | cut -c 1-200 | sed 's/^/log=/' || true
}
# A digest, to compare the producer address: nobody may register it before the node is synced.
facts_digest() {
  local address
  address=$(configured_address)
  if [ -n "$address" ]; then fact digest "$(printf %s "$address" | sha256sum | cut -d ' ' -f 1)"; fi
}
facts_tools() {
  local tool
  for tool in $tools; do has "$tool" || fact lacks "$tool"; done
}
# Prints the node's databases, and how much of a copy has arrived, for a chain copy.
facts_chain() {
  local database
  for database in $chain_databases; do fact "chain.$database" "$(path_kind "$data_dir/$database" "$data_dir")"; done
  fact chain.bytes "$(chain_bytes "$data_dir")"
  fact chain.staged "$(chain_bytes "$data_dir/.pillar-host-arriving")"
  # A digest, to compare it with the other host's.
  if [ -s "$data_dir/network-private-key" ]; then fact networkKey "$(sha256sum < "$data_dir/network-private-key" | cut -d ' ' -f 1)"; fi
  facts_disk
  facts_digest
  facts_tools
}
# Prints the orchestrator's unit, whether it is at work, its key shares and the journal of the move.
facts_orchestrator() {
  unit_facts orchestrator "$orchestrator_service"
  fact_if orchestratorActive is_at_work "$orchestrator_service" "$orchestrator_executable" "$orchestrator_rpc_port"
  fact_if orchestratorMasked unit_is_masked "$orchestrator_service"
  fact_if orchestratorLeased lease_at_work "${orchestrator_lease[@]}"
  orchestrator_shares "$orchestrator_directory" | sed 's/^/share=/'
  if [ -e "$orchestrator_journal" ]; then fact journal "$(base64 -w 0 < "$orchestrator_journal")"; fi
}
# Prints, for a guard, also the remains of an orchestrator that was fenced, and the nodes that a running one uses.
facts_retirement() {
  local store=$orchestrator_directory/$(orchestrator_key_store "$orchestrator_directory")
  facts_marks
  fact addresses "$(orchestrator_addresses)"
  fact producer "$(configured_address)"
  fact_if keyStore holds_files "$data_dir/wallet"
  fact_if nodeActive is_node_at_work
  fact_if nodeMasked unit_is_masked "$service"
  facts_orchestrator
  fact_if orchestratorDirectory holds_files "$orchestrator_directory"
  fact_if orchestratorKeyStore [ -e "$store" ]
  fact_if orchestratorConfig holds_any "$orchestrator_directory/config.json"
  fact_if orchestratorKeyAside holds_any "$store".moved-to-*
  orchestrator_shares_beside "$orchestrator_directory" | sed 's/^/shareBeside=/'
  connections_of "$orchestrator_executable"
}
# Prints the variables that systemd would give the orchestrator's unit, which may be masked, as in environ of /proc.
unit_variables() {
  local at
  { systemctl show-environment 2> /dev/null || true; } | tr '\n' '\0'
  for at in /usr/local/lib/systemd/system /etc/systemd/system; do cat "$at/$orchestrator_service.service" "$at/$orchestrator_service.service.d"/*.conf 2> /dev/null || true; done |
    perl -0777 -MText::ParseWords -ne 's/\\\n/ /g; my @later; for (split /\n/) {
      if (/^\s*EnvironmentFile=-?(.+?)\s*$/) { for (glob $1) { my $in; push @later, split /\n/, <$in> if open $in, "<", $_ } }
      elsif (/^\s*Environment=(.*)/) { print "$_\0" for shellwords($1) } }
      for (@later) { print "$1=$3\0" if /^\s*(\w+)=(["\x27]?)(.*?)\2\s*$/ }'
}
# Reads variables as in environ of /proc, and prints their names, but for those that systemd, a shell or a locale sets. A value may be a
# secret: it is printed as a hash with the $salt of this run.
print_variables() {
  local each
  while IFS= read -r -d '' each; do
    [[ $each =~ ^[A-Za-z_][A-Za-z0-9_]*= ]] || continue
    fact environment "${BASH_REMATCH[0]}$([ -z "${each#*=}" ] || printf '%s\n' "$salt" "$each" | sha256sum | cut -d ' ' -f 1)"
  done | sort -s -t = -k 2,2 |
    grep -vE '=(HOME|PATH|USER|LOGNAME|SHELL|LANG|LANGUAGE|LC_.*|TERM|PWD|OLDPWD|SHLVL|_|INVOCATION_ID|JOURNAL_STREAM|MAINPID|MANAGERPID|(RUNTIME|STATE|CACHE|LOGS|CONFIGURATION|CREDENTIALS)_DIRECTORY|SYSTEMD_.*|MEMORY_PRESSURE_(WATCH|WRITE)|LISTEN_(PID|FDS|FDNAMES)|WATCHDOG_(PID|USEC)|NOTIFY_SOCKET)=' || true
}
# Prints, for a move, also the orchestrator's process, and its directory.
facts_move() {
  local pid home directory=$orchestrator_directory
  facts_orchestrator
  facts_tools
  fact addresses "$(orchestrator_addresses)"
  pid=$(systemctl show -p MainPID --value "$orchestrator_service" 2> /dev/null || true)
  # The move also looks for the configured name to know that the orchestrator has ended.
  if service_is_active "$orchestrator_service" && ! processes_of "$orchestrator_executable" > /dev/null; then fact process "$(ps -o comm= -p "$pid" || true)"; fi
  if [ "${pid:-0}" -gt 0 ] && [ -r "/proc/$pid/environ" ]; then
    print_variables < "/proc/$pid/environ"
    home=$(tr '\0' '\n' < "/proc/$pid/environ" | sed -n 's/^HOME=//p' | head -n 1)
    [ -n "$home" ] || home=$(getent passwd "$(stat -c %u "/proc/$pid")" | cut -d : -f 6)
    fact user "$(stat -c %U "/proc/$pid")"
    fact works "$(readlink -m -- "$home/.orchestrator")"
  else
    unit_variables | print_variables
  fi
  fact directory "$(path_kind "$directory")"
  fact real "$(readlink -f -- "$directory" || true)"
  if [ -d "$directory" ]; then
    fact bytes "$(du -sb -- "$directory" 2> /dev/null | cut -f 1 || true)"
    fact files "$(find "$directory/" -printf x 2> /dev/null | wc -c || true)"
    # The copy does not take these modes over, so its comparison would fail after the stop.
    fact special "$(find "$directory/" ! -type l -perm /7002 -printf x 2> /dev/null | wc -c || true)"
  fi
  disk_facts place "$directory"
  if [ -x "/usr/local/bin/$orchestrator_executable" ]; then fact executable there; fi
}
