import { chmodSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { formatMetrics } from "../../../cli/status/metricsText.ts";
import { createMissingServerError, type StackWithHost } from "../../../cli/status/openStack.ts";
import { summarize } from "../../../cli/status/overview.ts";
import type { StackLookup } from "../../../cli/status/stackView.ts";
import { ProblemError } from "../../../core/util/problem.ts";
import { scratchDirectory } from "../../scratchDirectory.ts";
import { clock, facts, partsOf, progress, registrations, viewOf } from "../exampleView.ts";
import { runTool } from "../fakePulumi.ts";
import { parseExposition } from "./expositionFormat.ts";

const looked = (stack: string, changes: Parameters<typeof viewOf>[0] = {}, exitCode = 1): StackLookup => ({
  stack,
  exitCode,
  view: viewOf({ stack, ...changes }),
});
const refusal = new ProblemError({ what: "no" });

/** Returns the metrics of a look, by name and then by the labels that are no pillar, with values. */
function read(...all: readonly StackLookup[]) {
  const text = formatMetrics(
    summarize(all).map(({ json }) => json),
    clock,
  );
  const found: Record<string, Record<string, number>> = {};
  for (const { name, labels, value } of parseExposition(text)) {
    const { pillar: _, ...rest } = labels;
    found[name] = { ...found[name], [Object.values(rest).join(" ")]: value };
  }
  return found;
}

test("the metrics of a syncing host have base units", () => {
  const found = read(looked("prod", { parts: partsOf(registrations.producing) }));
  expect(found).toEqual({
    pillar_host_look_timestamp_seconds: { prod: clock / 1000 },
    pillar_host_look_success: { prod: 1 },
    pillar_host_needs: { "prod wait": 1 },
    pillar_host_synced: { prod: 0 },
    pillar_host_node_height: { prod: 16_365 },
    pillar_host_target_height: { prod: 20_021 },
    pillar_host_sync_ratio: { prod: expect.closeTo(0.817) },
    pillar_host_sync_left_seconds: { prod: 780 },
    pillar_host_node_active: { prod: 1 },
    pillar_host_node_restarts: { prod: 0 },
    pillar_host_node_peers: { prod: 8 },
    pillar_host_node_version: { "prod v0.0.8": 1 },
    pillar_host_version_gaps: { prod: 0 },
    pillar_host_unknown_sporks: { prod: 0 },
    pillar_host_registered: { prod: 1 },
    pillar_host_producing: { prod: 1 },
    pillar_host_momentums_expected: { prod: 10 },
    pillar_host_momentums_produced: { prod: 9 },
    pillar_host_orchestrator: { "prod none": 1 },
    pillar_host_orchestrator_wrong: { prod: 0 },
    pillar_host_locks: { prod: 1 },
    pillar_host_disk_size_bytes: { prod: 264_200_000 * 1024 },
    pillar_host_disk_free_bytes: { prod: 75_000_000 * 1024 },
  });
});

test("the metrics of memory, clock, ports and destroy are there if the host reports them", () => {
  const port = { port: 35_997, what: "the node's RPC", wanted: "closed", listens: true } as const;
  const found = read(
    looked("prod", {
      lifecycle: "retiring",
      facts: {
        ...facts,
        memory: { total: 8000, available: 2000, swap: 0, swapFree: 0 },
        clock: { now: "x", isKept: false },
      },
      parts: partsOf(registrations.earlier, {
        ports: {
          value: [
            { ...port, seen: "open" },
            { ...port, port: 35_998, seen: "filtered" },
          ],
        },
        destroy: { value: [] },
      }),
    }),
  );
  expect(found).toMatchObject({
    pillar_host_memory_size_bytes: { prod: 8_192_000 },
    pillar_host_memory_available_bytes: { prod: 2_048_000 },
    pillar_host_clock_synchronized: { prod: 0 },
    pillar_host_ports_wrong: { prod: 1 },
    pillar_host_destroy_unmet: { prod: 0 },
  });
});

test("a stack that could not be read has no values of its host", () => {
  const silent = { observation: { kind: "none", reason: "no login" }, percent: undefined, left: undefined } as const;
  const host = { sync: progress(silent), facts: undefined, locks: undefined, parts: partsOf(registrations.unknown) };
  const source = { config: { pillar: { name: "Anvil" } } } as StackWithHost;
  for (const lookup of [looked("prod", host, 2), { stack: "prod", source, refusal }] as const) {
    const text = formatMetrics(
      [...summarize([lookup])].map(({ json }) => json),
      clock,
    );
    expect(parseExposition(text).map(({ labels }) => labels.pillar)).not.toContain("");
    const found = read(lookup);
    expect(found).toMatchObject({
      pillar_host_look_success: { prod: 0 },
      pillar_host_needs: { "prod unseen": 1 },
      pillar_host_look_timestamp_seconds: { prod: clock / 1000 },
    });
    expect(Object.keys(found).filter((name) => /synced|height|ratio|left|registered|bytes|peers/.test(name))).toEqual(
      [],
    );
  }
});

test("a server that is not there yet, or not any more, is no failed look", () => {
  const isRead = (isRetired: boolean) => read({ stack: "prod", refusal: createMissingServerError("prod", isRetired) });
  expect(isRead(false)).toMatchObject({ pillar_host_look_success: { prod: 1 }, pillar_host_needs: { "prod step": 1 } });
  expect(isRead(true)).toMatchObject({ pillar_host_look_success: { prod: 1 } });
});

test("names that hold quotes, backslashes and line ends are escaped", () => {
  const stack = 'a"b\\c\nd{}=,';
  expect(read(looked(stack), looked("prod")).pillar_host_look_success).toEqual({ [stack]: 1, prod: 1 });
});

test("the parser of this test refuses what Prometheus or node_exporter refuses", () => {
  const head = "# HELP a x\n# TYPE a gauge\n";
  expect(parseExposition(`${head}a{b="c"} 1\na 2e3\n`)).toHaveLength(2);
  for (const wrong of [
    `${head}a 1`,
    "a 1\n",
    `${head}a 1 1700000000000\n`,
    `${head}a{b="c"d"} 1\n`,
    `${head}a{b="c\\d"} 1\n`,
    `${head}a{b=c} 1\n`,
    `${head}a true\n`,
    `${head}a 1\n${head}a{b="c"} 1\n`,
    `${head}a 1\na 2\n`,
    `${head}a 1\n# HELP b x\n# TYPE b gauge\nb 1\na{c="d"} 1\n`,
    "# HELP a x\n# TYPE a number\na 1\n",
    `${head}a 1\n\n`,
  ])
    expect(() => parseExposition(wrong), wrong).toThrow();
});

const place = scratchDirectory();
/** A pulumi with one stack that can't be opened. */
const closed = `case $1 in
stack) [ $2 = ls ] && echo '[{"name":"prod"}]' && exit ;;
whoami) echo '{"url":"file:///nowhere"}'; exit ;;
esac
echo 'error: incorrect passphrase' >&2; exit 255`;
async function runStatus(args: readonly string[], umask = 0o022) {
  const before = process.umask(umask);
  const ran = runTool(place(), closed, ["status", ...args]);
  process.umask(before);
  return ran;
}

test("--metrics replaces the file at once, readable by everybody, also with --notify and a narrow umask", async () => {
  mkdirSync(join(place(), "textfile"));
  const file = join(place(), "textfile/pillar_host.prom");
  writeFileSync(file, "pillar_host_synced 1\n");
  chmodSync(file, 0o600);
  const { exitCode, stdout } = await runStatus(["--metrics", file, "--notify"], 0o077);
  expect([exitCode, stdout]).toEqual([2, expect.stringContaining("unseen  prod")]);
  const samples = parseExposition(readFileSync(file, "utf8"));
  const labels = { stack: "prod", pillar: "" };
  expect(samples).toContainEqual({ name: "pillar_host_look_success", labels, value: 0 });
  expect(samples.map(({ name }) => name)).not.toContain("pillar_host_synced");
  expect(statSync(file).mode & 0o777).toBe(0o644);
  expect(readdirSync(join(place(), "textfile"))).toEqual(["pillar_host.prom"]);
});

test("--metrics makes a directory that everybody may enter; if it can't, stacks are shown and alerts sent", async () => {
  const refused = await runStatus(["--metrics", join(place(), "metrics.txt")]);
  expect([refused.exitCode, refused.stderr]).toEqual([2, expect.stringContaining("whose name ends in .prom")]);
  const made = await runStatus(["--metrics", join(place(), "textfile/a.prom")]);
  expect(made.stdout).toContain("unseen  prod");
  expect(statSync(join(place(), "textfile")).mode & 0o777).toBe(0o755);
  const wrong = await runStatus(["--metrics", join(place(), "textfile/a.prom/b.prom"), "--notify"]);
  expect([wrong.exitCode, wrong.stdout]).toEqual([2, expect.stringContaining("unseen  prod")]);
  expect(wrong.stderr).toMatch(/the webhook of prod was not notified[\s\S]*this machine refused an operation/);
});
