# What is installed here from a release, and what the configured address serves now: lines of name=value. Only reads; what
# is downloaded to be hashed goes nowhere.
set +e
trap - ERR

# The server's word about what it serves: of the last answer, behind all redirects.
validators() {
  local said code
  said=$(wget --spider --server-response --tries=1 --timeout=8 "$2" 2>&1)
  code=$?
  # Signed addresses refuse to be asked for their headers alone: the first byte brings the same ones.
  if [ "$code" = 8 ]; then
    said=$(wget --server-response -O /dev/null --header='Range: bytes=0-0' --tries=1 --timeout=8 "$2" 2>&1)
    code=$?
  fi
  said=${said//$'\r'/}
  if [ "$code" != 0 ]; then
    say "$1.fault=$(printf '%s\n' "$said" | redact | grep -vE '^ *$' | tail -n 1 | cut -c 1-200)"
    return
  fi
  printf '%s\n' "$said" | awk -v name="$1" '
    /^ *HTTP\// { split("", last) }
    match($0, /^ +[A-Za-z-]+: /) { key = tolower($1); value = $0; sub(/^ +[A-Za-z-]+: */, "", value); last[key] = value }
    END {
      if ("etag:" in last) print name ".etag=" last["etag:"]
      if ("last-modified:" in last) print name ".modified=" last["last-modified:"]
      length_of = last["content-length:"]
      if ("content-range:" in last) { length_of = last["content-range:"]; sub(/.*\//, "", length_of) }
      if (length_of ~ /^[0-9]+$/) print name ".length=" length_of
    }'
}

# program NAME MARKER ADDRESS
program() {
  [ -r "$state/$2" ] || return
  say "$1.wanted=$(sed -n 1p "$state/$2")"
  say "$1.installed=$(sed -n 2p "$state/$2")"
  [ -n "$3" ] || return
  if [ "$hashed" = "$1" ]; then hash_of "$3"; else validators "$1" "$3"; fi
}

# The first bytes tell an archive from a page about it; they are put back before the rest is hashed.
hash_of() {
  local sum first code
  sum=$(
    timeout 22 wget -qO- --tries=1 --timeout=10 "$1" | {
      first=$(dd bs=1 count=4 2> /dev/null | od -An -tx1 | tr -d ' \n')
      { printf '%b' "$(printf '%s' "$first" | sed 's/../\\x&/g')"; cat; } | sha256sum | cut -d' ' -f1
      say "$first"
    }
    say "${PIPESTATUS[0]}"
  )
  { read -r sum; read -r first; read -r code; } <<< "$sum"
  if [ "$code" = 0 ]; then say "served.sha256=$sum"; say "served.first=$first"; else say "served.fault=wget ended with $code"; fi
}

case $hashed in
  controller) program controller controller "$controller_url" ;;
  orchestrator) program orchestrator orchestrator.release "$orchestrator_url" ;;
  *)
    program controller controller "$controller_url"
    program orchestrator orchestrator.release "$orchestrator_url"
    ;;
esac
say end=yes
exit 0
