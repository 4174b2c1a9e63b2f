# First change on the host: marks it as this stack's, and keeps upgrades and other programs from disturbing the node.
mkdir -p "$state" "$logs"
chmod 700 "$state" "$logs"
is_marked stack || mark stack "$stack_identity"

# Done before anything can restart the node: the hourly restart, the controller, a reboot.
let_node_end

# An outgoing connection that happens to hold 35997 makes the node exit at start.
install_file /etc/sysctl.d/90-pillar-host.conf "# Kept from outgoing connections: the node and the orchestrator listen there (pillar-host).
net.ipv4.ip_local_reserved_ports = $reserved_ports"
[ "$(sysctl -n net.ipv4.ip_local_reserved_ports)" = "$reserved_ports" ] || sysctl -q -p /etc/sysctl.d/90-pillar-host.conf || true
[ "$(sysctl -n net.ipv4.ip_local_reserved_ports)" = "$reserved_ports" ] ||
  fail "the ports of the node could not be reserved" "found: net.ipv4.ip_local_reserved_ports = $(sysctl -n net.ipv4.ip_local_reserved_ports)" "needed: $reserved_ports"

install_file /etc/needrestart/conf.d/90-pillar-host.conf "# The node and the orchestrator are restarted by their operator only (pillar-host).
\$nrconf{override_rc}{qr(^${service//./\\.}\\.service\$)} = 0;
\$nrconf{override_rc}{qr(^${orchestrator_service//./\\.}\\.service\$)} = 0;"
install_file /etc/apt/apt.conf.d/90pillar-host "// A Pillar reboots when its operator says so (pillar-host).
Unattended-Upgrade::Automatic-Reboot \"false\";"
say "ports $reserved_ports reserved"

# Reads back what is in force: a later file may override each of these.
overriding() { grep -lsE "^[^/#]*$1" "${@:2}" | grep -vE "/90-?pillar-host" | paste -sd ' ' || true; }
later=$(systemd-analyze cat-config sysctl.d 2> /dev/null | awk '/^# \// { file = $2 } /^[ -]*net[./]ipv4[./]ip_local_reserved_ports *=/ { last = file } END { print last }')
[[ $later == *pillar-host* ]] || [ -z "$later" ] || warn "from the next boot on, the ports $reserved_ports are not reserved, and a connection that holds one keeps the node from its start. Remove net.ipv4.ip_local_reserved_ports in: $later"
reboots=$(apt-config dump 2> /dev/null | sed -nE 's/^Unattended-Upgrade::Automatic-Reboot "(.*)";$/\1/p' | tail -n 1)
case ${reboots,,} in
  "" | false | no | off | 0 | without | disable) say "automatic upgrades do not reboot" ;;
  *) warn "automatic upgrades may reboot this host, and a reboot misses momentums: Automatic-Reboot is \"$reboots\" (apt-config dump). Set it to \"false\" in: $(overriding 'Automatic-Reboot"? ' /etc/apt/apt.conf.d/* /etc/apt/apt.conf)" ;;
esac
if [ -e /etc/needrestart/needrestart.conf ]; then
  restarts=$(perl -e 'our %nrconf; open STDOUT, ">&", \*STDERR; do "/etc/needrestart/needrestart.conf" or exit 1; my $of = $nrconf{override_rc};
    exit(grep({ my $unit = $_; grep { $of->{$_} && $unit =~ /$_/ } keys %$of } @ARGV) ? 3 : 0)' "$service.service" "$orchestrator_service.service" 2> /dev/null; say $?)
  case $restarts in
    0) say "needrestart does not restart the node" ;;
    *) warn "needrestart may restart the node or the orchestrator after an upgrade. Remove what names their services in: $(overriding override_rc /etc/needrestart/conf.d/* /etc/needrestart/needrestart.conf)" ;;
  esac
fi
unmask_node
