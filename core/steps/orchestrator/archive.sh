# Prints a tar archive of the files that the manifest of $base and $paths lists. Files that change or vanish meanwhile are
# no failure here, because the reader compares every file with the manifest.
orchestrator_archive() {
  local code=0
  make_work
  orchestrator_find -print0 > "$work/list" 2> "$work/said" || orchestrator_only_gone "$work/said"
  cd -- "$base"
  tar --create --format=gnu --numeric-owner --hard-dereference --no-recursion --ignore-failed-read \
    --null --verbatim-files-from --files-from="$work/list" 2> "$work/said" || code=$?
  # tar ends with 1 if a file changed meanwhile.
  [ "$code" -le 1 ] || fail "tar ended with $code" "$(head -n 5 "$work/said")"
}

# Prints a file, which may hold secrets: the caller must not show it.
orchestrator_read() {
  [ -f "$file" ] || exit 66
  cat -- "$file"
}

# orchestrator_receive: appends a $piece of a backup's encrypted archive, in base64, to the $offset bytes that came before.
orchestrator_receive() {
  local file=$state/restored place
  orchestrator_begin
  if [ "$offset" -eq 0 ]; then
    has openssl || fail "openssl is missing on this host" "needed: install it: apt-get install openssl"
    # Room for the archive and its content, which may be on another disk, and 256 MB more for the node of this host.
    (umask 077; : > "$file")
    for place in "$state" "$receive_into"; do
      [ "$(df -B1 --output=avail -- "$place" | tail -n 1)" -gt $((bytes * 2 + 268435456)) ] ||
        fail "the disk has no room for the backup" "needed: room for $((bytes * 2 / 1000000 + 268)) MB; see it with: df -h $place"
    done
  fi
  [ "$(stat -c %s "$file")" -eq "$offset" ] || fail "the backup arrives in pieces, and one is missing" "needed: all of them: run $(pulumi_up) again"
  base64 -d <<< "$piece" >> "$file"
}

# Decrypts the archive with $archive_key, and unpacks its folder $inside as $receive_into, which it replaces.
orchestrator_unpack() {
  restored=$state/restored fresh=$receive_into.new
  orchestrator_begin
  trap 'rm -rf -- "$restored" "$fresh"' EXIT
  rm -rf -- "$fresh"
  mkdir -p -m 700 "$fresh"
  openssl enc -d -aes-256-ctr -pbkdf2 -pass fd:3 -in "$restored" 3<<< "$archive_key" |
    tar --extract --same-permissions --same-owner --numeric-owner --delay-directory-restore -C "$fresh" -f - -- "./$inside"
  copy_keep_shares
  rm -rf -- "$receive_into"
  mv -T "$fresh/$inside" "$receive_into"
  copy_only_inward
  copy_drop_shares
}
