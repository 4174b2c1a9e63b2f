# Prints a digest of this host's producer address, to compare it without showing it: nobody may register the address before
# the node is synced. Only reads.
configured=$(configured_address)
[ -z "$configured" ] || printf '%s' "$configured" | sha256sum | cut -d ' ' -f 1
