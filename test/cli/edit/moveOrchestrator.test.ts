import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import * as move from "../../../cli/edit/moveOrchestrator.ts";
import { configOf } from "../../components/exampleConfig.ts";
import { moveNamed } from "../../moveNamed.ts";
import { putEvent } from "../../recordIn.ts";

const host = { address: "198.51.100.9", hostKey: "ssh-ed25519 AAAA" };
const release = "https://example.org/releases/download/v0.0.9a-alphanet/orchestrator-linux-amd64.zip";
const sha256 = "ab".repeat(32);
const proxyKey = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIOMqqnkVzrm0SdG6UOoqKLsabgH5C9okWi0dh2l9GKJl";
const given = (settings: object) => JSON.parse(JSON.stringify(settings)) as object;

test("writes the old host from its stack's outputs, and only a login and paths that differ", () => {
  const { address: at, hostKey } = host;
  const address = { "oldHost.address": at, "oldHost.hostKey": hostKey, "orchestrator.move": "true" };
  expect(given(move.createMoveSettings(configOf(), configOf(), host, { release, releaseSha256: sha256 }))).toEqual({
    ...address,
    "orchestrator.release.url": release,
    "orchestrator.release.sha256": sha256,
    "orchestrator.release.version": "v0.0.9a",
  });
  const before = configOf({
    ssh: { password: "x", user: "op", port: 2222 },
    node: { service: "znnd", dataDir: "/data/znn", rpcPort: 4000 },
    orchestrator: { service: "signer", directory: "/srv/.orchestrator", executable: "tss" },
  });
  expect(given(move.createMoveSettings(configOf(), before, host, {}))).toEqual({
    ...address,
    "oldHost.user": "op",
    "oldHost.port": 2222,
    "oldHost.orchestrator.service": "signer",
    "oldHost.orchestrator.directory": "/srv/.orchestrator",
    "oldHost.orchestrator.executable": "tss",
    "oldHost.service": "znnd",
    "oldHost.dataDir": "/data/znn",
    "oldHost.rpcPort": 4000,
  });
});

test("refuses another old host than the configured one, and says how to remove that with what needs it", () => {
  const oldHost = { ...host, address: "198.51.100.8", hostKey: proxyKey };
  const refuse = (config: ReturnType<typeof configOf>, of = host) => move.refuseOtherOldHost(config, of, "prod");
  const [sync, orchestrator] = [{ from: "oldHost" }, { move: true, firstMove: "acknowledged" }];
  const remove = (key: string) => `pulumi config rm --path pillar-host:${key} -s prod`;
  expect(() => refuse(configOf({ sync, oldHost, orchestrator }))).toThrow(
    [
      "the old host in Pulumi.prod.yaml is not the host of prod: nothing was changed",
      "  found: oldHost 198.51.100.8; the host of prod is 198.51.100.9",
      "  needed: give --from the stack of oldHost; or remove oldHost, if nothing is to come from there any more",
      `  To remove it: ${["sync.from", "orchestrator.move", "orchestrator.firstMove", "oldHost"].map(remove).join(" && ")}`,
      "  Then run the same command again",
    ].join("\n"),
  );
  expect(() => refuse(configOf({ oldHost }))).toThrow(`  To remove it: ${remove("oldHost")}\n`);
  expect(() => refuse(configOf({ oldHost }), { ...host, hostKey: proxyKey })).not.toThrow();
  expect(() => refuse(configOf())).not.toThrow();
});

const hashed = { orchestrator: { release: { url: release, sha256, version: "v0.0.9b" } } };
const releaseIn = (settings: object) =>
  Object.fromEntries(Object.entries(given(settings)).filter(([key]) => key.startsWith("orchestrator.release.")));

