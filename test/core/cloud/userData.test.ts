import { expect, test } from "vitest";
import { parse } from "yaml";
import { renderUserData } from "../../../core/cloud/userData";

const key = {
  privateKey: "-----BEGIN OPENSSH PRIVATE KEY-----\nb3Blbn\n-----END OPENSSH PRIVATE KEY-----\n",
  publicKey: "ssh-ed25519 AAAA",
};

test("gives cloud-init one host key, logins by key only, and upgrades without a reboot", () => {
  const text = renderUserData(key);
  expect(text.split("\n")[0]).toBe("#cloud-config");
  expect(parse(text)).toEqual({
    ssh_deletekeys: true,
    ssh_keys: { ed25519_private: key.privateKey, ed25519_public: key.publicKey },
    ssh_pwauth: false,
    disable_root: false,
    write_files: [
      { path: "/etc/ssh/sshd_config.d/10-pillar-host.conf", content: "HostKey /etc/ssh/ssh_host_ed25519_key\n" },
      {
        path: "/etc/apt/apt.conf.d/20auto-upgrades",
        content: 'APT::Periodic::Update-Package-Lists "1";\nAPT::Periodic::Unattended-Upgrade "1";\n',
      },
      {
        path: "/etc/apt/apt.conf.d/90pillar-host",
        content:
          '// A Pillar reboots when its operator says so (pillar-host).\nUnattended-Upgrade::Automatic-Reboot "false";\n',
      },
    ],
  });
});
