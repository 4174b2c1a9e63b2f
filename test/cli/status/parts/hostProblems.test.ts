import { describe, expect, test } from "vitest";
import { decideAttention } from "../../../../cli/status/attention";
import { findProblems } from "../../../../cli/status/parts/hostProblemsPart";
import { formatParts } from "../../../../cli/status/parts/partRows";
import { partsJson } from "../../../../cli/status/parts/partsJson";
import { createUnknownParts } from "../../../../cli/status/parts/statusParts";
import { viewOf } from "../../exampleView";
import { clock, partsOf, registrations } from "./exampleParts";

const spork = { id: "ab".repeat(32), name: "spork-next", isSure: true };
const withSpork = (changes: object) =>
  partsOf(registrations.producing, {
    sporks: { value: { version: "v0.0.8", unknown: [{ ...spork, ...changes }] } },
  });
const shut = { active: false, masked: true, wasShutDown: true } as const;
const found = (changes: Parameters<typeof partsOf>[1]) =>
  findProblems(partsOf(registrations.producing, changes), "prod");

describe("what is amiss on a host", () => {
  test("nothing, of one that is as it should be, or can't be looked at", () => {
    expect(found({})).toEqual([]);
    expect(found({ node: { value: shut } })).toEqual([]);
    // One that nobody shut down for good may be off without a mask: its service's line says so.
    expect(found({ node: { value: { active: false, masked: false } } })).toEqual([]);
    expect(findProblems(createUnknownParts("active", "no answer"), "prod")).toEqual([]);
  });

  test("the crontab's line that is back", () => {
    expect(found({ hourlyRestart: { value: "on" } })).toMatchObject([
      { key: "crontab", text: expect.stringMatching(/^root's crontab .*\. To remove the line: pulumi up -s prod$/) },
    ]);
    expect(found({ hourlyRestart: { value: "/etc/cron.d/watch: 5 * * * * root docker restart znnd" } })).toMatchObject([
      { key: "crontab", text: expect.stringMatching(/^something else .*: \/etc\/cron.d\/watch: 5 \* .*znnd$/) },
    ]);
  });

  test("a unit that somebody took the mask from, and one that somebody started", () => {
    expect(found({ node: { value: { ...shut, masked: false } } })).toMatchObject([
      { key: "mask", text: expect.stringContaining("is not masked") },
    ]);
    expect(found({ node: { value: { ...shut, active: true } } })).toMatchObject([
      { key: "mask", text: expect.stringContaining("it runs again") },
    ]);
  });

  test("a spork that the node does not have, and again when it was decided", () => {
    const keys = [{}, { enforcedFrom: 77 }].map((changes) =>
      findProblems(withSpork(changes), "prod").map(({ key }) => key),
    );
    expect(keys).toEqual([[`spork:${spork.id}`], [`spork:${spork.id}:enforced`]]);
  });

  test("a version that is required, with what to install and from where, and ahead of its height", () => {
    const gap = {
      fromHeight: 1000,
      leastVersion: "v0.0.10",
      why: "the window",
      release: "https://r.example",
      found: "v0.0.8",
    };
    const ahead = { ...gap, expectedAt: clock };
    const text =
      "install v0.0.10 or newer from https://r.example: its url, sha256 and version as pillar-host:node.release (docs/chain.md), then pulumi up -s prod. Is the requirement out of date? It stands in core/chain/requiredVersions.json";
    expect(found({ versions: { value: [gap] } })).toEqual([
      {
        key: "version:v0.0.10:required",
        label: "version",
        isNow: true,
        text: `the node is v0.0.8; v0.0.10 or newer is required from height 1000 on (the window). ${text}`,
      },
    ]);
    expect(found({ versions: { value: [ahead] } })).toEqual([
      {
        key: "version:v0.0.10",
        label: "version",
        isNow: false,
        text: `the node is v0.0.8; v0.0.10 or newer is required from height 1000 on, about 2026-11-21 15:05 UTC (the window). ${text}`,
      },
    ]);
    expect(partsJson(partsOf(registrations.producing, { versions: { value: [ahead] } })).versions).toEqual([
      { ...gap, expectedAt: "2026-11-21T15:05:20.000Z" },
    ]);
  });

  test("has a line each in status, and wants attention, but for a spork that nobody decided yet", () => {
    const parts = partsOf(registrations.producing, { hourlyRestart: { value: "on" } });
    const whose = { stack: "prod", pillar: "Anvil", lifecycle: "active" };
    expect(formatParts(parts, whose, clock)).toContainEqual(["restart", expect.stringContaining("every hour")]);
    expect(formatParts(withSpork({}), whose, clock)).toContainEqual(["spork", expect.stringContaining("is announced")]);
    const needs = (changes: typeof parts) => decideAttention(viewOf({ synced: true, locks: [], parts: changes }));
    expect(needs(partsOf(registrations.producing))).toBe("nothing");
    expect(needs(parts)).toBe("attention");
    expect(needs(withSpork({}))).toBe("nothing");
    expect(needs(withSpork({ enforcedFrom: 77 }))).toBe("attention");
    // Whether it has it, nobody here can tell.
    expect(needs(withSpork({ enforcedFrom: 77, isSure: false }))).toBe("nothing");
  });
});
