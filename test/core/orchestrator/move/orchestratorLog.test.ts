import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect } from "vitest";
import { findLogErrors, parseLife } from "../../../../core/orchestrator/move/verify";
import { configLines, logLine } from "../../../../lab/doubles/orchestrator/logLines";
import { defaultConfig } from "../../../../lab/doubles/orchestrator/stateDir";
import { type LocalRoot, test } from "../localRoot";

/** Excerpt of the output of orchestrator v0.0.9a from a start to its stop; keys, addresses and pass phrase are made up. */
const real = readFileSync(join(__dirname, "realLog.txt"), "utf8").split("\n").filter(Boolean);
const realPassphrase = 'Horse & <"Staple\\> 7';

/** Returns a host's journal with lines of the orchestrator, and of systemd if they begin like its own. */
const journalOf = (lines: readonly string[], process = 77) =>
  lines.map((line) => {
    const who = line.startsWith("orchestrator.service: ") ? "systemd[1]" : `orchestrator[${process}]`;
    return `2026-11-22T08:03:35+0000 h ${who}: ${line}`;
  });

const config = (ProducerKeyFilePassphrase: string) => ({ ...defaultConfig("/root/.o"), ProducerKeyFilePassphrase });

/** Returns the double's printed configuration, line by line. */
const printed = (passphrase: string) =>
  configLines(config(passphrase)).flatMap(([place, text]) => logLine("INFO", place, text).split("\n"));

/** Returns the last lines as passed on from a host with this journal and this pass phrase. */
async function passedOn(root: LocalRoot, journal: readonly string[], passphrase: string, last = 50): Promise<string[]> {
  writeFileSync(join(root.scratch, "journal"), `${journal.join("\n")}\n`);
  writeFileSync(join(root.scratch, "config.json"), JSON.stringify(config(passphrase), undefined, 4));
  root.before = `systemctl() { echo ActiveState=active; }; ss() { :; }
    journalctl() { while [ "$1" != -n ]; do shift; done; tail -n "$2" "$directory/journal"; }`;
  const variables = { directory: root.scratch, service: "orchestrator", log_lines: last, p2p_port: 55055 };
  return [...parseLife(await root.call("signer_life", variables)).log];
}

test("counts connected orchestrators by address, in any address form", async ({ root }) => {
  const lines = [
    "203.0.113.9:55055 198.51.100.1:55055",
    "203.0.113.9:41000 198.51.100.1:55055",
    "203.0.113.9:55055 198.51.100.2:39999",
    "[::ffff:203.0.113.9]:55055 [::ffff:198.51.100.3]:55055",
  ];
  const peers = async (said: string) => {
    root.before = `systemctl() { :; }; journalctl() { :; }; ss() { ${said}; }`;
    const variables = { directory: root.scratch, service: "o", p2p_port: 55055 };
    return parseLife(await root.call("signer_life", variables)).peers;
  };
  expect(await peers(`printf '0 0 %s %s\\n' ${lines.join(" ")}`)).toBe(3);
  expect(await peers(":")).toBe(0);
});

