import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { parseNodeHostFacts } from "../../../../core/ssh/hostFacts";
import { formatHostFacts } from "../../../../core/ssh/hostFactsText";
import { type ChainStage, test } from "./stage";

const told = async (stage: ChainStage, before = "") => {
  const { stdout, stderr } = await stage.call(`told`, {}, `told() { ${before} chain_copy_facts "$(chain_arriving)"; }`);
  expect(stderr).toBe("");
  return formatHostFacts(parseNodeHostFacts(stdout.split("\n"))).join("\n");
};
/** Writes a progress line of this many seconds ago, of a phase that had lasted this long. */
const noted = (phase: string, ago: number, lasted: number, bytes: number, all: number) =>
  `now=$(date +%s); printf '%s %s 0 %s %s %s\\n' ${phase} $((now - ${ago + lasted})) $((now - ${ago})) ${bytes} ${all} > "$chain_progress";`;

test("prints nothing without a copy under way", async ({ stage }) => {
  expect(await told(stage)).toBe("");
});

test("prints bytes, rate and time left during the copy", async ({ stage }) => {
  const at = (ago: number) => noted("travels", ago, 100, 1_250_000_000, 13_400_000_000);
  expect(await told(stage, at(2))).toBe("chain copy: 1.3 GB of 13.4 GB arrived (9 %), 100.0 Mbit/s, 16 min left");
  expect(await told(stage, at(90))).toMatch(
    /^chain copy: 1\.3 GB of 13\.4 GB arrived \(9 %\); no data since \d\d:\d\d:\d\d UTC$/,
  );
});

test("prints the steps after it", async ({ stage }) => {
  const after = async (phase: string) => told(stage, `${noted("travels", 0, 9, 7, 7)} chain_note ${phase};`);
  expect(await after("hashed")).toMatch(
    /^chain copy: 1 MB of 1 MB arrived \(100 %\), and their hash is computed, since [\d:]+ UTC$/,
  );
  expect(await after("used")).toContain(", and the node starts with them, since");
});

test("starts a phase anew after another phase", async ({ stage }) => {
  const line = await stage.call(
    "noted",
    {},
    `noted() { printf 'travels 1 0 2 50 100\\n' > "$chain_progress"; chain_note travels 60 100; chain_note hashed; cat "$chain_progress"; }`,
  );
  expect(line.stdout).toMatch(/^hashed (\d{5,}) 60 \1 60 100\n$/);
});

test("prints what an interrupted one left, and does not fail if it can't write", async ({ stage }) => {
  const arriving = join(stage.data, ".pillar-host-arriving");
  mkdirSync(arriving);
  writeFileSync(join(arriving, "file"), "x".repeat(3_000_000));
  expect(await told(stage)).toBe(
    `chain copy: 3 MB of an interrupted copy are in ${arriving}; the next run continues from there, or removes them`,
  );
  expect(await told(stage, 'rm -rf "$chain_runs"; : > "$chain_runs"; chain_note travels 1 2;')).toMatch(
    /^chain copy: 3 MB/,
  );
});
