import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { MoveEventBody } from "../../../core/eventLog/events";
import { hasOrchestrator } from "../../../core/eventLog/orchestratorPresence";
import { configOf } from "../../components/exampleConfig";
import { moveNamed } from "../../moveNamed";
import { putEvent } from "../../recordIn";

const hostKey = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIOMqqnkVzrm0SdG6UOoqKLsabgH5C9okWi0dh2l9GKJl";

test("finds a configured orchestrator: a move or a release", async () => {
  const release = { url: "https://r.example/o", version: "v0.0.9a" };
  const migrateFrom = { address: "198.51.100.9", hostKey };
  expect(await hasOrchestrator(configOf({ orchestrator: { migrateFrom } }), "prod-2")).toBe(true);
  expect(await hasOrchestrator(configOf({ orchestrator: { release } }), "prod-2")).toBe(true);
  expect(await hasOrchestrator(configOf(), "prod-2")).toBe(false);
});

test("finds an orchestrator on this stack's host by the event log, without the block", async () => {
  const directory = mkdtempSync(join(tmpdir(), "record-"));
  const config = configOf({ orchestrator: { backup: { directory } } });
  const moved = { holder: "new", generation: 1, version: "v0.0.9a", movedAt: "2026-11-21T18:00:00Z" } as const;
  const record = (stack: string, news: MoveEventBody) =>
    putEvent(directory, { at: "2026-11-21T18:00:00Z", move: moveNamed(`pillar-host/${stack}/Anvil/1`), ...news });
  record("another", { event: "done", details: moved });
  record("prod-2", { event: "failed", details: {} });
  expect(await hasOrchestrator(config, "prod-2")).toBe(false);
  record("prod-2", { event: "secured", details: {} });
  expect(await hasOrchestrator(config, "prod-2")).toBe(true);
  record("prod-2", { event: "done", details: moved });
  expect(await hasOrchestrator(config, "prod-2")).toBe(true);
  record("prod-2", { event: "rolledBack", details: { ...moved, holder: "old" } });
  expect(await hasOrchestrator(config, "prod-2")).toBe(false);
  expect(await hasOrchestrator(config, "prod-2", "new")).toBe(false);
  rmSync(directory, { recursive: true });
});

test("finds an orchestrator by the state if block and event log are missing", async () => {
  const config = configOf({ orchestrator: { backup: { directory: join(tmpdir(), "no-such-record") } } });
  const told = ["new", "old", undefined].map((shown) => hasOrchestrator(config, "prod-2", shown));
  expect(await Promise.all(told)).toEqual([true, false, false]);
});
