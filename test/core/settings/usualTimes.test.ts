import { expect, test } from "vitest";
import { type Lengthy, usualTimes } from "../../../core/settings/usualTimes";

const least: Lengthy = {
  lifecycle: "active",
  host: { provider: "existing" },
  sync: { from: "network", wait: "block" },
};

test("an own server is not waited for; its sync is what takes long", () => {
  expect(usualTimes(least)).toEqual([
    "packages: 1 to 5 minutes",
    "controller and deploy: 2 to 10 minutes",
    "the sync: hours or days",
  ]);
});

test("with a cloud's server, the old host's chain and a signer, each has its line", () => {
  const lines = usualTimes({
    ...{ ...least, host: { provider: "hetzner" }, sync: { ...least.sync, from: "oldHost" } },
    orchestrator: { migrateFrom: {} },
  });
  expect(lines).toHaveLength(5);
  expect(lines[0]).toMatch(/^the server/);
  expect(lines).toContainEqual(expect.stringMatching(/^the old host's chain: a quarter of an hour/));
  expect(lines).not.toContainEqual(expect.stringMatching(/days/));
  expect(lines.at(-1)).toMatch(/^the signer's move/);
});

test("a host that is adopted is looked at alone", () => {
  expect(usualTimes({ ...least, lifecycle: "adopted" })).toEqual([
    "a minute: it is looked at, nothing on it is changed",
  ]);
});
