import { expect, test } from "vitest";
import { findUnknownSporks, formatSpork, parseSporks, type Spork } from "../../../core/chain/sporks.ts";
import { usualSporks } from "../../../lab/doubles/chain/index.ts";
import { evilText } from "../../evilText.ts";
import { clientOf } from "./readings.ts";

const known: Spork[] = parseSporks({ list: usualSporks });
const fresh: Spork = { id: "ab".repeat(32), name: "spork-next" };

test.each<[string, string | undefined, readonly Spork[], object[]]>([
  ["the sporks' own release: none", "v0.0.8", known, []],
  ["a build of that release: none", "v0.0.8-libznn", known, []],
  ["an old release", "v0.0.4", known, [{ name: "spork-htlc", isSure: true }, { name: "spork-bridge" }]],
  ["a newer spork", "v0.0.8", [...known, fresh], [{ id: fresh.id, isSure: true }]],
  ["a newer release than this program: perhaps", "v0.1.0", [...known, fresh], [{ id: fresh.id, isSure: false }]],
  ["a development build: perhaps", "v0.0.8-dev-55-gabc1234", [fresh], [{ isSure: false }]],
  ["an unknown version: perhaps", undefined, [fresh], [{ isSure: false }]],
])("finds the sporks that a node lacks: %s", (_what, version, sporks, found) =>
  expect(findUnknownSporks(sporks, version)).toMatchObject(found),
);

test("formats which release is needed, and by when", () => {
  expect(formatSpork({ ...fresh, isSure: true }, "v0.0.8")).toBe(
    "spork spork-next (abababab…) is announced, and the node here, v0.0.8, does not support it: a release that supports it is needed before the spork is enforced",
  );
  expect(formatSpork({ ...fresh, enforcedFrom: 77, isSure: false }, "v9.9.9")).toBe(
    "spork spork-next (abababab…) is enforced from height 77 on, and the table in core/chain/requiredVersions.json does not say whether the node here, v9.9.9, supports it: a node without support stops at that height",
  );
  // Anybody may name one.
  expect(formatSpork({ ...fresh, name: evilText, isSure: true }, evilText)).not.toContain("\u001b");
});

test("refuses an answer of another form; a node without the method has no sporks", async () => {
  expect(() => parseSporks({ list: [{ id: "x", name: "y", enforcementHeight: 0 }] })).toThrow("{id, name, ");
  const asked = (body: object) => clientOf(() => body);
  expect(await asked({ error: { code: -32601, message: "none" } }).sporks()).toEqual([]);
  expect(await asked({ result: { count: 3, list: usualSporks } }).sporks()).toEqual(known);
  await expect(asked({ error: { code: -32000, message: "broken" } }).sporks()).rejects.toThrow("broken");
});