describe.concurrent("the passed on log of an orchestrator", () => {
  test("passes a real log on without its configuration", async ({ root }) => {
    const log = await passedOn(root, journalOf(real), realPassphrase, 500);
    for (const piece of ["Horse", "Staple", "c0ffee5ecret", '"DataPath"', "ws://"])
      expect(log.join("\n")).not.toContain(piece);
    const at = (place: string) => real.findIndex((line) => line.includes(place));
    const stub = (place: string) => `${real[at(place)]?.split("\t").slice(0, 3).join("\t")}\t[its configuration]`;
    const told = [...real.slice(0, at("config.go:30")), stub("config.go:30"), stub("config.go:32")];
    const rest = real.slice(at("config.go:32") + 1);
    expect(log).toEqual([...told, ...rest].map((line) => line.replace(/[0-9a-f]{40}/, "[removed]")));
    expect(findLogErrors(log)).toEqual([]);
  });

  test.for([1, 10, 40, 55, 70])("shows no half of the JSON in the last %i lines", async (last, { root }) => {
    const end = real.findIndex((line) => line.includes("config.go:32"));
    const begun = real.slice(0, end);
    const before = Array.from({ length: 500 }, (_, index) => `noise ${index}`);
    const log = await passedOn(root, journalOf([...before, ...begun]), realPassphrase, last);
    expect(log.join("\n")).not.toMatch(/Horse|Staple|DataPath|Passphrase/);
    expect(log.at(-1)).toMatch(/app\/config\.go:30\t\[its configuration\]$/);
  });

  test("shows nothing of a configuration that began before the reading", async ({ root }) => {
    const end = real.findIndex((line) => line.includes("config.go:32"));
    const lines = [...real.slice(20, end), ...Array<string>(60).fill(logLine("INFO", "node/node.go:1", "on"))];
    const many = Array<string>(400).fill(real.find((line) => line.includes("Passphrase")) ?? "");
    const log = await passedOn(root, journalOf([...many, ...lines]), realPassphrase, 100);
    expect(new Set(log.map((line) => line.split("\t").at(-1)))).toEqual(new Set(["on"]));
  });

  test.for([
    ["symbols", "a& b<c> \"d\" \\e $f 'g' `h`"],
    ["a pattern", ".*+?[x](y){2}^|"],
    ["few characters", "ab"],
    ["letters that Go does not escape", "Pferd & Ünïcode 馬"],
    ["a line's end", "first half\nsecond half\t0 }"],
    ["a common word of logs", "INFO"],
  ] as const)("hides the double's pass phrase of %s", async ([, passphrase], { root }) => {
    const after = logLine("INFO", "node/node.go:80", "preparing node ... ");
    const lines = [...printed(passphrase), after];
    expect(lines.join("\n")).toContain(passphrase);
    const log = await passedOn(root, journalOf(["Starting orchestrator.", ...lines]), passphrase);
    expect(log).toHaveLength(4);
    expect(log.filter((line) => line.endsWith("[its configuration]"))).toHaveLength(2);
    expect(log.at(-1)?.replace("[removed]", "INFO")).toBe(after);
    if (passphrase !== "INFO") for (const half of passphrase.split("\n")) expect(log.join("\n")).not.toContain(half);
  });

  test("removes the pass phrase everywhere, in clear and in JSON form", async ({ root }) => {
    const passphrase = 'p&ss<w>"x\\y z1';
    const lines = [
      logLine("INFO", "node/node.go:9", `opened with ${passphrase}!`),
      logLine("INFO", "node/node.go:9", `opened with ${JSON.stringify(passphrase)}!`),
      logLine("INFO", "node/node.go:91", "read producer"),
    ];
    const log = await passedOn(root, journalOf(lines), passphrase);
    const texts = ["opened with [removed]!", 'opened with "[removed]"!', "read producer"];
    expect(log.map((line) => line.split("\t")[3])).toEqual(texts);
  });

  test("passes on what others log after the configuration", async ({ root }) => {
    const lines = printed("p");
    const ended = "orchestrator.service: Main process exited, code=exited, status=1/FAILURE";
    const malformed = "2026/11/22 08:03:35 Config malformed: please check error invalid character";
    const journal = [
      ...journalOf([...lines, "rest", ended, "Starting orchestrator."]),
      ...journalOf([...lines, "rest", malformed]),
      ...journalOf([...lines, "rest"]),
      ...journalOf(["panic: open logs: read-only file system"], 78),
    ];
    const log = (await passedOn(root, journal, "p")).filter((line) => !line.endsWith("[its configuration]"));
    expect(log).toEqual([ended, "Starting orchestrator.", malformed, "panic: open logs: read-only file system"]);
  });
});
