# The controller builds the node's default branch with the Go in /usr/local/go; if there is none, it installs the old $go_of_controller there.
go_root=/usr/local go_of_controller=1.20.3

# install_go: installs the Go that controller.go names, and compares its hash. Keeps the former Go beside it.
install_go() {
  local release_url=$go_url sha256=$go_sha256 work actual why
  rm -rf "$go_root"/.go.??????
  if [ -z "$go_url" ] || { [ -x "$go_root/go/bin/go" ] && [ "$(cat "$state/go" 2> /dev/null)" = "$go_sha256" ]; }; then return 0; fi
  work=$(mktemp -d "$go_root/.go.XXXXXX")
  why=$(download "$work/archive" "$work/wget.log") || fail "Go could not be downloaded from $go_url (controller.go.url)" "found: $why"
  actual=$(sha256sum "$work/archive" | cut -d ' ' -f 1)
  assert_hash "archive of Go" controller.go.sha256 "$actual" "$(stat -c %s "$work/archive")"
  why=$(unpack "$work/archive" "$work/files" && "$work/files/go/bin/go" version 2>&1) ||
    fail "the archive from $go_url holds no Go that starts on this host" "found: $(head -n 1 <<< "$why")" "needed: one of https://go.dev/dl for linux-amd64, a tar.gz that has go/bin/go (controller.go.url)"
  if is_there "$go_root/go"; then mv -T "$go_root/go" "$go_root/go.before-$(date -u +%Y%m%dT%H%M%S.%N)"; fi
  mv -T "$work/files/go" "$go_root/go"
  rm -rf "$work"
  mark go "$go_sha256"
  say "Go installed in $go_root/go: $("$go_root/go/bin/go" version 2>&1 | head -n 1), sha256 $actual"
}

# go_shortfall: prints why the node can't be built (found, tab, needed); nothing if it can be built, or that is unknown.
go_shortfall() {
  local wanted used
  wanted=$(source_text go.mod 's/^go ([0-9.]+).*/\1/p')
  used=$(go_used)
  # Go from 1.21 on fetches the version that go.mod names.
  if [ -z "$wanted" ] || is_first "$wanted" "${used% *}" || [[ $used == *" auto" ]]; then return 0; fi
  printf 'Go %s, and go.mod of %s wants %s\tGo %s or newer: %s, with its sha256 (https://go.dev/dl shows both)\n' "${used% *}" "$node_source" "$wanted" "$wanted" "$(config_set controller.go.url URL)"
}
# go_used: prints the version of the Go for the build; with "auto" behind it if that downloads newer versions by itself.
go_used() {
  local said=
  if [ -n "$go_url" ] && [[ $go_url =~ go([0-9]+\.[0-9]+(\.[0-9]+)?)[.-] ]]; then said=${BASH_REMATCH[1]}
  elif [ -x "$go_root/go/bin/go" ]; then said=$("$go_root/go/bin/go" version | sed -nE 's/^go version go([0-9.]+).*/\1/p') || true
  fi
  said=${said:-$go_of_controller}
  if is_first 1.21 "$said" && { [ ! -x "$go_root/go/bin/go" ] || [ "$("$go_root/go/bin/go" env GOTOOLCHAIN)" = auto ]; }; then said+=" auto"; fi
  say "$said"
}
# is_first ONE OTHER: true if ONE is the lower of two version numbers, or they are equal.
is_first() { [ "$(printf '%s\n' "$1" "$2" | sort -V | head -n 1)" = "$1" ]; }

# is_older VERSION LEAST: true if a node's version is older than a release. core/chain/versions.ts has the rule.
is_older() {
  [[ $1 =~ ^v?([0-9]+\.[0-9]+\.[0-9]+)(.*)$ ]] || return 0
  [ "${BASH_REMATCH[1]}" = "${2#v}" ] || { is_first "${BASH_REMATCH[1]}" "${2#v}"; return; }
  case " $release_suffixes " in *" ${BASH_REMATCH[2]} "*) return 1 ;; esac
}
# source_text FILE SED: prints the first match in a file of the node's source, as Deploy would build it; nothing if that is unknown.
source_text() { [ -z "$node_source" ] || text_at "$node_source/raw/HEAD/$1" | sed -nE "$2" | head -n 1 || true; }
text_at() {
  take_proxy
  if has curl; then curl -q -fsSL --connect-timeout 10 --max-time 20 "$1" 2> /dev/null
  elif has wget; then wget --no-config -qO- --tries=1 --timeout=15 "$1" 2> /dev/null
  else return 1; fi
}
