import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as pulumi from "@pulumi/pulumi";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import * as log from "../../components/log";
import { reportChainCopy } from "../../components/node/reportChainCopy";
import { type ChainFacts, parseChainFacts } from "../../core/chainCopy/chainFacts";
import { openEventLog } from "../../core/eventLog/eventLog";
import { configOf, least } from "./exampleConfig";

const hostKey = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIOMqqnkVzrm0SdG6UOoqKLsabgH5C9okWi0dh2l9GKJl";
const oldKey = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIFGSBtGbUCwrGN7Gq8VzKQVWmBcQTTWqvSAZ8qkzNQVS";
let directory: string;
const facts = parseChainFacts("bytes=13400000000\nfree=40000000000\nload=0.10 0.20 0.30 on 4 cores\nend=yes\n", "a");
const oldHost = { address: "198.51.100.9", hostKey: oldKey, user: "op", password: "hunter2-old", dataDir: "/data" };

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "copy-ahead-"));
});
afterEach(() => {
  vi.restoreAllMocks();
  rmSync(directory, { recursive: true, force: true });
});

/** Returns what is said in a preview of a stack that did not come to its end yet. */
async function said(
  sync: object = { from: "oldHost", oldHost },
  look: () => Promise<ChainFacts> = async () => facts,
  { finished = false, isDryRun = true } = {},
): Promise<string> {
  vi.spyOn(pulumi.runtime, "isDryRun").mockReturnValue(isDryRun);
  const told = vi.spyOn(log, "info").mockResolvedValue();
  const orchestrator = { backup: { directory } };
  await reportChainCopy(configOf({ host: { ...least.host, hostKey }, sync, orchestrator }), "prod", { finished }, look);
  return told.mock.calls.map(([text]) => text).join("\n");
}

test("prints what a copy will read, how much, and for how long", async () => {
  expect(await said()).toBe(
    `chain copy: reads nom, consensus and cache in /data of 198.51.100.9 as user op, with a key for this alone; nothing is stopped there, and no key, wallet or configuration travels
chain copy: 13.4 GB now, 18 min at 100 Mbit/s (no limit is configured); the new host needs 15.2 GB free; the old one has 40.0 GB free, load 0.10 0.20 0.30 on 4 cores`,
  );
  expect(await said({ from: "oldHost", oldHost, copyMbps: 20 })).toContain(
    "13.4 GB now, 1 h 29 min at 20 Mbit/s (as limited by sync.copyMbps)",
  );
});

test("does not fail the preview if the old host does not answer", async () => {
  const silent = () => Promise.reject(new Error("198.51.100.9: no answer\nmore"));
  expect(await said(undefined, silent)).toContain("\nchain copy: amount not known yet: 198.51.100.9: no answer");
});

test("asks nothing if no copy is planned", async () => {
  const look = vi.fn(async () => facts);
  expect(await said({ from: "network" }, look)).toBe("");
  expect(await said(undefined, look, { finished: true })).toBe("");
  expect(await said(undefined, look, { isDryRun: false })).toBe("");
  const details = { from: "a", files: 1, bytes: 1, seconds: 1, height: 1, manifest: "a", extraBytes: 0 };
  const place = { directory, stack: "prod", pillar: "Anvil" };
  await openEventLog(place, { now: () => 0, say: () => undefined }).add({ event: "chainCopied", details });
  expect(await said(undefined, look)).toBe("");
  expect(look).not.toHaveBeenCalled();
});
