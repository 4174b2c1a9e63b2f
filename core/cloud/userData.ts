/** Builds cloud-init's input, a secret: host key, logins with keys only, security upgrades. JSON is valid YAML. */
export function renderUserData({
  privateKey,
  publicKey,
}: Readonly<Record<"privateKey" | "publicKey", string>>): string {
  const files = {
    // Names the only key, because an upgrade of sshd makes host keys of other kinds. `ssh_pwauth` leaves PAM's prompts on.
    "/etc/ssh/sshd_config.d/10-pillar-host.conf":
      "HostKey /etc/ssh/ssh_host_ed25519_key\nKbdInteractiveAuthentication no\n",
    "/etc/apt/apt.conf.d/20auto-upgrades":
      'APT::Periodic::Update-Package-Lists "1";\nAPT::Periodic::Unattended-Upgrade "1";\n',
    "/etc/apt/apt.conf.d/90pillar-host":
      '// A Pillar reboots when its operator says so (pillar-host).\nUnattended-Upgrade::Automatic-Reboot "false";\n',
  };
  const config = {
    ssh_deletekeys: true,
    ssh_keys: { ed25519_private: privateKey, ed25519_public: publicKey },
    ssh_pwauth: false,
    disable_root: false,
    write_files: Object.entries(files).map(([path, content]) => ({ path, content })),
  };
  return `#cloud-config\n${JSON.stringify(config, null, 2)}\n`;
}
