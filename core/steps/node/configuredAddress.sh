# Prints the producer address in the node's configuration, if any. The password beside it may have braces and escaped quotes.
configured_address() {
  [ -r "$data_dir/config.json" ] || return 0
  tr -d '\n' < "$data_dir/config.json" | sed -nE 's/.*"Producer"[[:space:]]*:[[:space:]]*\{(.*)/\1/p' |
    { grep -oE '"Address"[[:space:]]*:[[:space:]]*"[^"]*"' || true; } | sed -nE '1s/.*"([^"]*)"$/\1/p'
}
