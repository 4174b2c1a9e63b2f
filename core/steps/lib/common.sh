# Shared by all steps. Runs as root under `bash -euo pipefail`, with the assignments of step.ts above it, and no environment but
# $clean_environment.
umask 022
state=/var/lib/pillar-host
logs=/var/log/pillar-host
# In memory, because the disk may be full.
runs_dir=/run/pillar-host
# Processes and ports are read from the kernel: without a program like ss it would seem that nothing runs.
proc=/proc

# An unexpected failure says where it happened (the command as written, without its values).
set -E
trap 'printf "%s: unexpected failure (exit %s) of: %s\n" "$host_name" "$?" "$BASH_COMMAND" >&2' ERR

warn() { printf 'warning: %s\n' "$*"; }

# refuse_run WHAT: ends, because another run is at work on this host. Exit code 75 says that this run changed nothing.
refuse_run() {
  printf '%s: %s\n  Nothing was done here. Wait until that run has finished, then: %s\n' "$host_name" "$1" "$(pulumi_up)" >&2
  exit 75
}

# Makes $work, a directory in memory, which is removed when the script ends.
make_work() {
  mkdir -p "$runs_dir"
  work=$(mktemp -d "$runs_dir/work.XXXXXX")
  trap 'rm -rf "$work"' EXIT
}

# fact NAME VALUE: a line for the program that reads this script's output.
fact() { printf '%s=%s\n' "$1" "$2"; }

# True also for a broken link.
is_there() { [ -e "$1" ] || [ -L "$1" ]; }

# existing_directory PATH: the path, or its nearest parent directory that exists.
existing_directory() {
  local at=$1
  while [ ! -d "$at" ]; do at=$(dirname "$at"); done
  say "$at"
}

# unit_lies_at FILE: true if a unit, or the link by which systemd enables one, is in the place of its mask.
unit_lies_at() { is_there "$1" && [ "$(readlink "$1")" != /dev/null ]; }
unit_is_masked() { [ "$(readlink "/etc/systemd/system/$1.service")" = /dev/null ]; }

# assert_own_unit KEY SERVICE: refuses to change a unit of one of this host's packages, or that a program made: to be stopped and
# masked, it would have to be an administrator's.
assert_own_unit() {
  local file package name
  name=$(systemctl show -p Id --value "$2.service" 2> /dev/null || true)
  # A mask of an alias leaves the unit as it is.
  [[ $name != *.service || $name = "$2.service" ]] ||
    fail "$2.service is only another name of $name" "needed: the unit's own name: $(config_set "$1" "${name%.service}") && $(pulumi_up)"
  file=$(systemctl show -p FragmentPath --value "$2.service" 2> /dev/null || true)
  case $file in
    /lib/* | /usr/lib/*)
      has dpkg || return 0
      # Either spelling: /lib is a link to /usr/lib.
      package=$(dpkg -S "$file" "/usr$file" "${file#/usr}" 2> /dev/null | head -n 1 || true)
      [ -n "$package" ] || return 0
      ;;
    /run/*) package="made by a program: $file" ;;
    *) return 0 ;;
  esac
  fail "$2.service is a unit of this host itself: it is not touched ($1)" "found: $package" "needed: the program's own unit. Its name: systemctl list-units --type=service" \
    "Then: $(config_set "$1" NAME) && $(pulumi_up)"
}

# file_has PATTERN FILE: true if a line matches; false without such a file. Fails if the file can't be read.
file_has() {
  local code=0
  [ -e "$2" ] || return 1
  grep -qE -- "$1" "$2" || code=$?
  [ "$code" -le 1 ] || fail "$2 could not be read"
  return "$code"
}

# connects HOST PORT
connects() { timeout 10 bash -c ': < "/dev/tcp/$0/$1"' "$1" "$2" 2> /dev/null; }

has() { command -v "$1" > /dev/null 2>&1; }

# replace_file PATH TEXT [MODE]: writes a file, which has its old text or TEXT also after a full disk, a kill or a power cut. An
# existing file keeps owner, mode and label; a new one gets MODE.
replace_file() {
  local said directory=${1%/*} name=${1##*/}
  [ ! -L "$1" ] || fail "$1 is a link: it was left as it is" "found: a link to $(readlink "$1")" "needed: put the file itself there"
  [ -n "$2" ] || [ ! -s "$1" ] || fail "$1 would become empty: it was left as it is"
  said=$(
    exec 2>&1
    # Remove what a killed run left.
    mkdir -p "$directory" && rm -f "$directory/.$name".?????? && new=$(mktemp "$directory/.$name.XXXXXX") || exit
    {
      if [ -e "$1" ]; then cp --attributes-only --preserve=all -T "$1" "$new"; else chmod "${3:-=rw}" "$new"; fi && printf %s "$2"
    } > "$new" && sync "$new" && mv -fT "$new" "$1" && sync "$directory" && exit
    rm -f "$new" && false
  ) || fail "$1 could not be written: it is as it was" "found: $said; $(df -Ph "$directory" | awk 'NR == 2 { print $4 " free on " $6 }')" "needed: make room there, and let $(id -un) write there"
}
# write_script PATH VARIABLES FUNCTIONS TEXT [MODE]: writes a program that runs by itself, and ends at its first failure.
write_script() {
  local parts
  parts=$(declare -p $2 && declare -f $3) || exit
  replace_file "$1" $'#!/bin/bash\n[ "${1:-}" = clean ] || exec '"$clean_environment"$' /bin/bash "$0" clean\nset -euo pipefail\n'"$parts"$'\n'"$4"$'\n' "${5:-600}"
}

