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
