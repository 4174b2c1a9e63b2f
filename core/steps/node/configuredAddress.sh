# configured_address: prints the producer address in the node's configuration; nothing if there is none. The password beside
# it may have braces, and quotes only with a backslash.
configured_address() {
  [ -r "$data_dir/config.json" ] || return 0
  tr -d '\n' < "$data_dir/config.json" | sed -nE 's/.*"Producer"[[:space:]]*:[[:space:]]*\{(.*)/\1/p' |
    { grep -oE '"Address"[[:space:]]*:[[:space:]]*"[^"]*"' || true; } | sed -nE '1s/.*"([^"]*)"$/\1/p'
}
