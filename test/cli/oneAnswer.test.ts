import { expect, test } from "vitest";
import { checkReferences } from "../../cli/check/check.ts";
import { parseState } from "../../cli/pulumi/stackState.ts";
import { openHostReader } from "../../cli/status/hostReader.ts";
import { readParts } from "../../cli/status/parts/readParts.ts";
import { createHostReader } from "../../components/node/nodeReading.ts";
import { createSettings } from "../../core/journey/stackFacts.ts";
import { configOf } from "../components/exampleConfig.ts";
import { fakeNode, idCall, sshHost, synced, use } from "../core/chain/fakes.ts";
import { scratchDirectory } from "../scratchDirectory.ts";

const directory = scratchDirectory();
const [ours, other] = ["z1qzlytaqdahg5t02nz5096frflfv7dm3y8yxmg7", "z1qqaswvt0e3cc5sm7lygkyza9ra63cr8e6zre09"];

/** Starts a node that hides its id, as public nodes may, so that only its address shows which one it is. */
const nodeAt = (address: string, producerAddress: string) => {
  const pillar = { name: "Anvil", producerAddress, withdrawAddress: producerAddress };
  return use(fakeNode({ ...synced(), "embedded.pillar.getByName": pillar, [idCall]: undefined }, address));
};

test("up, status and check leave out a second name of this host's node, so it does not outvote an honest node", async () => {
  const host = await use(sshHost(() => false));
  const [own, honest] = [await nodeAt("127.0.0.1", ours), await nodeAt("127.0.0.2", other)];
  const references = [`http://localhost:${own.port}`, `http://127.0.0.2:${honest.port}`];
  const { hostKey } = host;
  const address = "127.0.0.1";
  const config = configOf({
    host: { provider: "existing", address, hostKey },
    ssh: { password: "login-pw", port: host.port },
    node: { rpc: "direct", rpcPort: own.port },
    sync: { references },
    orchestrator: { backup: { directory: directory() } },
  });
  const unknown = { kind: "unknown", why: expect.stringContaining("the nodes contradict each other") };
  const left = `reference ${references[0]} is left out: it is this host itself`;

  const { agreement } = await createHostReader(config, { finished: false })(address, hostKey);
  expect(await agreement).toMatchObject({ ...unknown, notes: [left] });

  const run = {
    type: "pulumi:pulumi:Stack",
    urn: "s",
    outputs: { __run: { nextStep: [], producerAddress: ours } },
  };
  const state = parseState(JSON.stringify({ deployment: { resources: [run] } }));
  const facts = {
    stack: "prod",
    pillar: "Anvil",
    lifecycle: config.lifecycle,
    settings: createSettings(config),
    state,
  };
  const source = {
    stack: "prod",
    config,
    state,
    facts,
    address,
    hostKey,
    readLocks: async () => undefined,
    readOld: async () => undefined,
  };
  const reader = openHostReader(source);
  const { registration } = await readParts(source, reader).finally(reader.close);
  expect(registration).toMatchObject({ value: { ...unknown, notes: [left] } });

  const [row] = await checkReferences(source);
  expect(row).toMatchObject({ topic: "references", lines: expect.arrayContaining([left]) });
});
