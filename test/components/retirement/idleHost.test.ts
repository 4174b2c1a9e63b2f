import { expect, test } from "vitest";
import type { LastRun } from "../../../components/lastRun";
import { isStillOff } from "../../../components/retirement/idleHost";
import { type HostObservation, parseHostFacts } from "../../../core/retirement/readHost";
import { configOf } from "../exampleConfig";

const hostKey = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIOMqqnkVzrm0SdG6UOoqKLsabgH5C9okWi0dh2l9GKJl";
const address = "203.0.113.7";
const config = configOf({ lifecycle: "retiring", host: { provider: "existing", address, hostKey } });
const last: LastRun = { finished: true, nodeOff: true, address, hostKey };
const node = (active: "yes" | "no", masked: "yes" | "no"): HostObservation => ({
  facts: parseHostFacts(`nodeActive=${active}\nnodeMasked=${masked}\nend=yes\n`, address),
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
