# First change on the host: marks it as this stack's, and keeps upgrades and other programs from disturbing the node.
mkdir -p "$state" "$logs"
chmod 700 "$state" "$logs"
is_marked stack || mark stack "$stack_identity"

# Done before anything can restart the node: the hourly restart, the controller, a reboot.
let_node_end

# An outgoing connection that happens to hold 35997 makes the node exit at start.
install_file /etc/sysctl.d/90-pillar-host.conf "# Kept from outgoing connections: the node and the orchestrator listen there (pillar-host).
net.ipv4.ip_local_reserved_ports = $reserved_ports"
[ "$(sysctl -n net.ipv4.ip_local_reserved_ports)" = "$reserved_ports" ] || sysctl -q -p /etc/sysctl.d/90-pillar-host.conf
[ "$(sysctl -n net.ipv4.ip_local_reserved_ports)" = "$reserved_ports" ] ||
  fail "the ports of the node could not be reserved" "found: net.ipv4.ip_local_reserved_ports = $(sysctl -n net.ipv4.ip_local_reserved_ports)" "needed: $reserved_ports"

install_file /etc/needrestart/conf.d/90-pillar-host.conf "# The node and the orchestrator are restarted by their operator only (pillar-host).
\$nrconf{override_rc}{qr(^${service//./\\.}\\.service\$)} = 0;
\$nrconf{override_rc}{qr(^${orchestrator_service//./\\.}\\.service\$)} = 0;"
install_file /etc/apt/apt.conf.d/90pillar-host "// A Pillar reboots when its operator says so (pillar-host).
Unattended-Upgrade::Automatic-Reboot \"false\";"
say "ports $reserved_ports reserved; automatic upgrades neither restart the node nor reboot"
unmask_node
