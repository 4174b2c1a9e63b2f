import { expect, test } from "vitest";
import { parse } from "yaml";
import { renderUserData } from "../../../core/cloud/userData.ts";

test("gives cloud-init one host key, logins by key only, and upgrades without a reboot", () => {
  const privateKey = "-----BEGIN OPENSSH PRIVATE KEY-----\nb3Blbn\n-----END OPENSSH PRIVATE KEY-----\n";
  const text = renderUserData({ privateKey, publicKey: "ssh-ed25519 AAAA" });
  expect(text).toMatch(/^#cloud-config\n/);
  expect(parse(text)).toMatchObject({
    ssh_deletekeys: true,
    ssh_keys: { ed25519_private: privateKey, ed25519_public: "ssh-ed25519 AAAA" },
    ssh_pwauth: false,
    write_files: [
      { content: "HostKey /etc/ssh/ssh_host_ed25519_key\nKbdInteractiveAuthentication no\n" },
      { content: expect.stringContaining('Unattended-Upgrade "1"') },
      { content: expect.stringContaining('Automatic-Reboot "false"') },
    ],
  });
});
