import { createHash } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { parseHashes } from "../../../../core/chainCopy/transfer";
import { test } from "./stage";

/** As long as a database's may be: what one process prints of 16 of them is still one write. */
const names = Array.from({ length: 300 }, (_, at) => `${String(at).padStart(6, "0")}${"0".repeat(120)}.ldb`);

test.for([
  ["old", "snapshot", "", /^renice\n.* -P 1 openssl dgst -r -sha256$/m],
  ["new", "arriving", 'has() { [ "$1" != openssl ] && command -v "$1" > /dev/null; }', /^.* -P 4 sha256sum$/m],
] as const)("each file on the %s host has its hash", async ([side, place, before, ran], { stage }) => {
  const directory = join(stage.data, `.pillar-host-${place}`, "nom");
  mkdirSync(directory, { recursive: true });
  for (const name of names) writeFileSync(join(directory, name), name);
  stage.box.command("renice", 'echo renice >> "$sandbox/ran"');
  stage.box.command("nproc", "echo 4");
  stage.box.command("xargs", 'echo "$@" >> "$sandbox/ran"; exec /usr/bin/xargs "$@"');
  const { code, stdout, stderr } = await stage.call("chain_manifest", { side }, before);
  expect([code, stderr]).toEqual([0, ""]);
  const hashes = names.map((name) => [`nom/${name}`, createHash("sha256").update(name).digest("hex")] as const);
  expect(new Map([...parseHashes(stdout, "203.0.113.7")].sort())).toEqual(new Map(hashes));
  expect(stage.box.read("ran")).toMatch(ran);
});

test("fails if a file cannot be read", async ({ stage }) => {
  mkdirSync(join(stage.data, ".pillar-host-arriving"));
  const { code, stderr } = await stage.call("chain_manifest", {}, `chain_find() { printf 'nom/none\\0'; }`);
  expect(code).not.toBe(0);
  expect(stderr).toContain("nom/none");
});
