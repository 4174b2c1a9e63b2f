import { expect, test } from "vitest";
import { openChainView } from "../../../core/chain/chainView.ts";
import { listLeftOut, readNode } from "../../../core/chain/reading.ts";
import { fakeNode, synced, use } from "./fakes.ts";

const rows = [{ fromHeight: 1, leastVersion: "v0.0.10", why: "the window", release: "https://r.example" }];
const versions = { mainNetwork: "ab", releases: "https://r.example", source: "https://s.example/node", rows };

test("a view leaves out names of its own hosts and old witnesses, but no host that it is about", async () => {
  const start = async (at: number, hostKey: string, version = "v0.0.8") => {
    const address = `127.0.0.${at}`;
    const { port } = await use(fakeNode({ ...synced(), "stats.processInfo": { version, commit: "" } }, address));
    const target = { ssh: { address, port: 22, user: "op", hostKey }, via: "direct", address, port } as const;
    return { target, url: `http://${address}:${port}` };
  };
  const [own, successor, oldHost] = [await start(1, "k 1"), await start(2, "k 2"), await start(3, "k 3")];
  const [old, good] = [await start(4, ""), await start(5, "", "v0.0.10")];
  const targets = { own: own.target, successor: successor.target, oldHost: oldHost.target };
  const references = [own, successor, oldHost, old, good].map(({ url }) => url);
  const read = (nodes: object) =>
    openChainView({ ...own.target, versions }, { references, ...nodes }).read((client) =>
      readNode(client, async () => ({})),
    );
  const tooOld = "it is v0.0.8; v0.0.10 or newer is required from height 1 on (the window)";
  const all = await read(targets);
  expect(listLeftOut(all, "")).toEqual([
    `the old host's node (127.0.0.3): ${tooOld}`,
    `reference ${own.url}: it is this host itself`,
    `reference ${successor.url}: it is the successor, which the program asks directly`,
    `reference ${oldHost.url}: it is the old host, which the program asks directly`,
    `reference ${old.url}: ${tooOld}`,
  ]);
  expect(all.map((reading) => ("role" in reading ? reading.role : ""))).toEqual(
    "own successor oldHost reference reference reference reference reference".split(" "),
  );
  // A host that is not asked can still be a reference, except the stack's own.
  expect(listLeftOut(await read({}), "").map((text) => text.split(": ")[0])).toEqual(
    [own, successor, oldHost, old].map(({ url }) => `reference ${url}`),
  );
  expect(listLeftOut(await read({}), "")[1]).toContain(tooOld);
});
