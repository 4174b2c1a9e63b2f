# Prints the name of the producer's key store in $1, which config.json there names.
orchestrator_key_store() {
  local name=
  if [ -r "$1/config.json" ]; then
    name=$(sed -n 's/.*"ProducerKeyFileName"[[:space:]]*:[[:space:]]*"\([^"]*\)".*/\1/p' "$1/config.json" | head -n 1)
  fi
  # The name becomes part of paths and of the journal, and config.json may come from another host.
  if [[ $name == . || $name == .. || ! $name =~ ^[A-Za-z0-9_.@+=,:\ -]*$ ]]; then
    fail "ProducerKeyFileName in $1/config.json is no plain file name" "found: $(tr -cd '[:print:]' <<< "${name:0:100}")" "needed: letters, digits, blanks and _.@+=,:-"
  fi
  printf '%s\n' "${name:-producer}"
}

# Prints the usual name of the key store that is fenced under the name $1.
orchestrator_plain_store() { printf '%s\n' "${1%.moved-to-*}"; }
