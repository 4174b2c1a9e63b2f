import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { appendMoveEvent } from "../../../core/eventLog/moveEvents";
import { hasSigner } from "../../../core/settings/orchestratorPresence";
import { configOf } from "../../components/exampleConfig";

const hostKey = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIOMqqnkVzrm0SdG6UOoqKLsabgH5C9okWi0dh2l9GKJl";

test("a signer is configured: one that is to come, or a release", () => {
  const release = { url: "https://r.example/o", version: "v0.0.9a" };
  const migrateFrom = { address: "198.51.100.9", hostKey };
  expect(hasSigner(configOf({ orchestrator: { migrateFrom } }), "prod-2")).toBe(true);
  expect(hasSigner(configOf({ orchestrator: { release } }), "prod-2")).toBe(true);
  expect(hasSigner(configOf(), "prod-2")).toBe(false);
});

test("without the block, the record tells of a signer on this stack's host", () => {
  const directory = mkdtempSync(join(tmpdir(), "record-"));
  const config = configOf({ orchestrator: { backup: { directory } } });
  const record = (move: string, event: string) =>
    appendMoveEvent(directory, { at: "2026-11-21T18:00:00Z", move, event });
  const own = "pillar-host/prod-2/Anvil";
  record("pillar-host/another/Anvil/1", "done");
  record(`${own}/1`, "failed");
  expect(hasSigner(config, "prod-2")).toBe(false);
  for (const event of ["secured", "done"]) {
    record(`${own}/1`, event);
    expect(hasSigner(config, "prod-2")).toBe(true);
  }
  record(`${own}/1`, "rolledBack");
  expect(hasSigner(config, "prod-2")).toBe(false);
  rmSync(directory, { recursive: true });
});
