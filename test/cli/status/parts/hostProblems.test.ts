import { describe, expect, test } from "vitest";
import { decideStage } from "../../../../cli/status/hostStage";
import { findProblems } from "../../../../cli/status/parts/hostProblemsPart";
import { formatParts } from "../../../../cli/status/parts/partRows";
import { createUnknownParts } from "../../../../cli/status/parts/statusParts";
import { createPartsJson } from "../../../../cli/status/statusJson";
import { clock, partsOf, registrations, viewOf } from "../../exampleView";

const spork = { id: "ab".repeat(32), name: "spork-next", isSure: true };
const withSpork = (changes: object) =>
  partsOf(registrations.producing, {
    sporks: { value: { version: "v0.0.8", unknown: [{ ...spork, ...changes }] } },
  });
const shut = { active: false, masked: true, wasShutDown: true } as const;
const found = (changes: Parameters<typeof partsOf>[1]) =>
  findProblems(partsOf(registrations.producing, changes), "prod");

describe("problems of a host", () => {
  test("are none on a healthy or silent host", () => {
    expect(found({})).toEqual([]);
    expect(found({ node: { value: shut } })).toEqual([]);
    // A node that was not shut down for good may be off without a mask.
    expect(found({ node: { value: { active: false, masked: false } } })).toEqual([]);
    expect(findProblems(createUnknownParts("active", "no answer"), "prod")).toEqual([]);
  });

  test("include an hourly restart", () => {
    expect(found({ hourlyRestart: { value: "on" } })).toMatchObject([
      { key: "crontab", text: expect.stringMatching(/^root's crontab .*\. To remove the line: pulumi up -s prod$/) },
    ]);
    expect(found({ hourlyRestart: { value: "/etc/cron.d/watch: 5 * * * * root docker restart znnd" } })).toMatchObject([
      {
        key: "crontab",
        text: expect.stringMatching(/^the host restarts the node .*: \/etc\/cron.d\/watch: 5 \* .*znnd$/),
      },
    ]);
  });

  test("include an unmasked unit and a started one", () => {
    expect(found({ node: { value: { ...shut, masked: false } } })).toMatchObject([
      { key: "mask", text: expect.stringContaining("is not masked") },
    ]);
    expect(found({ node: { value: { ...shut, active: true } } })).toMatchObject([
      { key: "mask", text: expect.stringContaining("the node runs again") },
    ]);
  });

  test("include an unknown spork, and its activation again", () => {
    const keys = [{}, { enforcedFrom: 77 }].map((changes) =>
      findProblems(withSpork(changes), "prod").map(({ key }) => key),
    );
    expect(keys).toEqual([[`spork:${spork.id}`], [`spork:${spork.id}:enforced`]]);
  });

  test("include a required version with the release to install", () => {
    const gap = {
      fromHeight: 1000,
      leastVersion: "v0.0.10",
      why: "the window",
      release: "https://r.example",
      found: "v0.0.8",
    };
    const ahead = { ...gap, expectedAt: clock };
    const text =
      "install v0.0.10 or newer from https://r.example: set pillar-host:node.release to its url, sha256 and version (docs/chain.md), then pulumi up -s prod. Is the requirement out of date? It is in core/chain/requiredVersions.json";
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
    expect(createPartsJson(partsOf(registrations.producing, { versions: { value: [ahead] } })).versions).toEqual([
      { ...gap, expectedAt: "2026-11-21T15:05:20.000Z" },
    ]);
  });

  test("need attention with a row each, except a spork that is not active", () => {
    const parts = partsOf(registrations.producing, { hourlyRestart: { value: "on" } });
    const rowsOf = (changes: typeof parts) => formatParts(viewOf({ parts: changes }), clock);
    expect(rowsOf(parts)).toContainEqual(["restart", expect.stringContaining("every hour")]);
    expect(rowsOf(withSpork({}))).toContainEqual(["spork", expect.stringContaining("is announced")]);
    const needs = (changes: typeof parts) => decideStage(viewOf({ synced: true, locks: [], parts: changes })).needs;
    expect(needs(partsOf(registrations.producing))).toBe("nothing");
    expect(needs(parts)).toBe("attention");
    expect(needs(withSpork({}))).toBe("nothing");
    expect(needs(withSpork({ enforcedFrom: 77 }))).toBe("attention");
    // It is unknown whether the node has the spork.
    expect(needs(withSpork({ enforcedFrom: 77, isSure: false }))).toBe("nothing");
  });
});
