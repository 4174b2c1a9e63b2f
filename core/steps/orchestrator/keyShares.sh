# A key share can lie in the orchestrator's directory, beside it, and beside the journal.

# Prints the names of the key shares of the orchestrator's directory $1.
orchestrator_shares() {
  # A line break in a name would begin another fact. A running orchestrator may remove a file meanwhile.
  find "$1/tss/" -maxdepth 1 -type f -size +0 -name 'localstate-*.json' -printf '%f\0' 2> /dev/null | sort -z | tr '\n\0' '?\n' || true
}

# Prints the key shares that lie beside the orchestrator's directory $1: a copy, a restore or an exchange of directories left them.
orchestrator_shares_beside() {
  local place
  for place in "$1".arriving "$1".arriving.new "$1".before-* "$state/shares"; do
    if [ -d "$place" ]; then find "$place/" -type f -size +0 -name '*localstate-*.json' || fail "$place could not be read"; fi
  done
}

# Keeps the key shares that a copy may replace, beside the journal, under their hashes: a share of an earlier copy may be the
# newest one, if its source was set back since.
copy_keep_shares() {
  local share kept
  for share in "$receive_into"/tss/localstate-*.json; do
    [ -f "$share" ] || continue
    kept=$(copy_kept "$share")
    if [ -e "$kept" ]; then continue; fi
    (
      umask 077
      mkdir -p "${kept%/*}"
      cp -p -- "$share" "$kept.new"
    )
    sync "$kept.new"
    mv -f "$kept.new" "$kept"
  done
}
# Removes the kept shares that the new copy has, too.
copy_drop_shares() {
  local share
  for share in "$receive_into"/tss/localstate-*.json; do
    if [ -f "$share" ]; then rm -f "$(copy_kept "$share")"; fi
  done
  if [ -d "$state/shares" ]; then rmdir --ignore-fail-on-non-empty "$state/shares"; fi
}
copy_kept() {
  local sum
  sum=$(sha256sum < "$1")
  printf '%s/shares/%s-%s\n' "$state" "${sum%% *}" "${1##*/}"
}
