import { createHash } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { parseHashes } from "../../../../core/chainCopy/transfer";
import { type ChainStage, test } from "./stage";

/** As long as a database's may be: what one process prints of 16 of them is still one write. */
const names = Array.from({ length: 300 }, (_, at) => `${String(at).padStart(6, "0")}${"0".repeat(120)}.ldb`);

/** Fills the place that a host of this side hashes. */
function filled({ data }: ChainStage, side: string): Map<string, string> {
  const place = join(data, side === "old" ? ".pillar-host-snapshot" : ".pillar-host-arriving", "nom");
  mkdirSync(place, { recursive: true });
  for (const name of names) writeFileSync(join(place, name), name);
  return new Map(names.map((name) => [`nom/${name}`, createHash("sha256").update(name).digest("hex")]));
}

/** Commands that note that they ran, in a file. */
const noting = ({ box }: ChainStage) => {
  box.command("renice", 'echo renice >> "$sandbox/ran"');
  box.command("nproc", "echo 4");
  box.command("xargs", 'echo "$@" >> "$sandbox/ran"; exec /usr/bin/xargs "$@"');
};

test.for([
  { side: "old", has: "openssl", ran: /^renice\n.* -P 1 openssl dgst -r -sha256$/m },
  { side: "new", has: "openssl", ran: /^.* -P 4 openssl dgst -r -sha256$/m },
  { side: "new", has: "no openssl", ran: /^.* -P 4 sha256sum$/m },
])("each file has its hash, on the $side host with $has", async ({ side, has, ran }, { stage }) => {
  const hashes = filled(stage, side);
  noting(stage);
  const lacking = has === "openssl" ? "" : 'has() { [ "$1" != openssl ] && command -v "$1" > /dev/null; }';
  const { code, stdout, stderr } = await stage.call("chain_manifest", { side }, lacking);
  expect([code, stderr]).toEqual([0, ""]);
  const found = parseHashes(stdout, "203.0.113.7");
  expect(new Map([...found].sort())).toEqual(hashes);
  expect(stage.box.read("ran")).toMatch(ran);
});

test("fails if a file cannot be read", async ({ stage }) => {
  filled(stage, "new");
  const gone = `chain_find() { printf 'nom/none\\0'; }`;
  const { code, stderr } = await stage.call("chain_manifest", {}, gone);
  expect(code).not.toBe(0);
  expect(stderr).toContain("nom/none");
});
