import { expect, test } from "vitest";
import { hasOrchestrator } from "../../../core/eventLog/orchestratorPresence.ts";
import { configOf } from "../../components/exampleConfig.ts";
import { moveNamed } from "../../moveNamed.ts";
import { putEvent } from "../../recordIn.ts";
import { scratchDirectory } from "../../scratchDirectory.ts";

const directory = scratchDirectory();
const hostKey = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIOMqqnkVzrm0SdG6UOoqKLsabgH5C9okWi0dh2l9GKJl";
const has = (orchestrator: object, shown?: string) => {
  const oldHost = { address: "198.51.100.9", hostKey };
  const config = configOf({ oldHost, orchestrator: { backup: { directory: directory() }, ...orchestrator } });
  return hasOrchestrator({ ...config, stack: "prod-2" }, shown);
};

test("finds a configured orchestrator: a move or a release", async () => {
  expect(await has({ move: true })).toBe(true);
  expect(await has({ release: { url: "https://r.example/o", sha256: "a".repeat(64), version: "v0.0.9a" } })).toBe(true);
});

test("finds an orchestrator on this stack's host by the event log, else by the state", async () => {
  const details = { holder: "new", generation: 1, version: "v0.0.9a", movedAt: "2026-11-21T18:00:00Z" } as const;
  const at = "2026-11-21T18:00:00Z";
  const move = (stack: string) => ({ at, move: moveNamed(`pillar-host/${stack}/Anvil/1`) });
  putEvent(directory(), { ...move("another"), event: "done", details });
  putEvent(directory(), { ...move("prod-2"), event: "failed", details: {} });
  expect(await Promise.all(["new", "old", undefined].map((shown) => has({}, shown)))).toEqual([true, false, false]);
  putEvent(directory(), { ...move("prod-2"), event: "secured", details: {} });
  expect(await has({})).toBe(true);
  putEvent(directory(), { ...move("prod-2"), event: "done", details });
  expect(await has({})).toBe(true);
  putEvent(directory(), { ...move("prod-2"), event: "rolledBack", details: { ...details, holder: "old" } });
  expect(await has({}, "new")).toBe(false);
});
