import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { outputsIn, readState } from "../lab/stack/stackState";

const directory = mkdtempSync(join(tmpdir(), "state-"));
afterEach(() => rmSync(directory, { recursive: true, force: true }));

const secret = { "4dabf18193072939515e22adb298388d": "1b47061264138c4ac30d75fd1eb44270", ciphertext: "v1:abc" };
const stack = { urn: "urn:pulumi:prod::pillar-host::pulumi:pulumi:Stack::pillar-prod", type: "pulumi:pulumi:Stack" };

test("reads a state in a directory, even an empty one, and none of another backend", async () => {
  const stacks = join(directory, ".pulumi/stacks/pillar-host");
  mkdirSync(stacks, { recursive: true });
  const latest = { resources: [stack] };
  writeFileSync(join(stacks, "prod.json"), JSON.stringify({ version: 3, checkpoint: { latest } }));
  writeFileSync(join(stacks, "bare.json"), JSON.stringify({ version: 3, checkpoint: {} }));
  expect(await readState(`file://${directory}`, "prod")).toEqual(latest);
  expect(await readState(`file://${directory}`, "bare")).toEqual({});
  expect(await readState("s3://state?region=us-east-1", "prod")).toBeUndefined();
});

test("outputs are those of the stack, without its secrets", () => {
  const outputs = { a: 1, key: secret, list: [{ inner: secret }] };
  const other = { ...stack, type: "pillar-host:x:Y", outputs: { other: 1 } };
  const shown = { a: 1, key: "[secret]", list: [{ inner: "[secret]" }] };
  expect(outputsIn({ resources: [other, { ...stack, outputs }] })).toEqual(shown);
  expect(outputsIn({})).toEqual({});
});
