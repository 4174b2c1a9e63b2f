import crypto from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import { Encrypter } from "age-encryption";
import { describe, expect, test } from "vitest";
import { openIdentity } from "../../../core/orchestrator/backup/vault.ts";
import type { BackedUpOrchestrator } from "../../../core/retirement/backupRule.ts";
import { findOrchestratorBackupFaults } from "../../../core/retirement/orchestratorBackup.ts";
import { createDirectoryStore } from "../../../core/store/directoryStore.ts";
import { moveNamed } from "../../moveNamed.ts";
import { putEvent, recordFile } from "../../recordIn.ts";
import { scratchDirectory } from "../../scratchDirectory.ts";
import { bridge, share } from "./exampleFacts.ts";

const scratch = scratchDirectory();
/** Returns the directory of the backups; keys lie beside it. */
const backups = () => path.join(scratch(), "backups");

const host = { address: "192.0.2.1", hostKey: "ssh-ed25519 T0xE" };
const since = "2026-01-01T00:00:00Z";
const signer = { pillar: "Anvil", host, directory: "/root/.orchestrator", since };
const move = moveNamed("pillar-host/prod-2/Anvil/1");
const file = () => path.join(backups(), "a.tar.age");
const manifestFile = () => path.join(backups(), "a.manifest.json");
const entry = (name: string, size = 9) => ({ path: `root/.orchestrator/${name}`, kind: "file", size });
const whole = [entry("config.json"), entry("producer.moved-to-192.0.2.2-x"), entry(share)];
const usual = { label: "first", at: "2026-02-01T00:00:00Z", move, entries: whole, ...host, isOfAnotherKey: false };
type Put = Partial<typeof usual>;

/** Stores a proved backup. `isOfAnotherKey`: it is sealed for another key than its line names. */
async function put(changes: Put = {}) {
  const { label, at, move, isOfAnotherKey, address, hostKey, entries } = { ...usual, ...changes };
  const identity = await openIdentity(backups(), undefined, Date.now);
  const other = path.join(backups(), "other");
  const encrypter = new Encrypter();
  encrypter.addRecipient((isOfAnotherKey ? await openIdentity(other, undefined, Date.now) : identity).recipient);
  const sealed = await encrypter.encrypt("an orchestrator");
  fs.mkdirSync(backups(), { recursive: true });
  fs.writeFileSync(file(), sealed);
  fs.writeFileSync(manifestFile(), JSON.stringify({ version: 1, host: address, hostKey, entries }));
  const sha256 = crypto.createHash("sha256").update(sealed).digest("hex");
  const sizes = { sealedBytes: sealed.length, files: 3, bytes: 27 };
  const files = { file: file(), manifestFile: manifestFile(), identityFile: identity.file };
  fs.rmSync(recordFile(backups()), { force: true });
  putEvent(backups(), { at, move, event: "backup", details: { label, ...files, ...sizes, sha256, provedAt: at } });
}
const faults = (more: Partial<BackedUpOrchestrator> = { move }) =>
  findOrchestratorBackupFaults(createDirectoryStore(backups()), { ...signer, ...more });
const isHere = async (more?: Partial<BackedUpOrchestrator>) => (await faults(more)).length === 0;

describe("the proved backup of a fenced orchestrator", () => {
  test("belongs to the move that fenced it, from either host", async () => {
    expect(await faults()).toEqual([`no backup of an orchestrator of Anvil in ${recordFile(backups())}`]);
    await put({ address: "192.0.2.9" });
    expect(await isHere()).toBe(true);
    expect(await isHere({ move: moveNamed("pillar-host/prod-2/Anvil/2") })).toBe(false);
  });

  test("is not the partial one after the stop, and counts while its file has the proved bytes", async () => {
    await put({ label: "last" });
    expect(await isHere()).toBe(false);
    await put();
    expect(await isHere()).toBe(true);
    const bytes = fs.readFileSync(file());
    fs.writeFileSync(file(), Buffer.concat([bytes.subarray(0, -1), Buffer.from([255 - (bytes.at(-1) ?? 0)])]));
    expect(await isHere()).toBe(false);
    fs.rmSync(file());
    expect(await isHere()).toBe(false);
  });

  test("counts only with a key here that decrypts it", async () => {
    await put({ isOfAnotherKey: true });
    expect(await faults()).toEqual([
      `the first backup of 2026-02-01T00:00:00Z: no key on this machine decrypts it (tried: ${backups()}.age-identity)`,
    ]);
    expect(await isHere({ move, identityFile: path.join(backups(), "other.age-identity") })).toBe(true);
  });

  test("may come from an interrupted destroy, if it holds the orchestrator and the guard is older", async () => {
    const retired = { label: "retired", move: moveNamed("pillar-host/prod/Anvil") };
    await put(retired);
    expect(await isHere()).toBe(true);
    for (const changes of [{ address: "192.0.2.9" }, { at: "2025-12-31T00:00:00Z" }, { entries: whole.slice(0, 2) }]) {
      await put({ ...retired, ...changes });
      expect(await isHere()).toBe(false);
    }
  });
});

describe("the proved backup of a silent host", () => {
  test.each(["first", "asked", "retired"])("counts with the label %s, of that host and share", async (label) => {
    await put({ label });
    expect(await faults({ bridge })).toEqual([]);
  });

  const earlier = [entry("config.json"), entry("tss/localstate-02ab.json")];
  const none = { known: false, why: "x knows of no bridge" } as const;
  test.each<[string, Put, string, BackedUpOrchestrator["bridge"]?]>([
    ["of another Pillar's machine", { move: moveNamed("pillar-host/prod/Bolt/1") }, "no backup of an orchestrator of"],
    ["of another address", { address: "192.0.2.9" }, "backup is of 192.0.2.9 with the host key ssh-ed25519 T0xE, not"],
    ["of another machine", { hostKey: "ssh-ed25519 T1RI" }, "is of 192.0.2.1 with the host key ssh-ed25519 T1RI"],
    ["of an unnamed machine", { hostKey: "" }, "with no host key in its list"],
    ["of a part", { label: "last" }, "it does not hold the whole orchestrator"],
    ["with the share of an earlier key", { entries: earlier }, `the key share ${share}; it has root/.orchestrator/tss`],
    ["with an empty share", { entries: [entry("config.json"), entry(share, 0)] }, "it has none"],
    [
      "with an unknown bridge's key",
      {},
      "unknown whether the backup's key share is of the bridge's key: x knows",
      none,
    ],
    ["with an encryption to another key", { isOfAnotherKey: true }, "no key on this machine decrypts it"],
  ])("does not count %s", async (_, changes, fault, asked = bridge) => {
    await put(changes);
    const [found, ...rest] = await faults({ bridge: asked });
    expect(found).toContain(fault);
    expect(rest).toEqual([]);
  });

  test("counts with an older share only if the orchestrator works elsewhere, and never with a newer list", async () => {
    await put({ entries: whole.slice(0, 2) });
    expect(await isHere({ bridge })).toBe(false);
    expect(await isHere({ bridge: undefined })).toBe(true);
    fs.writeFileSync(manifestFile(), JSON.stringify({ version: 2, host: host.address }));
    await expect(isHere({})).rejects.toThrow("written by a newer version of this program; nothing was changed");
  });
});
