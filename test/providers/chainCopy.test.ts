import { expect, test } from "vitest";
import { isCopyDone } from "../../providers/chainCopy.ts";

const side = { host: { ssh: { address: "192.0.2.2", hostKey: "ssh-ed25519 AAAA", setUp: undefined } } };
const copied = { new: side, outcome: "copied" } as const;
const again = { word: 7, stallAfter: 900_000 };

test.for<[string, object, object, boolean]>([
  ["is done once", {}, {}, true],
  ["is not done without a result", { outcome: undefined }, {}, false],
  ["is done for a confirmation that is left over while the node is synced", {}, { again }, true],
  [
    "is not done for a confirmation if this run found the node not synced",
    {},
    { again: { ...again, found: "1" } },
    false,
  ],
  ["is not done after a run that did not end it", { again }, { begun: "2026-11-20T10:00:00Z" }, false],
  ["is not done on another disk", {}, { new: { host: { ssh: { ...side.host.ssh, setUp: "2" } } } }, false],
])("a copy %s", ([, olds, news, isDone]) => {
  expect(isCopyDone({ ...copied, ...olds }, { new: side, ...news })).toBe(isDone);
});
