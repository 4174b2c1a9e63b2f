import { expect, test } from "vitest";
import { isCopyDone } from "../../providers/chainCopy.ts";

const host = { address: "192.0.2.2", hostKey: "ssh-ed25519 AAAA", setUp: undefined };
const copied = { ...host, outcome: "copied" } as const;

test.for<[string, object, object, boolean]>([
  ["is done once", {}, {}, true],
  ["is not done without a result", { outcome: undefined }, {}, false],
  ["is done for a confirmation that is left over while the node is synced", {}, { again: 7 }, true],
  ["is not done for a confirmation if this run found the node not synced", {}, { again: 7, found: "1" }, false],
  ["is not done after a run that did not end it", { again: 7 }, { begun: "2026-11-20T10:00:00Z" }, false],
  ["is not done on another disk", {}, { setUp: "2" }, false],
])("a copy %s", ([, olds, news, isDone]) => {
  expect(isCopyDone({ ...copied, ...olds }, { ...host, ...news })).toBe(isDone);
});
