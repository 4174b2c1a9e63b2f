# Prints the name of the producer's key store in $1, which config.json there names.
signer_key_store() {
  local name=
  if [ -r "$1/config.json" ]; then
    name=$(sed -n 's/.*"ProducerKeyFileName"[[:space:]]*:[[:space:]]*"\([^"]*\)".*/\1/p' "$1/config.json" | head -n 1)
  fi
  # It becomes a part of paths and of the journal, and config.json may be another host's.
  if [[ $name == . || $name == .. || ! $name =~ ^[A-Za-z0-9_.@+=,:\ -]*$ ]]; then
    fail "ProducerKeyFileName in $1/config.json is no plain file name" "found: $(tr -cd '[:print:]' <<< "${name:0:100}")" "needed: letters, digits, blanks and _.@+=,:-"
  fi
  printf '%s\n' "${name:-producer}"
}

# The name that a key store has where it is not fenced, of the one that $1 is fenced under.
signer_plain_store() { printf '%s\n' "${1%.moved-to-*}"; }
