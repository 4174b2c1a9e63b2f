# Procedure A, steps 1 to 5: checks what the host must have before anything on it is changed. Reports all problems together.
problems=()
needs() { problems+=("$1: found $2, needed $3"); }

if is_marked stack && [ "$(cat "$state/stack")" != "$stack_identity" ]; then
  other=$(cut -d' ' -f1 "$state/stack")
  [ "$other" != "${stack_identity% *}" ] ||
    fail "this host belongs to a stack of this name for another Pillar" "found: $(cat "$state/stack")" "needed: $stack_identity, or a blank host" \
      "Is it this stack's host, and its Pillar's name right there? $(config_set pillar.name "$(cut -d' ' -f2 "$state/stack")") && $(pulumi_up). If not, give this stack another host: $(config_set host.address ADDRESS)"
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
  *" $distribution "*)
    case " $named_distributions " in
      *" $distribution "*) ;;
      *) warn "$distribution: the controller's page names $named_distributions only. This program's tests run on Debian 11, 12 and 13, with a stand-in for the controller, and not on Ubuntu" ;;
    esac
    ;;
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
  needs "free disk at $disk_of" "$((disk_kb * 1024 / 1000000000)) GB" "$((minimum_disk_kb * 1024 / 1000000000)) GB (host.minimums.diskGb)"
boot_kb=$(df -Pk /boot 2> /dev/null | awk 'NR == 2 && $6 == "/boot" { print $4 }') || true
[ "${boot_kb:-102400}" -ge 102400 ] || warn "$((boot_kb / 1024)) MB are free at /boot, and a new kernel takes about 100 MB: apt-get autoremove --purge frees some"

# try_in DIRECTORY [runs]: writes there as steps, apt and the node's build do, and starts a program with `runs`. Prints what fails.
try_in() {
  local at code=0 changed
  changed=$(stat -c %y "$1")
  at=$(mktemp -d "$1/.pillar-host.XXXXXX") || return
  head -c 2M /dev/zero > "$at/2M" && touch "$at"/{1..64} && printf '#!/bin/sh\n' > "$at/run" && chmod 700 "$at/run" && ${2:+"$at/run"} || code=1
  rm -rf "$at" && touch -cd "$changed" "$1" && return "$code"
}
check_place() {
  local at said see
  if is_there "$1" && [ ! -d "$1" ]; then needs "$1" "no directory: a $(stat -c %F "$1")" "a directory, or a link to one" && return; fi
  at=$(existing_directory "$1")
  said=$(try_in "$at" "${2:-}" 2>&1) && return
  case $said in *space* | *uota*) see="df -h $at; df -i $at; du -xsh $at/*" ;; *permitted*) see="lsattr -d $at" ;; *) see="findmnt -T $at" ;; esac
  needs "$at" "${said##*: }" "2 MB and 64 files that root can write there${2:+, and a program that starts} (see: $see)"
}
for at in "${TMPDIR:-/tmp}" "$state" "$logs" "$data_dir" /dev/shm /run /etc/systemd/system /usr/local /var/cache /var/spool; do check_place "$at"; done
check_place "$controller_dir" runs
check_place /usr/local/bin runs

# Signed addresses refuse a request for headers only. The answer's Date header is an independent clock.
first_bytes() {
  if has curl; then curl -q -sSL --suppress-connect-headers -r 0-59 -D /dev/stderr --connect-timeout 10 --max-time 30 "$release_url"
  else timeout 30 wget --no-config -S -O - --header='Range: bytes=0-59' --tries=1 --timeout=15 "$release_url"; fi |
    head -c 60 | tr -cd '[:print:]' | sed 's/^/body: /'
}
take_proxy
found= date_header= help="open it in a browser"
if has curl || has wget; then
  answer=$(first_bytes 2>&1) || true
  now=$(date +%s)
  status=$(grep -E '^ *HTTP/' <<< "$answer" | tail -n 1 | tr -d '\r' | sed 's/^ *//' || true)
  date_header=$(sed -nE 's/^ *[Dd]ate: *([^\r]*)\r?$/\1/p' <<< "$answer" | tail -n 1)
  start=$(sed -nE 's/^.*body: //p' <<< "$answer")
  case ${status#* },$start in
    # The archive is there, but its server gives no parts.
    416*) ;;
    407*) found=$status help=$(way_out "response 407") ;;
    [45]*) found=$status ;;
    2*,PK*) ;;
    2*,?*) found="something that begins with: $start" ;;
    *) found=$(grep -E 'curl:|[Ff]ailed|[Uu]nable|refused' <<< "$answer" | tail -n 1 || say "no answer") help=$(way_out "$found") ;;
  esac