# Markers say how far this stack has come on this host.
is_marked() { [ -e "$state/$1" ]; }
mark() { replace_file "$state/$1" "${2:-$(date -u +%FT%TZ)}"$'\n'; }

# install_file PATH TEXT: writes the file unless it has this text.
install_file() { [ "$(cat "$1" 2> /dev/null)" = "$2" ] || replace_file "$1" "$2"$'\n'; }

# Prints the last lines of a file for an error, without what looks like a secret, or the producer address, too early to use.
last_lines() {
  [ ! -r "$1" ] || redact < "$1" | tail -n "${2:-10}" || true
}

# Words that announce a secret. At the end of a line, with a colon, they announce one on the next line.
secret_word='(pass(word|phrase|wd)?|mnemonic|entropy|seed|secret|private[ _-]?key)'
announces_next="${secret_word}[\"']?[[:space:]]*[:=][[:space:]]*[\"'{[]?[[:space:]]*\$"

# Removes every address, what stands before an @ in a URL, and after a word that announces a secret the rest of the line, or else the next line with text.
redact() {
  sed -u -E -e 's/\x1b\[[0-9;?]*[A-Za-z]//g' -e 's/\r//g' -e 's/z1q[02-9ac-hj-np-z]{37}/[address]/g' -e 's,//[^[:space:]]*@,//,g' \
    -e "/$announces_next/I {" -e ':empty' -e 'n' -e '/^[[:space:]]*$/ b empty' -e 's/.*/[removed]/' -e 'b' -e '}' \
    -e "s/$secret_word.*/\\1 [removed]/I"
}

# Takes the proxy that the operator gave the services of this host (DefaultEnvironment of systemd) for what leaves the host, in
# each spelling that some program reads. $via_proxy names it in errors, without its password.
take_proxy() {
  local line
  # No process substitution, which needs /proc.
  while IFS= read -r line; do [ -z "$line" ] || export "${line?}"; done <<< "$(systemctl show-environment 2> /dev/null |
    sed -nE "s/^(https?_proxy|no_proxy)=([^[:space:]'\"\$]+)\$/\L\1\E=\2\n\U\1\E=\2/Ip" || true)"
  via_proxy=${https_proxy:-${http_proxy:-}}
  [ -n "$via_proxy" ] || return 0
  via_proxy=" through the proxy $(sed -E 's,^([A-Za-z0-9+.-]+://)?.*@,\1,' <<< "$via_proxy")"
  line=127.0.0.1,localhost,::1${no_proxy:+,$no_proxy}
  export no_proxy=$line NO_PROXY=$line
}

# way_out SAID: prints what may be wrong with the way to an address, by this host's routes and the words of curl, wget or apt.
way_out() {
  case ${via_proxy:-},${1,,} in
    ?*,*"response 407"* | ?*,*"code 407"* | ?*,*"proxy auth"*) say "the proxy wants a user and a password: write them into its address, in DefaultEnvironment of systemd" ;;
    *,*certificate* | *,*ssl*) say "the clock, ca-certificates, a proxy that opens TLS?" ;;
    ?*,*) say "does the proxy let it through?" ;;
    *) if lacks_route; then say "this host has no default route over IPv4, and many servers have no IPv6"
      elif [[ $1 == *[Rr]esolv* ]]; then say "name servers in /etc/resolv.conf"
      else say "a firewall?"; fi ;;
  esac
}
# By the routes that are in force, because /proc has the main table alone.
lacks_route() {
  if has ip; then [[ $(ip -4 route get 192.0.2.1 2>&1) == *unreachable* ]]
  else [ -r "$proc/net/route" ] && ! grep -qE $'^[^\t]+\t00000000\t' "$proc/net/route"; fi
}

