import { expect, onTestFinished, test } from "vitest";
import { connectSsh } from "../../../core/ssh/ssh";
import { findSshdFaults, parseSshd } from "../../../core/ssh/sshdFaults";
import { loginTo, sshHost, use } from "../chain/fakes";

/** OpenSSH's output without configuration. */
const defaults = `maxsessions 10
pubkeyauthentication yes
permitrootlogin without-password
allowtcpforwarding yes
disableforwarding no
permitopen any
forcecommand none
authorizedkeysfile .ssh/authorized_keys .ssh/authorized_keys2
authenticationmethods any
pubkeyacceptedalgorithms ssh-ed25519-cert-v01@openssh.com,ssh-ed25519,rsa-sha2-512
`;

/** Returns the faults of sshd's configuration, with these lines instead of the usual ones. */
function faults(lines: string, user = "root") {
  const names = lines.split("\n").map((line) => line.split(" ")[0]);
  const rest = defaults.split("\n").filter((line) => !names.includes(line.split(" ")[0]));
  const settings = parseSshd([...rest, lines, ""].join("\n"), user, "203.0.113.7");
  return settings && findSshdFaults(settings, "127.0.0.1:55000");
}

test("finds nothing in an sshd without configuration", () => {
  expect(faults("")).toEqual([]);
  expect(parseSshd("", "root", "203.0.113.7")).toBeUndefined();
});

test("names a setting with its line, and the needed value", () => {
  expect(faults("maxsessions 2\n/etc/ssh/sshd_config.d/50-x.conf:3:MaxSessions 2")).toEqual([
    { found: "MaxSessions 2, /etc/ssh/sshd_config.d/50-x.conf:3", needed: "set MaxSessions 10" },
  ]);
});

test.each([
  "allowtcpforwarding no",
  "allowtcpforwarding remote",
  "disableforwarding yes",
  "permitopen 127.0.0.1:22",
  "maxsessions 1",
  "forcecommand internal-sftp",
  "pubkeyauthentication no",
  "pubkeyacceptedalgorithms rsa-sha2-512,ecdsa-sha2-nistp256",
  "pubkeyacceptedkeytypes rsa-sha2-512",
  "authorizedkeysfile /etc/ssh/keys/%u",
  "authenticationmethods publickey,keyboard-interactive",
  "permitrootlogin no",
])("finds that %s refuses a move", (line) => {
  expect(faults(line)).toHaveLength(1);
});

test.each([
  ["allowtcpforwarding local", "root"],
  ["permitopen 127.0.0.1:22 127.0.0.1:55000", "root"],
  ["maxsessions 4", "root"],
  ["authorizedkeysfile /etc/ssh/keys/%u %h/.ssh/authorized_keys", "root"],
  ["authenticationmethods publickey,password publickey", "root"],
  ["permitrootlogin no", "op"],
  ["permitrootlogin forced-commands-only", "root"],
])("finds that %s does not refuse a move, for %s", (lines, user) => {
  expect(faults(lines, user)).toEqual([]);
});

test("reports that sshd forbids the forwarding, not that the node is down", async () => {
  const host = await use(sshHost(undefined, undefined, undefined, { forbidsForwarding: true }));
  const session = await connectSsh(loginTo(host));
  onTestFinished(() => session.close());
  await expect(session.forward("127.0.0.1", 1)).rejects.toThrow(
    "127.0.0.1:1 on the host: its sshd forbids forwarding (AllowTcpForwarding, DisableForwarding, PermitOpen)",
  );
});
