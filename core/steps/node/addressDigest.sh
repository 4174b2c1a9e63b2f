# Prints a digest of the producer address, to compare it: nobody may register the address before the node is synced.
configured=$(configured_address)
[ -z "$configured" ] || printf '%s' "$configured" | sha256sum | cut -d ' ' -f 1
