# Procedure A, steps 1 to 5: checks what the host must have before anything on it is changed. Reports all problems together.
problems=()
needs() { problems+=("$1: found $2, needed $3"); }

if is_marked stack && [ "$(cat "$state/stack")" != "$stack_identity" ]; then
  other=$(cut -d' ' -f1 "$state/stack")
  fail "this host belongs to another stack" "found: $(cat "$state/stack")" "needed: $stack_identity, or a blank host" \
    "Is it that stack's host? Continue with that stack: $(pulumi_up "${other#*/}"). If not, give this stack another host: $(config_set host.address ADDRESS)"
fi

if ! is_marked stack; then
  mine=()
  [ -z "$(systemctl list-unit-files --no-legend "$service.service" 2> /dev/null)" ] || mine+=("the service $service")
  [ ! -e "$data_dir/wallet/producer" ] || mine+=("the producer key store $data_dir/wallet/producer")
  found=$(node_elsewhere)
  [ -z "$found" ] || mine+=("a node that runs already: ${found//$'\n'/; }")
  if file_has '"Producer"' "$data_dir/config.json"; then mine+=("a producer configuration in $data_dir/config.json"); fi
  if [ ${#mine[@]} -gt 0 ]; then
    fail "this host already has a node that this stack did not deploy. It may be your live Pillar: nothing was touched" \
      "${mine[@]/#/found: }" "needed: a host without these" \
      "Is it the Pillar's present host, and this its stack? Adopt it without a change: $(config_set lifecycle adopted) && $(pulumi_up)" \
      "Is it the wrong address? $(config_set host.address ADDRESS) && $(pulumi_up); the present host then gets a stack of its own: $(adopt_command OLD "$host_name")"
  fi
fi

if is_marked deploy.done; then
  say "checked before; the node was deployed at $(cat "$state/deploy.done")"
  exit 0
fi

[ "$(uname -m)" = x86_64 ] || needs architecture "$(uname -m)" "x86_64 (the controller's release is for it)"
[ -d /run/systemd/system ] || needs systemd "$(cat /proc/1/comm)" "a host that systemd runs"

distribution=unknown
if [ -r /etc/os-release ]; then distribution=$(. /etc/os-release && say "$ID-${VERSION_ID:-rolling}"); fi
case " $distributions " in
  *" $distribution "*) ;;
  *) needs distribution "$distribution" "one of $distributions (or name it in host.acceptDistributions)" ;;
esac

has apt-get || needs "package manager" "no apt" "apt: the controller's Deploy installs with it, as Ubuntu 22.04 and Debian 11 have it"

cores=$(nproc)
[ "$cores" -ge "$minimum_cores" ] || needs cores "$cores" "$minimum_cores (host.minimums.cores)"

memory_kb=$(awk '/^MemTotal:/ { print $2 }' /proc/meminfo)
[ "$memory_kb" -ge "$minimum_memory_kb" ] ||
  needs memory "$((memory_kb / 1024)) MiB" "$((minimum_memory_kb / 1024)) MiB, what a $minimum_memory_gb GB machine has at least (host.minimums.memoryGb)"

disk_of=$(existing_directory "$data_dir")
disk_kb=$(df -Pk "$disk_of" | awk 'NR == 2 { print $4 }')
[ "$disk_kb" -ge "$minimum_disk_kb" ] ||
  needs "free disk at $disk_of" "$((disk_kb / 1000000)) GB" "$((minimum_disk_kb / 1000000)) GB (host.minimums.diskGb)"

# Scripts, apt and the node's build write there. Without room they fail with misleading errors.
full=()
for at in "${TMPDIR:-/tmp}" /run; do
  free=$(df -Pk "$at" | awk 'NR == 2 { print $4 }') inodes=$(df -Pi "$at" | awk 'NR == 2 { print $4 }')
  if [ ! -w "$at" ] || [ "$free" -lt 2048 ] || [ "$inodes" -lt 64 ]; then full+=("$at"); needs "room in $at" "$free KB and $inodes files free" "2 MB that can be written (clear it, or see what fills it: du -xsh $at/*)"; fi
done

# The release server's answer proves that it can be reached, and its Date header is an independent clock. Signed addresses
# refuse a request for headers only: then some bytes are requested, and that answer counts.
answered= date_header=
if has curl; then
  headers=$(curl -sSIL --connect-timeout 10 --max-time 30 "$release_url" 2>&1) && answered=yes
elif has wget; then
  headers=$(wget -S --spider --tries=1 --timeout=15 "$release_url" 2>&1) && answered=yes
else
  headers="no connection to $release_host:$release_port"
  if connects "$release_host" "$release_port"; then answered=yes; fi
fi
status_of() { printf %s "$1" | grep -E '^ *HTTP/' | tail -n 1 | tr -d '\r' | sed 's/^ *//' || true; }
status=$(status_of "$headers")
if [[ $status =~ ^HTTP/[0-9.]+\ [45] ]]; then
  if has curl; then
    part=$({ curl -sSL -r 0-59 -D /dev/stderr --connect-timeout 10 --max-time 20 "$release_url" | head -c 60 > /dev/null; } 2>&1) || true
  else
    part=$({ timeout 20 wget -S -O - --header='Range: bytes=0-59' --tries=1 --timeout=15 "$release_url" | head -c 60 > /dev/null; } 2>&1) || true
  fi
  if [ -n "$(status_of "$part")" ]; then headers=$part status=$(status_of "$part"); fi
  if [[ $status =~ ^HTTP/[0-9.]+\ (2|416) ]]; then answered=yes; fi
fi
# Read the time here, soon after the answer: even a server that gives only a whole archive was asked for its first bytes only.
now=$(date +%s)
# 416 is no problem: the archive is there, but its server gives no parts.
if [[ $status =~ ^HTTP/[0-9.]+\ [45] && ! $status =~ \ 416 ]]; then
  needs "release address $release_url" "$status" "200 (controller.release.url: open it in a browser and compare it with the release page)"
elif [ -z "$answered" ]; then
  found=$(printf %s "$headers" | grep -E 'curl:|[Ff]ailed|[Uu]nable|refused' | tail -n 1 || true)
  needs "release address $release_url" "${found:-no answer}" "an answer (controller.release.url; a firewall or DNS on the host?)"
elif has curl; then
  # The first letters show whether this is a zip archive or a page about it; the names in its last part, whether it is the
  # controller's. If a server is slow, or gives no parts, nothing is decided here (-f: its error page is no part of the archive).
  start=$(curl -fsL --max-time 20 -r 0-59 "$release_url" 2> /dev/null | head -c 60 | tr -cd '[:print:]' || true)
  if [ -n "$start" ] && [[ $start != PK* ]]; then
    needs "release address $release_url" "something that begins with: $start" "a zip archive (controller.release.url: it is perhaps the page about it)"
  elif names=$(curl -fsL --max-time 20 -r -65536 "$release_url" 2> /dev/null | tr -c '[:print:]' '\n') &&
    [[ $names != *"$controller_name"* ]]; then
    needs "release address $release_url" "an archive without $controller_name" "the controller's release for linux x86_64 (controller.release.url, controller.executable)"
  fi
fi
date_header=$(printf '%s\n' "$headers" | sed -nE 's/^ *[Dd]ate: *([^\r]*)\r?$/\1/p' | tail -n 1)

# Requests an address that the controller requests when it deploys, and in every run. Any answer will do.
reach() {
  local host=${1#*://} port=443
  [[ $1 == http://* ]] && port=80
  host=${host%%/*}
  [[ $host == *:* ]] && port=${host##*:} host=${host%:*}
  if has curl; then curl -sS -o /dev/null -I --connect-timeout 10 --max-time 20 "$1" 2>&1 | tail -n 1
  elif connects "$host" "$port"; then :
  else say "no connection to $host:$port"; fi
}
unreached=$(for url in $controller_addresses; do
  (found=$(reach "$url" || true); [ -z "$found" ] || printf '%s\t%s\n' "$url" "$found") &
done; wait)
while IFS=$'\t' read -r url found; do
  [ -z "$url" ] || needs "$url, which the controller asks" "$found" "an answer (controller.addresses; a firewall or DNS on the host?)"
done < <(printf '%s\n' "$unreached")

if has apt-get && [ ${#full[@]} -eq 0 ]; then
  sources=$(package_sources)
  while IFS=$'\t' read -r of url found; do
    case $of in
      own) needs "package source $url" "$found" "$(source_cure "$url")" ;;
      foreign) warn "package source $url: $found. The packages step ignores it if no package that it installs needs it" ;;
    esac
  done < <(printf '%s\n' "$sources")
fi

IFS=$'\t' read -r found needed < <(go_shortfall) || true
[ -z "$found" ] || needs "Go, with which the controller builds the node" "$found" "$needed"

synchronized=$(timedatectl show -p NTPSynchronized --value 2> /dev/null || true)
if [ "$synchronized" != yes ]; then
  if [ -z "$date_header" ]; then
    needs clock "not synchronised" "a synchronised clock (install chrony, or systemctl enable --now systemd-timesyncd)"
  else
    off=$((now - $(date -d "$date_header" +%s)))
    if [ "${off#-}" -gt 3 ]; then
      needs clock "$off s off the release server's" "within 3 s (install chrony, or systemctl enable --now systemd-timesyncd)"
    else
      warn "clock: correct at present, but nothing keeps it in sync: a Pillar with a wrong clock misses momentums. Install chrony, or run systemctl enable --now systemd-timesyncd."
    fi
  fi
fi

# holder_of tcp|udp PORT: prints the process that listens there, unless it is this stack's node or orchestrator, which an
# interrupted deploy leaves running.
holder_of() {
  local socket pid
  socket=$(ss -Hl"${1:0:1}"np "sport = :$2" 2> /dev/null | head -n 1)
  [ -n "$socket" ] || return 0
  pid=$(printf '%s\n' "$socket" | sed -nE 's/.*pid=([0-9]+).*/\1/p')
  if is_marked stack && grep -qsE "/(${service//./\\.}|${signer_service//./\\.})\.service" "$proc/${pid:-none}/cgroup"; then return 0; fi
  printf '%s\n' "$socket" | sed -nE 's/.*users:\(\("([^"]+)".*/\1/p; t; s/.*/another process/p'
}
for port in $tcp_ports; do
  holder=$(holder_of tcp "$port")
  [ -z "$holder" ] || needs "port $port/tcp" "held by $holder" "free (for $service or the orchestrator)"
done
for port in $udp_ports; do
  holder=$(holder_of udp "$port")
  [ -z "$holder" ] || needs "port $port/udp" "held by $holder" "free (for $service)"
done

if [ ${#problems[@]} -gt 0 ]; then
  fail "this host does not meet what a Pillar needs; nothing was changed on it" "${problems[@]}" \
    "Change the host or the configuration, then run $(pulumi_up) again."
fi

offered=0
offers_kernel_headers || offered=$?
case $offered in
  0) say "packages: $distribution has $kernel_headers, which the controller's Deploy installs" ;;
  1) say "packages: by its present index $distribution has no $kernel_headers, which the controller's Deploy installs: if a fresh index has none either, an empty package takes its place" ;;
  *) warn "apt: $(printf %s "$headers_said" | tail -n 1)" ;;
esac
device=$(ip -o route get 1.1.1.1 2> /dev/null | sed -nE 's/.* dev ([^ ]+).*/\1/p' || true)
speed=$(cat "/sys/class/net/${device:-none}/speed" 2> /dev/null || true)
if [ "${speed:--1}" -gt 0 ] && [ "$speed" -le "$minimum_mbps" ]; then
  warn "bandwidth: $device reports $speed Mbps, and more than $minimum_mbps are needed (host.minimums.bandwidthMbps)"
fi
if [ "$cores" -lt "$ideal_cores" ] || [ "$memory_kb" -lt "$ideal_memory_kb" ]; then
  say "ideal for the initial sync: $ideal_cores cores and $ideal_memory_gb GB of memory; with less it takes longer"
fi
say "$distribution, $cores cores, $((memory_kb / 1024)) MiB memory, $((disk_kb / 1000000)) GB free: meets the minimums"
