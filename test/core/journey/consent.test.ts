import { expect, test } from "vitest";
import { formatConsent } from "../../../core/journey/consent.ts";
import type { LastRun } from "../../../core/journey/outputs.ts";
import { configOf } from "../../components/exampleConfig.ts";

const host = { provider: "existing", address: "203.0.113.7" };
const oldHost = { address: "198.51.100.9", hostKey: "ssh-ed25519 AAAA" };
const consent = (changes: object, last: Partial<LastRun> = {}, given = {}) =>
  formatConsent(
    { ...configOf({}), host, ...changes } as ReturnType<typeof configOf>,
    { finished: true, ...last },
    given,
  );
const signs = (side: string) => ({
  orchestrator: { side, address: "a", why: "moved", attempt: 1, rpcPort: 1 },
});
const orchestrator = { ...configOf({}).orchestrator, move: true, attempt: 1, rollback: false };
const isMoveDue = { isMoveDue: true };

test("a preview says in words what yes does", () => {
  expect(consent({}, { finished: false })).toBe(
    "yes sets up 203.0.113.7 and waits for its sync; the Pillar stays where it is.",
  );
  expect(consent({ lifecycle: "adopted" })).toBe("yes writes notes in Pulumi's state; nothing on 203.0.113.7 changes.");
  expect(consent({ lifecycle: "retiring" })).toBe("yes shuts down the node of 203.0.113.7 for good.");
  const moves = "yes moves the orchestrator from 198.51.100.9 to 203.0.113.7: for some seconds no host signs.";
  expect(consent({ oldHost, orchestrator }, {}, isMoveDue)).toBe(moves);
  expect(consent({ oldHost, orchestrator: { ...orchestrator, attempt: 2 } }, signs("old"), isMoveDue)).toBe(moves);
  expect(consent({ oldHost, orchestrator: { ...orchestrator, rollback: true } }, signs("new"), isMoveDue)).toBe(
    "yes moves the orchestrator from 203.0.113.7 back to 198.51.100.9.",
  );
});

test("a preview says nothing of a step that is done", () => {
  const release = { url: "https://r.example/a.zip", sha256: "a", version: "v0.0.10" };
  for (const [changes, last, given] of [
    [{}, {}, {}],
    [{ lifecycle: "adopted", node: { ...configOf({}).node, release } }, {}, {}],
    [{ lifecycle: "retiring" }, {}, { isOff: true }],
    [{ oldHost, orchestrator }, signs("new"), isMoveDue],
    [{ oldHost, orchestrator }, signs("old"), isMoveDue],
    [{ oldHost, orchestrator: { ...orchestrator, rollback: true } }, signs("old"), isMoveDue],
  ] as const)
    expect(consent(changes, last, given)).toBeUndefined();
});