test("keeps the configured values for the same address, and drops them for another", () => {
  const stays = {
    "orchestrator.release.url": release,
    "orchestrator.release.sha256": sha256,
    "orchestrator.release.version": "v0.0.9b",
  };
  const settings = (options: object) => releaseIn(move.createMoveSettings(configOf(hashed), configOf(), host, options));
  expect(settings({ release })).toEqual(stays);
  expect(settings({})).toEqual(stays);
  const newer = "cd".repeat(32);
  expect(settings({ releaseSha256: newer })).toEqual({ ...stays, "orchestrator.release.sha256": newer });
  const other = release.replace("v0.0.9a", "v0.1.0");
  const dropped = { "orchestrator.release.url": other, "orchestrator.release.version": "v0.1.0" };
  expect(settings({ release: other })).toEqual(dropped);
});

test("refuses an incomplete release, and says how to print the hash and what to type then", () => {
  const find = (options: object, of = configOf()) =>
    move.findReleaseProblem("prod-2", of, { from: "prod", ...options });
  expect(find({ release, up: false })).toBe(
    [
      "the orchestrator's release for the new host is not complete: nothing was changed",
      `  found: ${release}`,
      "  needed: give --release-sha256 64 hexadecimal digits: the downloaded program runs as root and holds the bridge's key share",
      `  To print the hash: curl -fsSL ${release} | sha256sum`,
      `  Compare the hash with the release page's, then: ./pillar-host move prod-2 --from prod --release ${release} --release-sha256 SHA256 --no-up`,
    ].join("\n"),
  );
  expect(find({ release, releaseSha256: "SHA256" })).toContain("give --release-sha256");
  expect(find({ release, releaseSha256: sha256.toUpperCase() })).toBeUndefined();
  expect(find({})).toMatch(/give --release the address[\s\S]*then: .* --release https:\S+ --release-sha256 SHA256$/);
  expect(find({}, configOf(hashed))).toBeUndefined();
  expect(find({ release: release.replace("v0.0.9a", "v0.1.0") }, configOf(hashed))).toContain("give --release-sha256");
  const unnamed = { release: "https://example.org/orchestrator.zip", releaseSha256: sha256 };
  expect(find(unnamed)).toContain("needed: give --release-version the version, such as v0.0.9a");
  expect(find({ ...unnamed, releaseVersion: "v0.0.9a" })).toBeUndefined();
  // The printed command keeps the options, and has each that is missing.
  expect(find({ ...unnamed, firstMove: true, yes: true, command: "migrate" })).toMatch(
    /then: \.\/pillar-host migrate prod prod-2 --release \S+ --release-sha256 SHA256 --release-version VERSION --first-move --yes$/,
  );
});

test("asks once for a confirmation if the event log has no move of the orchestrator", async () => {
  const directory = mkdtempSync(join(tmpdir(), "move-word-"));
  const config = configOf({ orchestrator: { backup: { directory } } });
  const oldHost = { ...host, hostKey: proxyKey };
  const told = configOf({ oldHost, orchestrator: { backup: { directory }, move: true, firstMove: "acknowledged" } });
  const word = { "orchestrator.firstMove": "acknowledged" };
  await expect(move.confirmFirstMove("prod-2", config, {})).rejects.toThrow(
    /^the event log has no move of this orchestrator: nothing was changed\n {2}needed: confirm once that no move of this orchestrator ever began[^\n]*\n {2}If it was never moved, run the same command again with --first-move$/,
  );
  expect(await move.confirmFirstMove("prod-2", config, { firstMove: true })).toEqual(word);
  expect(await move.confirmFirstMove("prod-2", told, {})).toBeUndefined();
  const details = { direction: "forward", generation: 1, source: "A", target: "B" } as const;
  const begun = moveNamed(`pillar-host/prod/${config.pillar.name}/1`);
  putEvent(directory, { at: "2026-01-01T00:00:00.000Z", move: begun, event: "begun", details });
  expect(await move.confirmFirstMove("prod-2", config, {})).toBeUndefined();
  rmSync(directory, { recursive: true });
});
