import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { formatHostFacts, parseNodeHostFacts } from "../../../../core/ssh/hostFacts";
import { type ChainStage, test } from "./stage";

/** Returns what status shows after these commands. */
async function shown(stage: ChainStage, before = ""): Promise<string> {
  const script = `told() { ${before} chain_copy_facts "$(chain_arriving)"; }`;
  const { stdout, stderr } = await stage.call("told", {}, script);
  expect(stderr).toBe("");
  return formatHostFacts(parseNodeHostFacts(stdout.split("\n"))).join("\n");
}
/** Writes a progress line of this many seconds ago, of a phase that had lasted 100 seconds. */
const noted = (ago: number, bytes: number, all: number) =>
  `now=$(date +%s); printf 'travels %s 0 %s %s %s\\n' $((now - ${ago} - 100)) $((now - ${ago})) ${bytes} ${all} > "$chain_progress";`;
const gigabytes = [1_250_000_000, 13_400_000_000] as const;

test.for<[string, string, RegExp]>([
  ["nothing without a copy", "", /^$/],
  ["rate and time left", noted(2, ...gigabytes), /^chain copy: 1.3 GB of 13.4 GB arrived \(9 %\), 100.0 Mbit.*16 min/],
  ["a copy that stands still", noted(90, ...gigabytes), /arrived \(9 %\); no data since \d\d:\d\d:\d\d UTC$/],
  ["the hashing", `${noted(0, 7, 7)} chain_note hashed;`, /: 1 MB of 1 MB arrived .* their hash is computed, since \d/],
  ["the start", `${noted(0, 7, 7)} chain_note used;`, /, and the node starts with them, since/],
])("status shows %s", async ([, before, words], { stage }) => {
  expect(await shown(stage, before)).toMatch(words);
});

test("a phase starts anew after another phase", async ({ stage }) => {
  const script = `noted() { printf 'travels 1 0 2 50 100\\n' > "$chain_progress"; chain_note travels 60 100; chain_note hashed; cat "$chain_progress"; }`;
  expect((await stage.call("noted", {}, script)).stdout).toMatch(/^hashed (\d{5,}) 60 \1 60 100\n$/);
});

test("status shows what an interrupted copy left, and it is no failure if progress can't be written", async ({
  stage,
}) => {
  const arriving = join(stage.data, ".pillar-host-arriving");
  mkdirSync(arriving);
  writeFileSync(join(arriving, "file"), "x".repeat(3_000_000));
  const left = `chain copy: 3 MB of an interrupted copy are in ${arriving}; the next run continues from there, or removes them`;
  expect(await shown(stage, 'rm -rf "$chain_runs"; : > "$chain_runs"; chain_note travels 1 2;')).toBe(left);
});
