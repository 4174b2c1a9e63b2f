import { expect, onTestFinished, test } from "vitest";
import { connectSsh } from "../../../core/ssh/ssh";
import { findSshdFaults, findSshdTrialFault, parseSshd } from "../../../core/ssh/sshdFaults";
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

async function open(sshd: Parameters<typeof sshHost>[3]) {
  const session = await connectSsh(loginTo(await use(sshHost(undefined, undefined, undefined, sshd))));
  onTestFinished(() => session.close());
  return session;
}

/** Tries a host with this sshd; the RPC's port has no listener. */
async function tried(sshd: Parameters<typeof sshHost>[3], asksRpc = true) {
  const session = await open(sshd);
  const rpc = asksRpc ? { address: "127.0.0.1", port: 1 } : undefined;
  const fault = await findSshdTrialFault(session, { address: "203.0.113.7" }, rpc);
  return fault?.split("\n");
}

const reload =
  "  After a change to sshd_config, reload sshd on the host: systemctl reload ssh. Then run the same command again.";

test("finds nothing in an sshd that allows all, even before a node listens, or forbids what a direct RPC does not need", async () => {
  expect(await tried({})).toBeUndefined();
  expect(await tried({ forbidsForwarding: true }, false)).toBeUndefined();
});

test("names a forbidden forwarding, with the settings that may forbid it", async () => {
  expect(await tried({ forbidsForwarding: true })).toEqual([
    "203.0.113.7: its sshd forbids the forwarding to the node's RPC",
    expect.stringMatching(/^ {2}found: /),
    "  needed: set AllowTcpForwarding local, DisableForwarding no and PermitOpen any (or 127.0.0.1:1) in sshd_config, and neither restrict nor no-port-forwarding before the key in authorized_keys",
    reload,
  ]);
});

test.each([0, 1, 3])("names %i sessions at once as too few", async (maxSessions) => {
  expect(await tried({ maxSessions })).toEqual([
    `203.0.113.7: its sshd allows ${maxSessions} commands at once over one connection`,
    expect.stringMatching(/^ {2}found: /),
    "  needed: set MaxSessions 10 in sshd_config",
    reload,
  ]);
});

test("reports that sshd forbids the forwarding, not that the node is down", async () => {
  const session = await open({ forbidsForwarding: true });
  await expect(session.forward("127.0.0.1", 1)).rejects.toThrow(
    "127.0.0.1:1 on the host: its sshd forbids forwarding (AllowTcpForwarding, DisableForwarding, PermitOpen)",
  );
});
