# configured_address: the producer address in the node's configuration; nothing where there is none. The password beside
# it may hold braces; a quote in it is escaped.
configured_address() {
  [ -r "$data_dir/config.json" ] || return 0
  tr -d '\n' < "$data_dir/config.json" | sed -nE 's/.*"Producer"[[:space:]]*:[[:space:]]*\{(.*)/\1/p' |
    { grep -oE '"Address"[[:space:]]*:[[:space:]]*"[^"]*"' || true; } | sed -nE '1s/.*"([^"]*)"$/\1/p'
}