fi
[ -z "$found" ] || needs "release address $release_url$via_proxy" "$found" "the controller's zip archive (controller.release.url: $help)"

# Requests an address that a later step needs; with -L also what it redirects to. Any answer will do, even none to a request of headers.
reach() { has curl && curl -q -sS -o /dev/null -I --connect-timeout 10 --max-time 20 "$@" 2>&1 | tail -n 1 | grep -v '^curl: ([59]2)'; }
while IFS=$'\t' read -r key url found; do
  needs "$url, which $key names$via_proxy" "$found" "an answer ($(way_out "$found"))"
done < <(for each in $later_addresses; do
  case $each in controller.addresses=*) redirects=() ;; *) redirects=(-L) ;; esac
  (found=$(reach "${redirects[@]}" "${each#*=}" || true); [ -z "$found" ] || printf '%s\t%s\t%s\n' "${each%%=*}" "${each#*=}" "$found") &
done; wait)

IFS=$'\t' read -r found needed < <(go_shortfall) || true
[ -z "$found" ] || needs "Go, with which the controller builds the node" "$found" "$needed"

if [ -n "$required_version" ]; then
  version=$node_version by="pillar-host:node.release"
  [ -n "$version" ] || version=$(source_text metadata/version.go 's/^[[:space:]]*Version *= *"([A-Za-z0-9.+-]{1,40})".*/\1/p') by="Deploy, from $node_source"
  [ -z "$version" ] || ! is_older "$version" "$required_version" || needs "the node's version" "$version (by $by)" "another: $required_remedy"
fi

if [ "$(timedatectl show -p NTPSynchronized --value 2> /dev/null || true)" != yes ]; then
  keep_clock="install chrony, or systemctl enable --now systemd-timesyncd"
  if [ -z "$date_header" ]; then
    needs clock "not synchronised" "a synchronised clock ($keep_clock)"
  elif off=$((now - $(date -d "$date_header" +%s))) && [ "${off#-}" -gt 3 ]; then
    needs clock "$off s off the release server's" "within 3 s ($keep_clock)"
  else
    warn "clock: correct at present, but nothing keeps it in sync: a Pillar with a wrong clock misses momentums ($keep_clock)"
  fi
fi

# holder_of tcp|udp PORT: prints the process that listens there, unless it is this stack's node or orchestrator, which an
# interrupted deploy leaves running.
holder_of() {
  local socket pid
  socket=$(ss -Hl"${1:0:1}"np "sport = :$2" 2> /dev/null | head -n 1)
  [ -n "$socket" ] || return 0
  pid=$(printf '%s\n' "$socket" | sed -nE 's/.*pid=([0-9]+).*/\1/p')
  if is_marked stack && grep -qsE "/(${service//./\\.}|${orchestrator_service//./\\.})\.service" "$proc/${pid:-none}/cgroup"; then return 0; fi
  printf '%s\n' "$socket" | sed -nE 's/.*users:\(\("([^"]+)".*/\1/p; t; s/.*/another process/p'
}
for port in $ports; do
  holder=$(holder_of "${port#*/}" "${port%/*}")
  [ -z "$holder" ] || needs "port $port" "held by $holder" "free (for $service or the orchestrator)"
done

if [ ${#problems[@]} -gt 0 ]; then
  fail "this host does not meet what a Pillar needs; nothing was changed on it" "${problems[@]}" \
    "Change the host or the configuration, then run $(pulumi_up) again."
fi

if [ "$cores" -lt "$ideal_cores" ] || [ "$memory_kb" -lt "$ideal_memory_kb" ]; then
  say "ideal for the initial sync: $ideal_cores cores and $ideal_memory_gb GB of memory; with less it takes longer"
fi
say "$distribution, $cores cores, $((memory_kb / 1024)) MiB memory, $((disk_kb * 1024 / 1000000000)) GB free: meets the minimums"
[ -z "$via_proxy" ] || say "downloads go$via_proxy, as DefaultEnvironment of systemd says"
