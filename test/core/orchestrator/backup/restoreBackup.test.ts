import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type BackupRef, takeBackup } from "../../../../core/orchestrator/backup/backup.ts";
import { compareManifests, readManifest } from "../../../../core/orchestrator/backup/manifest.ts";
import { readBackup, sendBackup } from "../../../../core/orchestrator/backup/restoreBackup.ts";
import { findStaleShare } from "../../../../core/orchestrator/checks/bridgeState.ts";
import { moveNamed } from "../../../moveNamed.ts";
import { scratchDirectory } from "../../../scratchDirectory.ts";
import { type LocalRoot, localRoot } from "../localRoot.ts";

const share = `tss/localstate-${Buffer.alloc(33, 7).toString("hex")}.json`;
let root: LocalRoot;
const directory = scratchDirectory();
let settings: BackupRef;
let file: string;
const at = (name: string) => join(root.scratch, "host/root/.orchestrator", name);
let now = 0;
const deps = { now: () => now++, ticks: () => 0, sleep: async () => undefined, say: () => undefined };
const take = async (paths: readonly string[], base = join(root.scratch, "host")) => {
  const source = { label: "asked", files: { base, paths }, changing: [], isJson: () => false } as const;
  return (await takeBackup(root, source, settings, deps)).file;
};
/** Variables of each call of a move on a host without a journal, with its files in the scratch directory. */
const saga = () => ({
  token: "t",
  journal: "",
  orchestrator_journal: join(root.scratch, "state/orchestrator.json"),
});
const messageOf = (work: Promise<string>) => work.then(String, ({ message }: Error) => message);

beforeEach(async () => {
  now = Date.parse("2026-11-21T18:00:00.123Z");
  root = localRoot();
  settings = { directory: join(directory(), "Anvil"), move: moveNamed("pillar-host/prod/Anvil/1") };
  mkdirSync(at("tss"), { recursive: true, mode: 0o700 });
  mkdirSync(at("events"), { mode: 0o750 });
  writeFileSync(at(share), "{}", { mode: 0o600 });
  writeFileSync(at("config.json"), "{}", { mode: 0o640 });
  // More than one piece.
  writeFileSync(at("events/large"), Buffer.alloc(4_500_000, 5));
  writeFileSync(join(root.scratch, "host/node-key"), "of the node");
  file = await take(["root/.orchestrator", "node-key"]);
});
afterEach(() => root.close());

const bridge = (byte: number) =>
  ({ known: true, state: 0, key: Buffer.alloc(33, byte).toString("base64"), why: "" }) as const;

test("is read whole: the orchestrator's files, and its key share, which must be of the bridge's key", async () => {
  const content = await readBackup(file, settings);
  expect([...content.files.keys()]).toEqual([".", "config.json", "events", "events/large", "tss", share]);
  expect(content).toMatchObject({ host: "local", provedAt: "2026-11-21T18:00:00.124Z", inside: "root/.orchestrator" });
  expect(content.keyShare?.files).toEqual([`root/.orchestrator/${share}`]);
  const none = { noKeyShare: { isGiven: false } };
  expect(findStaleShare(content, bridge(7), none)).toBeUndefined();
  expect(findStaleShare(content, bridge(8), none)?.what).toContain("came after it");
  expect(findStaleShare(content, { known: false, why: "silent" }, none)?.found).toBe("silent");
  expect(findStaleShare({}, bridge(7), none)?.found).toBe("no key share");
  expect(findStaleShare({}, bridge(7), { noKeyShare: { isGiven: true } })).toBeUndefined();
});

test("takes the place of what lies on a host, without the node's files, and keeps a newer share", async () => {
  const staging = join(root.scratch, "arriving");
  mkdirSync(join(staging, "tss"), { recursive: true });
  writeFileSync(join(staging, "tss/localstate-00.json"), "newer");
  await root.call("orchestrator_take_lease", saga());
  const content = await readBackup(file, settings);
  let pieces = 0;
  const archive_key = await sendBackup(file, settings, (offset, piece) => {
    pieces += 1;
    return root.call("orchestrator_receive", { ...saga(), offset, piece, bytes: 4_500_000, receive_into: staging });
  });
  expect(pieces).toBe(2);
  const state = join(root.scratch, "state");
  // A killed run leaves this: nobody has the key.
  const left = readFileSync(join(state, "restored"), "latin1");
  expect([left.startsWith("Salted__"), /ustar|config\.json/.test(left)]).toEqual([true, false]);
  // As an earlier run left it.
  writeFileSync(join(staging, share), "{}");
  await root.call("orchestrator_unpack", { ...saga(), inside: content.inside, archive_key, receive_into: staging });
  expect(compareManifests(content.files, await readManifest(root, { base: staging, paths: ["."] }))).toEqual([]);
  expect(readdirSync(state).filter((name) => name.includes("restored"))).toEqual([]);
  const kept = readdirSync(join(state, "shares")).map((name) => readFileSync(join(state, "shares", name), "utf8"));
  expect(kept).toEqual(["newer"]);
});

test("is refused on a host if a piece is missing, or the disk has no room", async () => {
  await root.call("orchestrator_take_lease", saga());
  const receive = (offset: number, bytes: number, receive_into = root.scratch) =>
    messageOf(root.call("orchestrator_receive", { ...saga(), offset, piece: "AAAA", bytes, receive_into }));
  expect(await receive(0, 1e18)).toContain("the disk has no room for the backup");
  // No disk, so there is no room on it.
  expect(await receive(0, 1, "/proc")).toContain("see it with: df -h /proc");
  expect(await receive(0, 1)).toBe("");
  expect(await receive(4, 1)).toContain("one is missing");
});

test("is refused if it is changed, of another Pillar, a part, or lacks its list or key", async () => {
  const list = file.replace(".tar.age", ".manifest.json");
  const key = `${directory()}/Anvil.age-identity`;
  const read = (place = settings, archive = file) =>
    readBackup(archive, place).then(String, ({ message }: Error) => message);
  const text = readFileSync(list, "utf8");
  writeFileSync(list, text.replace(/"mode": "640"/, '"mode": "644"'));
  expect(await read()).toContain("config.json: mode 640, not 644");
  expect(await read(settings, "/dev/zero")).toContain("the backup can't be restored: /dev/zero");
  writeFileSync(list, text);
  const other = { ...settings, move: moveNamed("pillar-host/prod/Hammer/1"), identityFile: key };
  expect(await read(other)).toContain("needed: give a backup of Pillar Hammer");
  expect(await read(settings, await take(["config.json"], at(".")))).toContain("give a whole backup");
  renameSync(key, `${directory()}/away`);
  expect(await read()).toContain(`the key that opens it: ${key}`);
  renameSync(`${directory()}/away`, key);
  rmSync(list);
  expect(await read()).toContain("ENOENT");
});
