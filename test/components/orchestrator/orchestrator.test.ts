import * as pulumi from "@pulumi/pulumi";
import { expect, test } from "vitest";
import type { Host } from "../../../components/host/host.ts";
import { createLogin } from "../../../components/login.ts";
import { Orchestrator } from "../../../components/orchestrator/orchestrator.ts";
import { createMoveInputs, createSecureOptions } from "../../../core/orchestrator/hosts/moveInputs.ts";
import { configOf } from "../exampleConfig.ts";
import { concealed, registeredBy, revealed } from "../fakeEngine.ts";

const config = configOf({
  ssh: { password: "hunter2-new", sudoPassword: "hunter2-sudo" },
  sync: { references: ["https://node.example/hunter2-key"] },
  oldHost: {
    address: "198.51.100.9",
    hostKey: "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIOMqqnkVzrm0SdG6UOoqKLsabgH5C9okWi0dh2l9GKJl",
    password: "hunter2-old",
    orchestrator: { service: "signer" },
  },
  orchestrator: { move: true },
});
const access = { ...createLogin(config), address: "203.0.113.7", hostKey: "ssh-ed25519 BBBB" };
const host = { config, access } as Host;
class Node extends pulumi.ComponentResource {
  constructor() {
    super("pillar-host:node:PillarNode", "node", {});
  }
}

const register = () => registeredBy(() => new Orchestrator("orchestrator", { host, after: [new Node()] }));

test("registers backup, installation, bulk copy and move in this order, without a login in the state", async () => {
  const all = (await register()).filter(({ parent }) => parent === "orchestrator");
  expect(all.map(({ name, after }) => [name, after])).toEqual([
    ["orchestrator-backup", []],
    ["orchestrator-install", ["orchestrator-backup"]],
    ["orchestrator-bulk-copy", ["orchestrator-install"]],
    ["orchestrator-move", ["orchestrator-bulk-copy"]],
  ]);
  for (const { inputs } of all) expect(JSON.stringify(concealed(inputs))).not.toMatch(/hunter2/);
  expect(JSON.stringify(revealed(all))).not.toMatch(/hunter2-old/);
});

test("gives the move both hosts, each with its own paths and login", async () => {
  const registered = (await register()).find(({ name }) => name === "orchestrator-move");
  const known = { stack: "prod", address: "203.0.113.7", hostKey: "ssh-ed25519 BBBB" };
  expect(registered?.inputs).toMatchObject({
    ...known,
    rollback: false,
    options: JSON.parse(JSON.stringify(createSecureOptions(config))),
  });
  const to = { address: "203.0.113.7" };
  expect(createMoveInputs(config, to.address, known.hostKey)).toMatchObject({
    move: { project: "pillar-host", stack: "prod", pillar: "Anvil", attempt: 1 },
    stack: "prod",
    pillar: "Anvil",
    rollback: false,
    old: { service: "signer", host: { ssh: { address: "198.51.100.9", user: "root", password: "hunter2-old" } } },
    new: { service: "orchestrator", host: { ssh: { ...to, password: "hunter2-new" }, sudoPassword: "hunter2-sudo" } },
    copyAddress: "198.51.100.9",
    sshPort: 22,
    node: { via: "ssh", address: "127.0.0.1", port: 35997, ssh: to },
  });
});

test("runs the bulk copy on the new host, and again only for another move", async () => {
  const copy = async (attempt: number) => {
    const { orchestrator, ...rest } = config;
    const of = { ...rest, orchestrator: { ...orchestrator, attempt } };
    const other = { ...host, config: of };
    const all = await registeredBy(() => new Orchestrator("orchestrator", { host: other, after: [new Node()] }));
    const { triggers, ...inputs } = all.find(({ name }) => name === "orchestrator-bulk-copy")?.inputs ?? {};
    return { triggers, inputs: revealed(inputs) };
  };
  const [first, second] = [await copy(1), await copy(2)];
  const stdin = expect.stringContaining("copy_receive");
  expect(first.inputs).toMatchObject({ connection: { host: "203.0.113.7" }, stdin });
  expect(JSON.stringify(first.inputs)).not.toMatch(/hunter2-old/);
  expect(second.inputs).toEqual(first.inputs);
  expect([first.triggers, second.triggers]).toEqual([["pillar-host/prod/Anvil/1"], ["pillar-host/prod/Anvil/2"]]);
});
