import { expect, test } from "vitest";
import { registerExistingHost } from "../../../components/host/registerHost.ts";
import type { HostReading } from "../../../components/node/nodeReading.ts";
import { isStillOff, registerKeptHost } from "../../../components/retirement/keptHost.ts";
import type { ExistingHostConfig } from "../../../core/config/hostSchema.ts";
import type { LastRun } from "../../../core/journey/outputs.ts";
import type { HostObservation } from "../../../core/retirement/readHost.ts";
import { retirementFactsOf } from "../../core/host/printedFacts.ts";
import { configOf } from "../exampleConfig.ts";
import { registeredBy, revealed } from "../fakeEngine.ts";

const hostKey = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIOMqqnkVzrm0SdG6UOoqKLsabgH5C9okWi0dh2l9GKJl";
const address = "203.0.113.7";
const config = configOf({ lifecycle: "retiring", host: { provider: "existing", address, hostKey } });
const last: LastRun = { finished: true, nodeOff: true, address, hostKey };
const node = (active: "yes" | "no", masked: "yes" | "no"): HostObservation => ({
  facts: retirementFactsOf([`nodeActive=${active}`, `nodeMasked=${masked}`]),
});

test.each<[string, HostObservation, boolean]>([
  ["is left alone while it is off and masked", node("no", "yes"), true],
  ["is shut down again where it runs", node("yes", "no"), false],
  ["is shut down again where nothing keeps it from starting", node("no", "no"), false],
  ["is left alone on a host that does not answer", { silent: "no answer" }, true],
])("a node that was shut down for good %s", async (_what, look, stays) => {
  expect(await isStillOff(config, last, async () => look)).toBe(stays);
});

test("a node is left alone if the host's answer is unreadable", async () => {
  expect(await isStillOff(config, last, () => Promise.reject(new Error("its answer was cut off")))).toBe(true);
});

test("a node is not read before a run has shut it down", async () => {
  const nobody = () => Promise.reject(new Error("asked"));
  expect(await isStillOff(config, { ...last, nodeOff: false }, nobody)).toBe(false);
});

const release = { url: "https://r.example/n.zip", sha256: "a".repeat(64), version: "v0.0.10" };

/** Returns the resources of an adopted or retiring host whose node reports a version, by name. */
async function registerAs(lifecycle: "adopted" | "retiring", changes: object, version: string) {
  const own = configOf({ lifecycle, host: { provider: "existing", address, hostKey }, ...changes });
  const look = async () => ({ version: Promise.resolve(version) }) as unknown as HostReading;
  const all = await registeredBy(async () => {
    const { host } = await registerExistingHost(own, own.host as ExistingHostConfig, last);
    if (host) await registerKeptHost(own, host, { ...last, nodeOff: false }, look);
  });
  return new Map(all.map((resource) => [resource.name, resource]));
}

test("an adopted host's node is upgraded behind the first guard, and the last guard waits for it", async () => {
  const all = await registerAs("adopted", { node: { release } }, "v0.0.8");
  const upgrade = all.get("node-upgrade");
  expect(upgrade?.after).toEqual(["host-guard"]);
  expect(all.get("guard")?.after).toContain("node-upgrade");
  expect(revealed(upgrade?.inputs)).toMatchObject({
    found: expect.stringMatching(/^v0\.0\.8 /),
    release: expect.stringMatching(/ v0\.0\.10$/),
    address,
    hostKey,
  });
  expect(
    (await registerAs("adopted", { node: { release } }, "v0.0.10-alphanet")).get("node-upgrade")?.inputs.found,
  ).toBe(undefined);
});

test.each([
  ["an adopted host without node.release", "adopted", {}],
  ["a retiring host", "retiring", { node: { release } }],
] as const)("nothing upgrades the node of %s", async (_, lifecycle, changes) => {
  const all = await registerAs(lifecycle, changes, "v0.0.8");
  expect([all.has("guard"), all.has("node-upgrade")]).toEqual([true, false]);
});
