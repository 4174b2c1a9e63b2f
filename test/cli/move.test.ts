import { expect, test } from "vitest";
import { moveFault, moveSettings } from "../../cli/move";
import { configOf } from "../components/exampleConfig";

const host = { address: "198.51.100.9", hostKey: "ssh-ed25519 AAAA" };
const release = "https://example.org/releases/download/v0.0.9a-alphanet/orchestrator-linux-amd64.zip";
const given = (settings: object) => JSON.parse(JSON.stringify(settings)) as object;

test("the move names the old host as its stack shows it, and the release with the version of its address", () => {
  expect(given(moveSettings(configOf(), configOf(), host, { release, releaseSha256: "ab" }))).toEqual({
    ...{ "orchestrator.migrateFrom.address": host.address, "orchestrator.migrateFrom.hostKey": host.hostKey },
    ...{ "orchestrator.release.url": release, "orchestrator.release.sha256": "ab" },
    "orchestrator.release.version": "v0.0.9a",
  });
});

test("of login and places only what differs; a release that is configured stays", () => {
  const before = configOf({
    ...{ ssh: { password: "x", user: "op", port: 2222 }, node: { dataDir: "/data/znn" } },
    orchestrator: { service: "signer", directory: "/srv/.orchestrator", executable: "tss" },
  });
  const settings = given(moveSettings(configOf(), before, host, {}));
  expect(settings).toEqual({
    ...{ "orchestrator.migrateFrom.address": host.address, "orchestrator.migrateFrom.hostKey": host.hostKey },
    ...{ "orchestrator.migrateFrom.user": "op", "orchestrator.migrateFrom.port": 2222 },
    ...{ "orchestrator.migrateFrom.service": "signer", "orchestrator.migrateFrom.directory": "/srv/.orchestrator" },
    ...{ "orchestrator.migrateFrom.executable": "tss", "orchestrator.migrateFrom.dataDir": "/data/znn" },
  });
});

test("what can't be meant is refused before anything is written", () => {
  const config = configOf();
  const fault = (changes: { release?: string; releaseVersion?: string; pillar?: string; address?: string } = {}) => {
    const { pillar = config.pillar.name, address = host.address, ...rest } = changes;
    return moveFault("prod-2", config, { pillar: { name: pillar } }, { ...host, address }, { from: "prod", ...rest });
  };
  expect(fault({ release })).toBeUndefined();
  expect(fault({ release, pillar: "Bolt" })).toContain("needed: --from with a stack of the same Pillar");
  expect(fault()).toContain("no release of the orchestrator is known for the new host: nothing was changed");
  const unnamed = "https://example.org/orchestrator.zip";
  expect(fault({ release: unnamed })).toContain("needed: --release-version, such as v0.0.9a");
  expect(fault({ release: unnamed, releaseVersion: "v0.0.9a" })).toBeUndefined();
  const own = { ...config, host: { ...config.host, provider: "existing" as const, address: host.address } };
  expect(moveFault("prod-2", own, config, host, { from: "prod", release })).toContain(
    "are the same host, 198.51.100.9",
  );
});
