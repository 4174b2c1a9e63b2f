import { join } from "node:path";
import { expect, test } from "vitest";
import { createOldHost } from "../../../../core/chain/configuredNode.ts";
import { chooseStore } from "../../../../core/config/stackStore.ts";
import { createMovePaths, createSecureOptions } from "../../../../core/orchestrator/hosts/moveInputs.ts";
import { createRetirementInputs } from "../../../../core/retirement/retirementInputs.ts";
import { createNewHost } from "../../../../core/ssh/configuredLogin.ts";
import { resolveStoreDirectory } from "../../../../core/store/storeDirectory.ts";
import { configOf } from "../../../components/exampleConfig.ts";
import { moveNamed } from "../../../moveNamed.ts";

const hostKey = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIOMqqnkVzrm0SdG6UOoqKLsabgH5C9okWi0dh2l9GKJl";
const address = "198.51.100.9";
const stack = (from: object = {}, changes: object = {}) =>
  configOf({
    ssh: { user: "op", port: 2222, password: "login-pw", sudoPassword: "sudo-pw" },
    oldHost: { address, hostKey, ...from },
    orchestrator: { move: true, ...changes },
  });

const login = { port: 2222, user: "op", password: "login-pw", agent: false };

const root = { user: "root", port: 22, agent: true };
test.each([
  ["defaults to the stack's", {}, { ssh: { ...login, address, hostKey }, sudoPassword: "sudo-pw" }],
  // The stack's sudo password is of the stack's user.
  ["is replaced whole", root, { ssh: { ...root, address, hostKey } }],
])("the old host's login %s", (_what, from, host) => {
  const configured = "pillar-host:oldHost";
  expect(createOldHost(stack(from)).host).toEqual({ stack: "prod", configured, ...host });
  expect(createOldHost(stack({ ...from, password: "other" })).host.ssh.password).toBe("other");
});

test("the proxy defaults to the stack's, and gets no host's password", () => {
  const proxy = { address: "bastion.example", hostKey };
  const ssh = { user: "op", port: 2222, agent: true, password: "login-pw", proxy };
  const through = (from: object) => configOf({ ssh, oldHost: { address, hostKey, ...from } });
  const ours = { address: "bastion.example", port: 22, user: "op", hostKey, agent: true };
  expect(createNewHost(through({}), "203.0.113.7", hostKey).ssh.proxy).toEqual(ours);
  expect(createOldHost(through({ user: "root", password: "other" })).host.ssh.proxy).toEqual(ours);
  const another = { address: "jump.example", hostKey, user: "jump", password: "jump-pw" };
  expect(createOldHost(through({ proxy: another })).host.ssh.proxy).toEqual({ ...another, port: 22 });
});

test("the new host's login is the stack's, and the old host's names default to the new one's", () => {
  const ssh = { ...login, address: "203.0.113.7", hostKey: "ssh-ed25519 K" };
  expect(createNewHost(stack(), ssh.address, ssh.hostKey)).toEqual({ stack: "prod", ssh, sudoPassword: "sudo-pw" });
  expect(createOldHost(stack()).orchestrator).toEqual(createMovePaths(stack()));
  const names = { service: "orch", directory: "/data/.orchestrator", executable: "signer" };
  const places = stack({ orchestrator: names, dataDir: "/data/znn" });
  expect(createOldHost(places).orchestrator).toEqual({ ...names, rpcPort: 55000, nodeDirectory: "/data/znn" });
  expect(createMovePaths(places)).toEqual(createMovePaths(stack()));
});

test("a successor's node and orchestrator are looked for under that host's own names", () => {
  const orchestrator = { service: "signer", directory: "/srv/.orchestrator", executable: "tss" };
  const refOf = (names: object) => {
    const config = configOf({
      retirement: { successor: { address, hostKey, ...names } },
      orchestrator: { service: "orch" },
    });
    return createRetirementInputs(config, { address: "203.0.113.7", hostKey, isOwnServer: false }).successor;
  };
  expect(refOf({})).toMatchObject({ node: { address: "127.0.0.1" }, places: { orchestrator: { service: "orch" } } });
  const own = refOf({ rpcAddress: "10.0.0.2", orchestrator });
  expect(own).toMatchObject({
    node: { address: "10.0.0.2" },
    places: { orchestrator: { ...orchestrator, rpcPort: 55000 } },
  });
  const old = createOldHost(stack({ rpcAddress: "10.0.0.1", rpcPort: 4000 })).node;
  expect([old.address, old.port]).toEqual(["10.0.0.1", 4000]);
});

test("the prerequisites' inputs hold no secret, and name the move with its attempt", () => {
  const options = createSecureOptions(stack({ copyAddress: "10.0.0.9" }, { attempt: 2, noKeyShare: 2 }));
  expect(options).toMatchObject({
    move: moveNamed("pillar-host/prod/Anvil/2"),
    copyAddress: "10.0.0.9",
    sshPort: 2222,
    sshUser: "op",
    hostKey,
    noKeyShare: 2,
    haltedBridge: undefined,
    backups: { directory: "$XDG_DATA_HOME/pillar-host/records/Anvil" },
  });
  expect(JSON.stringify(options)).not.toMatch(/login-pw|sudo-pw/);
  expect(createSecureOptions(stack())).toMatchObject({ copyAddress: address, noKeyShare: undefined });
});

test("backups are stored in the user's data directory, or the configured one", () => {
  const resolve = (config: Parameters<typeof chooseStore>[0]) => resolveStoreDirectory(chooseStore(config));
  expect(resolve(stack())).toBe(join(process.env.XDG_DATA_HOME ?? "", "pillar-host/records/Anvil"));
  expect(resolve(stack({}, { backup: { directory: "/mnt/safe" } }))).toBe("/mnt/safe");
});
