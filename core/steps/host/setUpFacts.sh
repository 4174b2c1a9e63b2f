# Prints the names of this stack's markers on this host, `syncedAt` with the time of that mark, and `unit` if it has the node's unit.
ls -A "$state" 2> /dev/null || true
[ ! -e "$state/synced" ] || fact syncedAt "$(head -n 1 "$state/synced")"
[ -z "$(systemctl list-unit-files --no-legend "$service.service" 2> /dev/null)" ] || say unit
