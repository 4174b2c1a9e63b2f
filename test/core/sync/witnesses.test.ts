import { expect, test, vi } from "vitest";
import { openReferenceChain } from "../../../core/chain/chain";
import { openReferences } from "../../../core/chain/distinctReferences";
import type { NodeTarget } from "../../../core/chain/node";
import { isAnswered, listLeftOut } from "../../../core/chain/reading";
import { type NodeStatus, prefetch } from "../../../core/sync/nodeStatus";
import { openWitnesses } from "../../../core/sync/witnesses";
import { fakeNode, loginTo, sshHost, synced, use } from "../chain/fakes";
import { block } from "../chain/readings";

/** Starts a host with a node, and returns the target of a lookup. */
async function hostWithNode(): Promise<NodeTarget> {
  const host = await use(sshHost());
  const node = await use(fakeNode(synced()));
  return { ssh: loginTo(host), via: "ssh", address: "127.0.0.1", port: node.port };
}
const noHost = { ssh: { address: "", hostKey: "" } };
const urlOf = ({ port }: { readonly port: number }, host = "127.0.0.1") => `http://${host}:${port}`;

test("a witness counts once under two names", async () => {
  const node = await use(fakeNode(synced()));
  const references = [urlOf(node), `${urlOf(node, "LOCALHOST")}/`, urlOf(node, "[::ffff:127.0.0.1]")];
  const { readings } = await openWitnesses({ references }, noHost).read(undefined);
  expect(readings.map(isAnswered)).toEqual([true, false, false]);
  expect(listLeftOut(readings)).toEqual(
    [urlOf(node, "localhost"), urlOf(node, "[::ffff:7f00:1]")].map(
      (name) => `reference ${name} is left out: it is the same node as ${urlOf(node)}`,
    ),
  );
  expect(node.asked).toHaveLength(1);
});

test("a witness is left out if its name is not resolved", async () => {
  const { readings } = await openWitnesses({ references: ["http://node.invalid:35997"] }, noHost).read(undefined);
  expect(listLeftOut(readings)[0]).toMatch(
    /^reference http:\/\/node\.invalid:35997 is left out: its name is not resolved: (ENOTFOUND|EAI_AGAIN)$/,
  );
});

test("a witness has its name resolved beside the others, since a resolver may hang", async () => {
  const asked: string[] = [];
  const hang = (name: string) => {
    asked.push(name);
    return new Promise<never>(() => undefined);
  };
  void openReferences(["http://a.example:1", "http://b.example:1"], [{ host: "c.example", what: "c" }], hang);
  expect(asked.sort()).toEqual(["a.example", "b.example", "c.example"]);
});

test("a witness is compared by the momentums at each other's heights", async () => {
  const timestamp = Math.floor(Date.now() / 1000);
  const momentum = (height: number) => ({ height, timestamp, hash: `h${height}`, producer: "z1q" });
  const start = async (height: number) =>
    use(
      await fakeNode({
        "ledger.getFrontierMomentum": momentum(height),
        "ledger.getMomentumsByHeight": (from: number) => ({ list: [momentum(from)] }),
      }),
    );
  const [node, low, high] = await Promise.all([1000, 7, 3000].map(start));
  if (!node || !low || !high) throw new Error("no nodes");
  const own = { client: openReferenceChain(urlOf(node)), newest: block(1000) };
  const seen = await openWitnesses({ references: [urlOf(low), urlOf(high)] }, noHost).read(own);
  expect(seen.readings).toMatchObject([{ older: [] }, { older: [block(1000)] }]);
  expect(seen.own).toMatchObject({ newest: own.newest, older: [block(7)] });
  expect(node.asked).toHaveLength(1);
});

test("a witness counts once as old host of a host that does not exist yet", async () => {
  const target = await hostWithNode();
  const witnesses = openWitnesses({ references: [urlOf(target)], witnessHost: target }, noHost);
  const { readings, oldHost } = await witnesses.read(undefined);
  witnesses.close();
  expect(readings).toMatchObject([{ fault: { why: "it is the old host, which the program asks directly" } }]);
  expect(oldHost && isAnswered(oldHost)).toBe(true);
});

test("a witness is never the host itself, on any port or name", async () => {
  const target = await hostWithNode();
  const references = [urlOf(target), urlOf(target, "localhost")];
  const { readings } = await openWitnesses({ references }, target).read(undefined);
  expect(readings).toMatchObject(references.map(() => ({ fault: { why: "it is this host itself" } })));
  const witnessHost = { ...target, ssh: { ...target.ssh, address: "127.0.0.2" } };
  const { oldHost } = await openWitnesses({ references: [], witnessHost }, target).read(undefined);
  expect(oldHost).toMatchObject({ fault: { why: "it has this host's own host key: it is this host itself" } });
});

const seen = (why: string): NodeStatus => ({ synced: true, known: true, why });

test.each([
  [29_999, "early", 1],
  [30_000, "late", 2],
])("a lookup that began early is returned after %i ms: %s", async (age, why, looks) => {
  let time = 0;
  const look = vi.fn<() => Promise<NodeStatus>>();
  look.mockResolvedValueOnce(seen("early")).mockResolvedValueOnce(seen("late"));
  const ahead = prefetch(look, () => time);
  time += age;
  expect((await ahead()).why).toBe(why);
  expect(look).toHaveBeenCalledTimes(looks);
});
