# Prints the names of this stack's markers on this host, and `unit` if it has the node's unit.
ls -A "$state" 2> /dev/null || true
[ -z "$(systemctl list-unit-files --no-legend "$service.service" 2> /dev/null)" ] || say unit
