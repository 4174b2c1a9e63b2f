import { expect, test } from "vitest";
import { decideStage } from "../../../../cli/status/hostStage.ts";
import { findProblems } from "../../../../cli/status/parts/hostProblemsPart.ts";
import { createPartsJson } from "../../../../cli/status/statusJson.ts";
import { formatParts } from "../../../../cli/status/statusText.ts";
import { parseWhole } from "../../../core/host/printedFacts.ts";
import { clock, createUnknownParts, healthyFacts, partsOf, registrations, viewOf } from "../../exampleView.ts";

type Changes = Parameters<typeof partsOf>[1];
const spork = { id: "ab".repeat(32), name: "spork-next", isSure: true };
const withSpork = (changes: object): Changes => ({
  sporks: { value: { version: "v0.0.8", unknown: [{ ...spork, ...changes }] } },
});
const shut = { active: false, masked: true, wasShutDown: true } as const;
const gap = { fromHeight: 9, leastVersion: "v0.0.10", why: "x", release: "https://r.example", found: "v0.0.8" };
const inParts = (changes: Changes) => partsOf(registrations.producing, changes);

const later = Date.now() + 4 * 86_400_000;
test.each<[string, Changes, string, boolean]>([
  ["crontab", { hourlyRestart: { value: "on" } }, "To remove the line: pulumi up -s prod", true],
  ["crontab", { hourlyRestart: { value: "/etc/cron.d/w: 5 * znnd" } }, "Remove this on the host: /etc/cron.d/w", true],
  ["mask", { node: { value: { ...shut, masked: false } } }, "is not masked", true],
  ["mask", { node: { value: { ...shut, active: true } } }, "the node runs again", true],
  [`spork:${spork.id}`, withSpork({}), "is announced", false],
  [`spork:${spork.id}:enforced`, withSpork({ enforcedFrom: 77 }), "is enforced from height 77", true],
  // It is unknown whether the node has the spork.
  [`spork:${spork.id}:enforced`, withSpork({ enforcedFrom: 77, isSure: false }), "does not say whether", false],
  ["version:v0.0.10:required", { versions: { value: [gap] } }, "required from height 9 on (x). install v0.0.10", true],
  [
    "version:v0.0.10:soon",
    { versions: { value: [{ ...gap, expectedAt: clock }] } },
    "on, about 2026-11-21 15:05",
    false,
  ],
  ["version:v0.0.10", { versions: { value: [{ ...gap, expectedAt: later }] } }, "v0.0.10 or newer is required", false],
])("finds %s, with a row: %#", (key, changes, text, isNow) => {
  const parts = inParts(changes);
  const [problem, ...others] = findProblems(viewOf({ parts }));
  expect([problem, others]).toMatchObject([{ key, isNow, text: expect.stringContaining(text) }, []]);
  const rows = formatParts(viewOf({ parts }), clock);
  expect(rows).toContainEqual([problem?.label, problem?.text]);
  const lifecycle = key === "mask" ? "retiring" : "active";
  const { needs } = decideStage(viewOf({ synced: true, locks: [], parts, lifecycle }));
  if (isNow || lifecycle === "active") expect(needs).toBe(isNow ? "attention" : "nothing");
});

test("finds nothing on a healthy or silent host", () => {
  // A node that was not shut down for good may be off without a mask.
  for (const node of [shut, { active: false, masked: false }, { active: true, masked: false }])
    expect(findProblems(viewOf({ parts: inParts({ node: { value: node } }) }))).toEqual([]);
  expect(findProblems(viewOf({ parts: createUnknownParts("active", "no answer"), facts: undefined }))).toEqual([]);
});

test.each(["disabled", "enabled-runtime", "linked", "static"])("finds a node that no boot starts: %s", (state) => {
  const { done } = healthyFacts;
  const withState = (text: string, changes: object = {}, more = "service.WantedBy=") => {
    const { service } = parseWhole(["service"], ["service.name=znnd", `service.UnitFileState=${text}`, more]);
    return viewOf({ facts: { ...healthyFacts, service, ...changes }, parts: inParts({}), synced: true, locks: [] });
  };
  const text = expect.stringMatching(/^no boot of the host starts the node. On the host: systemctl enable znnd;/);
  expect(findProblems(withState(state))).toEqual([{ key: "boot", label: "boot", text, isNow: true }]);
  expect(decideStage(withState(state)).needs).toBe("attention");
  for (const sound of ["enabled", "alias", "masked", "generated", ""])
    expect(findProblems(withState(sound))).toEqual([]);
  // A unit pulls it in; what is enabled for this boot alone is gone after the next one.
  const isRuntime = state === "enabled-runtime";
  expect(findProblems(withState(state, {}, "service.WantedBy=pillar.target"))).toHaveLength(isRuntime ? 1 : 0);
  // Its shutdown disabled it.
  const off = { value: { active: false, masked: true, wasShutDown: true as const } };
  expect(findProblems({ ...withState(state), parts: inParts({ node: off }) })).toEqual([]);
  // The first run has not enabled it yet.
  expect(findProblems(withState(state, { done: { packages: done?.packages } }))).toEqual([]);
});

test("says in JSON when a version is needed", () => {
  const { versions } = createPartsJson(inParts({ versions: { value: [{ ...gap, expectedAt: clock }] } }));
  expect(versions).toEqual([{ ...gap, expectedAt: "2026-11-21T15:05:20.000Z" }]);
});
