# configured_address: the producer address in the node's configuration; nothing where there is none.
configured_address() {
  [ -r "$data_dir/config.json" ] || return 0
  tr -d '\n' < "$data_dir/config.json" | sed -nE 's/.*"Producer"[[:space:]]*:[[:space:]]*\{([^}]*)\}.*/\1/p' |
    sed -nE 's/.*"Address"[[:space:]]*:[[:space:]]*"([^"]*)".*/\1/p'
}
