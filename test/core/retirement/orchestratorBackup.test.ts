import crypto from "node:crypto";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { MoveId } from "../../../core/eventLog/moveId";
import { hasOrchestratorBackup } from "../../../core/retirement/orchestratorBackup";
import { directoryStore } from "../../../core/store/directoryStore";
import { moveNamed } from "../../moveNamed";
import { putEvent } from "../../recordIn";

let backups = "";
beforeEach(() => {
  backups = fs.mkdtempSync(path.join(os.tmpdir(), "signer-backup-"));
});
afterEach(() => fs.rmSync(backups, { recursive: true, force: true }));

const signer = { address: "192.0.2.1", directory: "/root/.orchestrator", since: "2026-01-01T00:00:00Z" };
const move = moveNamed("pillar-host/prod-2/Anvil/1");
const file = () => path.join(backups, "a.tar.age");
const entry = (name: string, size = 9) => ({ path: `root/.orchestrator/${name}`, kind: "file", size });
const whole = [entry("config.json"), entry("producer.moved-to-192.0.2.2-x"), entry("tss/localstate-ab.json")];

function put(changes: { label?: string; host?: string; move?: MoveId; at?: string; entries?: object[] } = {}) {
  const { label = "first", host = signer.address, at = "2026-02-01T00:00:00Z", entries = whole } = changes;
  fs.writeFileSync(file(), "sealed");
  const manifestFile = path.join(backups, "a.manifest.json");
  fs.writeFileSync(manifestFile, JSON.stringify({ version: 1, host, entries }));
  const sha256 = crypto.createHash("sha256").update("sealed").digest("hex");
  const details = {
    ...{ label, file: file(), manifestFile, identityFile: "identity.txt", sealedBytes: 6, sha256 },
    ...{ files: 3, bytes: 27, provedAt: at },
  };
  putEvent(backups, { at, move: changes.move ?? move, event: "backup", details });
}
const isHere = (more: { move?: MoveId } = { move }) =>
  hasOrchestratorBackup(directoryStore(backups), { ...signer, ...more });

describe("the proved backup of a fenced signer", () => {
  test("is that of the move that fenced it, from either side", async () => {
    expect(await isHere()).toBe(false);
    put({ host: "192.0.2.9" });
    expect(await isHere()).toBe(true);
    expect(await isHere({ move: moveNamed("pillar-host/prod-2/Anvil/2") })).toBe(false);
  });

  test("is not the part that was taken after the stop", async () => {
    put({ label: "last" });
    expect(await isHere()).toBe(false);
  });

  test("counts while it lies there with the bytes that were proved", async () => {
    put();
    expect(await isHere()).toBe(true);
    fs.writeFileSync(file(), "sealeD");
    expect(await isHere()).toBe(false);
    fs.rmSync(file());
    expect(await isHere()).toBe(false);
  });

  test("may be the last one, of a destroy that was cut off: where it holds the signer, and the guard is older", async () => {
    const retired = { label: "retired", move: moveNamed("pillar-host/prod/Anvil") };
    put(retired);
    expect(await isHere()).toBe(true);
    for (const changes of [{ host: "192.0.2.9" }, { at: "2025-12-31T00:00:00Z" }, { entries: whole.slice(0, 2) }]) {
      fs.rmSync(path.join(backups, "record.jsonl"));
      put({ ...retired, ...changes });
      expect(await isHere()).toBe(false);
    }
  });
});

test("of a host that can't be asked any of a move from its address counts, and no last one", async () => {
  put({ label: "retired" });
  expect(await isHere({})).toBe(false);
  put({ host: "192.0.2.9" });
  expect(await isHere({})).toBe(false);
  put({ label: "last" });
  expect(await isHere({})).toBe(true);
});

test("whose list a newer program wrote is not judged", async () => {
  put();
  fs.writeFileSync(path.join(backups, "a.manifest.json"), JSON.stringify({ version: 2, host: signer.address }));
  await expect(isHere({})).rejects.toThrow("written by a newer version of this program; nothing was changed");
});
