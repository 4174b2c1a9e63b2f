import { expect, test } from "vitest";
import { checkHost, checkOldHost } from "../../../cli/check/checkHost.ts";
import type { StackInfo } from "../../../cli/status/openStack.ts";
import { configOf } from "../../components/exampleConfig.ts";
import { closedPort, fakeNode, type SshHost, sshHost, synced, use } from "../../core/chain/fakes.ts";

const otherKey = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIFGSBtGbUCwrGN7Gq8VzKQVWmBcQTTWqvSAZ8qkzNQVS";
const strict = { forbidsForwarding: true };
const start = (sshd: { readonly forbidsForwarding?: boolean } = {}) =>
  use(sshHost(undefined, undefined, undefined, sshd));

/** Returns an adopted or active stack of a host, with an old host at the same address. */
const stackOf = ({ port, hostKey }: SshHost, changes: object) => {
  const ssh = { user: "op", password: "login-pw", port };
  const host = { provider: "existing", address: "127.0.0.1", hostKey };
  const config = configOf({ host, ssh, ...changes });
  return { stack: "prod", config, state: {}, address: "127.0.0.1", hostKey } as unknown as StackInfo;
};
const oldHost = ({ port, hostKey }: { port: number; hostKey: string }, changes: object = {}) => ({
  oldHost: { address: "localhost", hostKey, port, ...changes },
});

test("check finds that the host's sshd forbids to forward", async () => {
  const [row, ...more] = await checkHost(stackOf(await start(strict), { lifecycle: "adopted" }));
  expect([row?.kind, row?.lines[0], more]).toEqual([
    "fault",
    "127.0.0.1: its sshd forbids forwarding to 127.0.0.1:35997 for op",
    [],
  ]);
  const direct = await checkHost(stackOf(await start(strict), { lifecycle: "adopted", node: { rpc: "direct" } }));
  expect(direct).toMatchObject([{ kind: "good" }]);
});

test("check tries the old host: its login, and the ports of its node and orchestrator", async () => {
  const host = await start();
  const node = await use(fakeNode(synced()));
  const found = async (changes: object) =>
    (await checkOldHost(stackOf(host, changes))).map(({ kind, lines }) => `${kind}: ${lines[0]}`);
  expect(await found({})).toEqual([]);
  expect(await found(oldHost(await start(), { rpcPort: node.port }))).toEqual([
    "good: it accepts the login, and forwards to what runs there",
  ]);
  expect(await found(oldHost(await start(strict), { rpcPort: node.port }))).toEqual([
    `fault: localhost: its sshd forbids forwarding to 127.0.0.1:${node.port} for op`,
  ]);
  const refused = oldHost(await start(), { password: "hunter2" });
  expect(await found(refused)).toEqual([expect.stringMatching(/^fault: op@localhost:\d+ refuses the login$/)]);
  expect((await checkOldHost(stackOf(host, refused)))[0]?.lines.join("\n")).toContain("(pillar-host:oldHost)");
  const silent = oldHost({ port: await closedPort(), hostKey: otherKey });
  expect(await found(silent)).toEqual([expect.stringMatching(/^later: .*ECONNREFUSED/)]);
});
