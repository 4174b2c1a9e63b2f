# Checks the package sources as apt will when it reads their index. Changes nothing.

# package_sources: prints for each source without a good index: own (of the distribution) or foreign, address, what was found.
package_sources() {
  local url work
  work=$(mktemp -d)
  for url in $(apt-get update --print-uris 2> /dev/null | sed -nE "s,^'(https?://[^']*/dists/[^']*/)InRelease'.*,\1,p" | sort -u); do
    source_fault "$url" "$(mktemp "$work/index.XXXXXX")" &
  done
  wait
  rm -rf "$work"
}
source_fault() {
  local of=foreign said until
  if said=$(apt_asks "$1" "$2"); then
    until=$(sed -n 's/^Valid-Until: //p' "$2" | head -n 1)
    if [ -z "$until" ] || [ "$(date -d "$until" +%s)" -ge "$(date +%s)" ] || grep -rqsiE 'check-valid-until"?(=|:)? *"?(no|false|0)' "$apt_etc"; then return 0; fi
    said="it expired: Valid-Until $until"
  fi
  if [[ $1 =~ ^https?://[^/]+/(debian|debian-security|ubuntu)(/packages|/security)?/dists/ ]]; then of=own; fi
  printf '%s\t%s\t%s\n' "$of" "$1" "${said:-no answer}"
}
# apt_asks SOURCE FILE: downloads the index with apt's own program, which knows the proxies, or prints why that failed.
apt_etc=/etc/apt apt_helper=/usr/lib/apt/apt-helper
apt_asks() {
  local name said
  for name in InRelease Release; do
    if said=$("$apt_helper" -o Acquire::Retries=0 -o Acquire::http::Timeout=15 -o Acquire::https::Timeout=15 download-file "$1$name" "$2" 2>&1 > /dev/null); then return 0; fi
  done
  printf '%s\n' "$said" | sed -nE 's/^E: Failed to fetch [^ ]+ +//p' | head -n 1
  return 1
}
