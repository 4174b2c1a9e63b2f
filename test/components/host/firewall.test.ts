import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as pulumi from "@pulumi/pulumi";
import { describe, expect, test } from "vitest";
import type { StackConfig } from "../../../components/config";
import { openings, openToAll } from "../../../components/host/firewall";
import { addToRecord } from "../../../providers/signer/record";
import { configOf } from "../exampleConfig";

const anywhere = ["0.0.0.0/0", "::/0"];

test("ssh from where it is allowed, the node's port from anywhere, nothing else", () => {
  expect(openings(configOf({ node: { p2pPort: 4000 } }), ["198.51.100.7/32"])).toEqual([
    { protocol: "tcp", port: 22, sources: ["198.51.100.7/32"] },
    { protocol: "tcp", port: 4000, sources: anywhere },
    { protocol: "udp", port: 4000, sources: anywhere },
  ]);
});

describe("the signers' port", () => {
  const hostKey = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIOMqqnkVzrm0SdG6UOoqKLsabgH5C9okWi0dh2l9GKJl";
  const release = { url: "https://r.example/o", version: "v0.0.9a" };
  const isOpen = (config: StackConfig) => openings(config, []).some(({ port }) => port === 55055);

  test("opens to all with a signer that is to come, or a release; its RPC never", () => {
    const migrateFrom = { address: "198.51.100.9", hostKey };
    const opened = openings(configOf({ orchestrator: { migrateFrom } }), []);
    expect(opened).toContainEqual({ protocol: "tcp", port: 55055, sources: anywhere });
    expect(opened.some(({ port }) => port === 55000)).toBe(false);
    expect(isOpen(configOf({ orchestrator: { release } }))).toBe(true);
    expect(isOpen(configOf())).toBe(false);
  });

  test("stays open without the block while the record tells of a signer on this stack's host", () => {
    const directory = mkdtempSync(join(tmpdir(), "record-"));
    const config = configOf({ orchestrator: { backup: { directory } } });
    const record = (move: string, event: string) => addToRecord(directory, { at: "2026-11-21T18:00:00Z", move, event });
    const own = `pillar-host/${pulumi.getStack()}/Anvil`;
    record("pillar-host/another/Anvil/1", "done");
    record(`${own}/1`, "failed");
    expect(isOpen(config)).toBe(false);
    for (const event of ["secured", "done"]) {
      record(`${own}/1`, event);
      expect(isOpen(config)).toBe(true);
    }
    record(`${own}/1`, "rolledBack");
    expect(isOpen(config)).toBe(false);
    rmSync(directory, { recursive: true });
  });
});

test("a network that is everybody is warned about", () => {
  expect(openToAll(["198.51.100.0/24", "0.0.0.0/0", "::/0"])).toEqual(
    ["0.0.0.0/0", "::/0"].map(
      (all) => `pillar-host:host.sshFrom: ${all} lets everybody try to log in with ssh (a key is needed)`,
    ),
  );
});