# room_kb DIRECTORY: the kilobytes that a download, or what is unpacked of it, may have there. A server may send without end, and
# half of what is free stays for a node that writes to the same disk.
room_kb() { df -Pk "$1" | awk 'NR == 2 { half = int($4 / 2); print half < 500000 ? half : 500000 }'; }

# download FILE LOG: downloads $release_url. Prints why that failed, also if a connection broke off, of which wget says nothing.
# Without a hash ($sha256) to compare with, refuses a redirect from https to plain http, which wget follows although anybody on
# the way could replace the file.
download() {
  local room
  take_proxy
  room=$(room_kb "${1%/*}")
  # With the signal ignored, wget gets an error from the first byte over the limit.
  if (ulimit -f "$room" && trap '' XFSZ && wget --no-config --no-verbose --tries=3 --timeout=30 --server-response -O "$1" "$release_url" > "$2" 2>&1); then
    if [ -n "$sha256" ] || [[ ${release_url,,} == http:* ]] || ! grep -qiE '^ *Location: *http:' "$2"; then return 0; fi
    rm -f "$1"
    say "the address redirects from https to plain http ($(sed -nE 's,^ *[Ll]ocation: *(http://[^/ ]*).*,\1,Ip' "$2" | head -n 1)), where anybody on the way could replace the file; needed: its sha256 in the configuration, or another address"
    return 1
  fi
  if [ "$(stat -c %s "$1" 2> /dev/null || say 0)" -ge $((room * 1024)) ]; then
    say "it is larger than $room kB (at most 500 MB, and half of what is free there)"
    return 1
  fi
  # Skips indented lines, which are the server's headers.
  redact < "$2" | grep -vE '^$|^  ' | tail -n 1 | grep . || say "it broke off after $(stat -c %s "$1") bytes"
  [ -z "$via_proxy" ] || say "asked$via_proxy"
  return 1
}

# unpack ARCHIVE DIRECTORY [PROGRAM]: unpacks a zip or tar.gz into a new directory, or moves a bare PROGRAM there, as files of
# root with fixed modes and without links. Prints why that failed; 2 if it is neither.
unpack() {
  local room read why
  mkdir "$2"
  case $(head -c 4 "$1" | od -An -tx1 | tr -d ' \n') in
    504b*) read="unzip -p" ;;
    1f8b*) read="gzip -dc" ;;
    # ELF, or a script.
    7f454c46 | 2321*) [ -n "${3:-}" ] && mv "$1" "$2/$3" && return || return 2 ;;
    *) return 2 ;;
  esac
  room=$(room_kb "$2")
  # Reads it once for its true size, because an archive may lie about it.
  if [ "$($read "$1" 2> /dev/null | head -c $((room * 1024 + 1)) | wc -c)" -gt $((room * 1024)) ]; then
    say "it unpacks to more than $room kB (at most 500 MB, and half of what is free there)"
    return 1
  fi
  case $read in
    unzip*) why=$(unzip -oqq "$1" -d "$2" 2>&1) ;;
    *) why=$(tar -xzf "$1" --no-same-owner --no-same-permissions -C "$2" 2>&1) ;;
  esac || { grep -m 1 '[[:alpha:]] ' <<< "$why" || say "its content is damaged"; return 1; }
  find "$2" ! -type f ! -type d -delete
  chown -R 0:0 "$2"
  chmod -R u=rwX,go=rX "$2"
}

# assert_hash WHAT KEY ACTUAL BYTES: fails if a download's hash differs from the one that the configuration's KEY may give.
assert_hash() {
  [ -n "$sha256" ] && [ "$3" != "$sha256" ] || return 0
  fail "the $1 is not the one that $2 names" "found: $3 ($4 bytes from $release_url)" "needed: $sha256" \
    "What was installed before is untouched. Compare with the hash that the release page shows."
}

