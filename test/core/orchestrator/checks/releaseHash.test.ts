import { expect, test } from "vitest";
import { releaseHashFault } from "../../../../core/orchestrator/checks/releaseHash";
import { configOf } from "../../../components/exampleConfig";
import { moveNamed } from "../../../moveNamed";
import { putEvent } from "../../../recordIn";
import { scratchDirectory } from "../../../scratchDirectory";

const hostKey = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIOMqqnkVzrm0SdG6UOoqKLsabgH5C9okWi0dh2l9GKJl";
const release = { url: "https://r.example/o.zip", version: "v0.0.9a" };
const migrateFrom = { address: "198.51.100.9", hostKey };

const directory = scratchDirectory();

const fault = (orchestrator: object, isShown = false) =>
  releaseHashFault(
    configOf({ orchestrator: { backup: { directory: directory() }, ...orchestrator } }),
    "prod-2",
    isShown,
  );

test("refuses a move to a release without its hash, and names the command that prints the hash", async () => {
  expect(await fault({ release, migrateFrom })).toBe(
    "pillar-host:orchestrator.release.sha256: missing, needed the hash of https://r.example/o.zip: the downloaded program runs as root and holds the bridge's key share. " +
      "Print the hash with: curl -fsSL https://r.example/o.zip | sha256sum; compare it with the one on the release's page, then: " +
      "pulumi config set --path pillar-host:orchestrator.release.sha256 -s prod-2 SHA256",
  );
  const url = "https://r.example/o.zip?a=1&b=2";
  expect(await fault({ release: { ...release, url }, migrateFrom })).toContain(`curl -fsSL '${url}' | sha256sum;`);
});

test.each([{ release }, { migrateFrom }, { release: { ...release, sha256: "0".repeat(64) }, migrateFrom }])(
  "asks for no hash with %j",
  async (orchestrator) => {
    expect(await fault(orchestrator)).toBeUndefined();
  },
);

test("asks for no hash of a begun or finished move; asks again for a later one", async () => {
  expect(await fault({ release, migrateFrom }, true)).toBeUndefined();
  const begun = (move: string) =>
    putEvent(directory(), { at: "2026-11-21T18:00:00Z", move: moveNamed(move), event: "secured", details: {} });
  begun("pillar-host/another/Anvil/1");
  begun("pillar-host/prod-2/Anvil/2");
  expect(await fault({ release, migrateFrom })).toContain("orchestrator.release.sha256: missing");
  begun("pillar-host/prod-2/Anvil/1");
  expect(await fault({ release, migrateFrom })).toBeUndefined();
  expect(await fault({ release, migrateFrom, attempt: 3 })).toContain("orchestrator.release.sha256: missing");
});
