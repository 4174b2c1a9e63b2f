import { expect, test } from "vitest";
import { checkPillarName } from "../../../cli/check/check.ts";
import { checkNodeVersion } from "../../../cli/check/checkNodeVersion.ts";
import { parseState } from "../../../cli/pulumi/stackState.ts";
import type { StackInfo } from "../../../cli/status/openStack.ts";
import { configOf } from "../../components/exampleConfig.ts";
import { closedPort, fakeNode, synced, use } from "../../core/chain/fakes.ts";
import { scratchDirectory } from "../../scratchDirectory.ts";

const directory = scratchDirectory();
const address = "127.0.0.1";
const hostKey = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIOMqqnkVzrm0SdG6UOoqKLsabgH5C9okWi0dh2l9GKJl";
const pillar = { name: "Anvil", producerAddress: "z1qo", withdrawAddress: "z1qw" };
const startNode = (at = address) =>
  use(
    fakeNode(
      {
        ...synced(2752),
        "embedded.pillar.getByName": (name: string) => (name === "Anvil" ? pillar : null),
        "embedded.pillar.getAll": { count: 1, list: [{ name: "Anvil" }] },
      },
      at,
    ),
  );
/** Returns a stack whose node's RPC is at this port, with these references. */
const stackOf = (
  changes: object,
  port: number,
  references: readonly string[],
  type = "pulumi:pulumi:Stack",
  outputs: object = {},
) => {
  const config = configOf({
    host: { provider: "existing", address, hostKey },
    node: { rpc: "direct", rpcPort: port },
    sync: { references, unverifiedChain: "acknowledged" },
    ...changes,
  });
  const state = parseState(JSON.stringify({ deployment: { resources: [{ type, urn: "s", outputs }] } }));
  return { stack: "prod", config, state, address, hostKey } as unknown as StackInfo;
};

test("check refuses a name that no node knows, and accepts it without a node that can tell", async () => {
  const { port } = await startNode("127.0.0.2");
  const silent = await closedPort();
  const [reference, down] = [`http://127.0.0.2:${port}`, `http://127.0.0.2:${silent}`];
  const misspelt = { pillar: { name: "Anvill" } };
  const [right] = await checkPillarName(stackOf({}, silent, [reference]));
  expect(right).toMatchObject({
    kind: "good",
    lines: ["Anvil is registered"],
  });
  expect(await checkPillarName(stackOf(misspelt, silent, [reference]))).toEqual([
    {
      topic: "Pillar's name",
      kind: "fault",
      lines: [
        `no Pillar "Anvill" on the chain of reference ${reference} (height 2752)`,
        "its nearest names: Anvil",
        "needed: use the name as the wallet shows it under Pillars; upper and lower case count",
        "pulumi config set --type string --path pillar-host:pillar.name Anvil -s prod && pulumi up -s prod",
      ],
    },
  ]);
  const [unasked] = await checkPillarName(stackOf(misspelt, silent, [down]));
  expect(unasked).toMatchObject({
    kind: "later",
    lines: [`no node can say whether it is registered: reference ${down}: ECONNREFUSED`],
  });
  const [none] = await checkPillarName(stackOf(misspelt, silent, []));
  expect(none?.lines).toEqual(["no node can say whether it is registered: no reference is configured"]);
});

test("check accepts a name that the next run corrects, and refuses another one of a registered Pillar", async () => {
  const { port } = await startNode("127.0.0.2");
  const orchestrator = { backup: { directory: directory() } };
  const silent = await closedPort();
  const guarded = async (before: string, after: string, knownProducer: string) => {
    const state = { pillar: before, knownProducer, createdAt: "2026-11-21T14:49:32Z" };
    const changes = { pillar: { name: after }, orchestrator };
    const guard = "pulumi-nodejs:dynamic/pillar-host:RetirementGuard";
    return (await checkPillarName(stackOf(changes, silent, [`http://127.0.0.2:${port}`], guard, state)))[0];
  };
  expect(await guarded("Anvill", "Anvil", "z1qo")).toMatchObject({ kind: "good" });
  expect(await guarded("Anvil", "Anvill", "z1qother")).toMatchObject({
    kind: "fault",
    lines: [/^no Pillar/, /./, /./, /./].map((line) => expect.stringMatching(line)),
  });
  expect(await guarded("Anvil", "Bolt", "z1qo")).toEqual({
    topic: "Pillar's name",
    kind: "fault",
    lines: [
      "pillar-host:pillar.name: this stack's host is that of Anvil; nothing was changed",
      "  found: Bolt",
      "  found: Anvil has this host's address on the chain",
      "  needed: set it back: pulumi config set --type string --path pillar-host:pillar.name Anvil -s prod",
      "  Bolt gets a stack of its own: ./pillar-host init NEW",
    ],
  });
});

test("check asks the node of an adopted host, and that of this host once a run began", async () => {
  const { port } = await startNode();
  const misspelt = { pillar: { name: "Anvill" } };
  const kindOf = async (changes: object, type?: string) =>
    (await checkPillarName(stackOf({ ...misspelt, ...changes }, port, [], type)))[0]?.kind;
  expect(await kindOf({})).toBe("later");
  expect(await kindOf({}, "pulumi-nodejs:dynamic/pillar-host:SyncGate")).toBe("fault");
  expect(await kindOf({ lifecycle: "adopted" })).toBe("fault");
  expect(await kindOf({ lifecycle: "retiring" })).toBe(undefined);
});

test("check says of a node before the first run that it is not installed yet", async () => {
  const port = await closedPort();
  const lineOf = async (type?: string) => (await checkNodeVersion(stackOf({}, port, [], type)))[0]?.lines[0];
  expect(await lineOf()).toBe("the node is not installed yet; the main network requires:");
  expect(await lineOf("pulumi-nodejs:dynamic/pillar-host:SyncGate")).toMatch(/^the node does not answer: /);
});