# processes_of NAME: prints the ids of the processes called NAME, or NAME-linux-ARCH as the release's file; false if there is
# none. The kernel keeps 15 characters of a name.
processes_of() {
  local name=${1%%-linux-*} file of command seen= found=1
  file=$name-linux-
  name=${name:0:15} file=${file:0:15}
  for of in "$proc"/[0-9]*/comm; do
    # A listed process may have ended since.
    { IFS= read -r command < "$of"; } 2> /dev/null || continue
    seen=yes
    case $command in "$name" | "$file"*) of=${of%/comm} found=0 && say "${of##*/}" ;; esac
  done
  [ -n "$seen" ] || fail "cannot tell whether $1 runs on this host" "found: no process in $proc" "needed: mount $proc"
  return "$found"
}

# node_elsewhere: prints each process of a node that $service does not run, and its place: a container, another unit, a login.
node_elsewhere() {
  local name pid
  [ -e "$proc/1/comm" ] || fail "cannot tell whether a node runs on this host" "found: no process in $proc" "needed: mount $proc"
  for name in znnd "${service%.service}"; do
    for pid in $(processes_of "$name" || true); do
      grep -qsE "/${service//./\\.}(\.service)?(/|\$)" "$proc/$pid/cgroup" || say "$name is process $pid in $(sed -n '$s/^[^:]*:[^:]*://p' "$proc/$pid/cgroup" 2> /dev/null || true)"
    done
  done | sort -u
}
node_elsewhere_help="stop it where it was started, so that it stays off (a container: docker ps shows its name; docker update --restart=no NAME && docker stop NAME)"

# port_is_open PORT: true if anything listens on it, on any address.
port_is_open() {
  local port of line lines listens seen=
  printf -v port %04X "$1"
  # 0A is the state of a socket that listens (proc(5), net/tcp).
  listens="^ *[0-9]+: [0-9A-F]+:$port [0-9A-F]+:[0-9A-F]+ 0A "
  for of in tcp tcp6; do
    [ -r "$proc/net/$of" ] || continue
    # Read at once, because the kernel walks all of its sockets at each read, and bash's `read` would make one for each line.
    mapfile -t lines < "$proc/net/$of"
    for line in "${lines[@]}"; do
      seen=yes
      if [[ $line =~ $listens ]]; then return 0; fi
    done
  done
  [ -n "$seen" ] || fail "cannot tell whether port $1 is open on this host" "found: no line in $proc/net/tcp" "needed: mount $proc"
  return 1
}

# packages_ask_nothing SECONDS: package managers, also the controller's, ask and restart nothing, keep the operator's files, and
# wait SECONDS for a lock.
packages_ask_nothing() {
  export DEBIAN_FRONTEND=noninteractive APT_LISTCHANGES_FRONTEND=none UCF_FORCE_CONFFOLD=1 NEEDRESTART_SUSPEND=1
  take_proxy
  export APT_CONFIG=$state/apt.conf
  install_file "$APT_CONFIG" "DPkg::Lock::Timeout \"$1\";
Dpkg::Options { \"--force-confdef\"; \"--force-confold\"; };"
}

service_is_active() { [ "$(systemctl is-active "$1" 2> /dev/null)" = active ]; }

# rpc METHOD: the answer of the node on this host, or nothing.
rpc() {
  wget --no-config --no-proxy -qO- --tries=1 --timeout=5 --header='content-type: application/json' \
    --post-data="{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"$1\",\"params\":[]}" \
    "http://$rpc_address:$rpc_port/" 2> /dev/null || true
}

# wait_for_node SECONDS: waits until the service is active and its RPC answers; false if they are not in time.
wait_for_node() {
  local end=$((SECONDS + $1)) answer=
  while :; do
    answer=$(rpc stats.syncInfo)
    if service_is_active "$service" && [[ $answer == *'"currentHeight"'* ]]; then return 0; fi
    [ "$SECONDS" -lt "$end" ] || return 1
    sleep 1
  done
}

# Prints why the node does not answer, as lines for an error.
node_facts() {
  say "service $service: $(systemctl is-active "$service" 2> /dev/null || true)"
  if [ -n "$(rpc stats.syncInfo)" ]; then say "RPC on $rpc_address:$rpc_port: answers"; else say "RPC on $rpc_address:$rpc_port: no answer"; fi
  journalctl -u "$service" -n 6 --no-pager -o cat 2> /dev/null | redact | tail -n 5 | sed 's/^/journal: /' || true
}
