import { expect, test } from "vitest";
import { askAboutName, describeUnknownName, findNearestNames } from "../../../core/registration/askAboutName.ts";
import { closedPort, fakeNode, synced, use } from "../chain/fakes.ts";

const registered = ["Anvil", "Forge", "Anvil-2", "Bellows"];
const pillars: Record<string, unknown> = {
  "embedded.pillar.getByName": (name: string) =>
    registered.includes(name) ? { name, producerAddress: "z1qo", withdrawAddress: "z1qw" } : null,
  "embedded.pillar.getAll": { count: registered.length, list: registered.map((name) => ({ name })) },
};
const start = async (results: Record<string, unknown>) => {
  const { port } = await use(fakeNode({ ...synced(2752), ...pillars, ...results }));
  return `http://127.0.0.1:${port}`;
};
const nobody = { "embedded.pillar.getByName": null };

test("a name is known if one node knows it, and otherwise unknown, with the nearest names and the height", async () => {
  const [good, other] = [await start({}), await start(nobody)];
  expect(await askAboutName("Anvil", { references: [other, good] })).toEqual({ kind: "known" });
  const unknown = await askAboutName("Anvill", { references: [good] });
  expect(unknown).toEqual({
    kind: "unknown",
    by: [`reference ${good}`],
    height: 2752,
    nearest: ["Anvil", "Anvil-2"],
  });
  if (unknown.kind !== "unknown") throw new Error();
  expect(describeUnknownName({ stack: "prod-2", pillar: { name: "Anvill" } }, unknown)).toEqual({
    what: `no Pillar "Anvill" on the chain of reference ${good} (height 2752)`,
    found: "its nearest names: Anvil, Anvil-2",
    needed: "use the name as the wallet shows it under Pillars; upper and lower case count",
    next: "pulumi config set --type string --path pillar-host:pillar.name Anvil -s prod-2 && pulumi up -s prod-2",
  });
});

test("a node that is behind, silent, or does not offer the method proves nothing", async () => {
  const timestamp = Math.floor(Date.now() / 1000) - 3600;
  const newest = { height: 9, timestamp, hash: "ab", producer: "z1q" };
  const late = await start({ ...nobody, "ledger.getFrontierMomentum": newest });
  const down = `http://127.0.0.1:${await closedPort()}`;
  const mute = await start({ "embedded.pillar.getByName": undefined });
  const answer = await askAboutName("Anvil", { references: [late, down, mute] });
  expect(answer).toEqual({ kind: "unasked", why: expect.stringContaining("it is behind: its newest momentum, 9,") });
  expect(answer).toEqual({ kind: "unasked", why: expect.stringContaining(`reference ${down}: ECONNREFUSED`) });
  expect(answer).toEqual({ kind: "unasked", why: expect.stringContaining("embedded.pillar.getByName does not exist") });
  expect(await askAboutName("Anvil", { references: [] })).toEqual({
    kind: "unasked",
    why: "no reference is configured",
  });
});

test("a node without a list of Pillars leaves the nearest names out", async () => {
  const url = await start({ "embedded.pillar.getAll": undefined });
  const answer = await askAboutName("Anvill", { references: [url] });
  expect(answer).toMatchObject({ kind: "unknown", nearest: [] });
  if (answer.kind !== "unknown") throw new Error();
  const { found, next } = describeUnknownName({ stack: "prod-2", pillar: { name: "Anvill" } }, answer);
  expect(found).toBe("no registered name is similar");
  expect(next).toContain("pillar-host:pillar.name NAME -s prod-2");
});

test.each<[string, string[]]>([
  ["anvil", ["Anvil", "Anvils"]],
  ["Anvi", ["Anvil", "Anvils"]],
  ["Avnil", ["Anvil"]],
  ["ANVIL", ["Anvil", "Anvils"]],
  ["forge-one", ["Forge-One", "Forge.One", "Forge1One"]],
  ["Z", []],
])("the nearest names of %s are %j", (name, nearest) => {
  const names = ["Anvils", "Anvil", "Forge.One", "Forge1One", "Forge_Ones", "Forge-One", "Bellows"];
  expect(findNearestNames(name, names)).toEqual(nearest);
});
