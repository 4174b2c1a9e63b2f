# Prints a tar archive of what the manifest of $base and $paths tells, in the same words. Files that change or vanish
# meanwhile are no failure here: who reads it compares every file with the manifest.
signer_archive() {
  local code=0
  signer_work
  signer_find -print0 > "$work/list" 2> "$work/said" || signer_only_gone "$work/said"
  cd -- "$base"
  tar --create --format=gnu --numeric-owner --hard-dereference --no-recursion --ignore-failed-read \
    --null --verbatim-files-from --files-from="$work/list" 2> "$work/said" || code=$?
  # 1: a file changed meanwhile.
  [ "$code" -le 1 ] || fail "tar ended with $code" "$(head -n 5 "$work/said")"
}

# Prints a file, for who reads it over this connection and shows none of it.
signer_read() {
  [ -f "$file" ] || exit 66
  cat -- "$file"
}

# signer_receive: takes a $piece of a backup's archive for $receive_into, in base64, behind its first $offset bytes.
signer_receive() {
  local file=$state/restored.tar place
  signer_owned
  signer_current
  if [ "$offset" -eq 0 ]; then
    # The archive and what is in it, perhaps on another disk; the node of this host needs the last of the room.
    (umask 077; : > "$file")
    for place in "$state" "$receive_into"; do
      [ "$(df -B1 --output=avail -- "$place" | tail -n 1)" -gt $((bytes * 2 + 268435456)) ] ||
        fail "the disk has no room for the backup" "needed: room for $((bytes * 2 / 1000000 + 268)) MB; see it with: df -h $place"
    done
  fi
  [ "$(stat -c %s "$file")" -eq "$offset" ] || fail "the backup arrives in pieces, and one is missing" "needed: all of them: run $(pulumi_up) again"
  base64 -d <<< "$piece" >> "$file"
}

# Unpacks $inside of the archive into $receive_into, in place of what lies there.
signer_unpack() {
  restored=$state/restored.tar fresh=$receive_into.new
  signer_owned
  signer_current
  trap 'rm -rf -- "$restored" "$fresh"' EXIT
  rm -rf -- "$fresh"
  mkdir -p -m 700 "$fresh"
  tar --extract --same-permissions --same-owner --numeric-owner --delay-directory-restore -C "$fresh" -f "$restored" -- "./$inside"
  copy_keep_shares
  rm -rf -- "$receive_into"
  mv -T "$fresh/$inside" "$receive_into"
  copy_only_inward
  copy_drop_shares
}
