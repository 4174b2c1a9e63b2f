import { expect, onTestFinished, test } from "vitest";
import { connectSsh } from "../../../core/ssh/ssh";
import { findSshdTrialFault } from "../../../core/ssh/sshdFaults";
import { loginTo, sshHost, use } from "../chain/fakes";

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
