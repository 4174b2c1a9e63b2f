import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect } from "vitest";
import { findLogErrors, parseLife } from "../../../../core/orchestrator/move/verify.ts";
import { configLines, logLine } from "../../../../lab/doubles/orchestrator/logLines.ts";
import { defaultConfig } from "../../../../lab/doubles/orchestrator/stateDir.ts";
import { type LocalRoot, test } from "../localRoot.ts";

/** Excerpt of the output of orchestrator v0.0.9a from a start to its stop; keys, addresses and pass phrase are made up. */
const real = readFileSync(join(import.meta.dirname, "realLog.txt"), "utf8")
  .split("\n")
  .filter(Boolean);
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
  const variables = { directory: root.scratch, service: "o", executable: "o", log_lines: last, p2p_port: 55055 };
  return [...parseLife(await root.call("orchestrator_life", variables)).log];
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
    const variables = { directory: root.scratch, service: "o", executable: "o", p2p_port: 55055 };
    return parseLife(await root.call("orchestrator_life", variables)).peers;
  };
  expect(await peers(`printf '0 0 %s %s\\n' ${lines.join(" ")}`)).toBe(3);
  expect(await peers(":")).toBe(0);
});

test("reads of the unit's variables its home alone", async ({ root }) => {
  root.before = `systemctl() { case $* in *Environment*) echo 'KEY_PASS=hunter2 "TWO=2 x" HOME=/home/op MYHOME=/x' ;; *) echo Restart=on-failure ;; esac; }
    journalctl() { :; }; ss() { :; }`;
  const printed = await root.call("orchestrator_life", { service: "o", executable: "o", directory: "/x", p2p_port: 1 });
  expect(printed).not.toContain("hunter2");
  expect(parseLife(printed)).toMatchObject({ restart: "on-failure", home: "/home/op" });
});

describe.concurrent("the passed on log of an orchestrator", () => {
  test("has no long hex, as keys and signatures are", async ({ root }) => {
    const line = (hex: string) => logLine("INFO", "network/evm.go:1", `signed ${hex}`);
    const log = await passedOn(root, journalOf([line("ab".repeat(32)), line("ab".repeat(19))]), "a pass phrase");
    expect(log.map((each) => each.split("signed ")[1])).toEqual(["[removed]", "ab".repeat(19)]);
  });

  test("has no part of its configuration", async ({ root }) => {
    const log = await passedOn(root, journalOf(real), realPassphrase, 500);
    for (const piece of ["Horse", "Staple", "c0ffee5ecret", '"DataPath"', "ws://"])
      expect(log.join("\n")).not.toContain(piece);
    expect(log.slice(0, 2)).toEqual([
      expect.stringMatching(/\tpreparing node/),
      expect.stringMatching(/\tread producer$/),
    ]);
    expect(findLogErrors(log)).toEqual([]);
  });

  test.for([
    ["symbols", "a& b<c> \"d\" \\e $f 'g' `h`"],
    ["a pattern", ".*+?[x](y){2}^|"],
    ["letters that Go does not escape", "Pferd & Ünïcode 馬"],
    ["a line's end", "first half\nsecond half\t0 }"],
  ] as const)(
    "hides the double's pass phrase of %s, in its configuration and elsewhere",
    async ([, passphrase], { root }) => {
      const texts = [`opened with ${JSON.stringify(passphrase)}!`, "preparing node ... "];
      const lines = [...printed(passphrase), ...texts.map((text) => logLine("INFO", "node/node.go:80", text))];
      expect(lines.join("\n")).toContain(passphrase);
      const log = await passedOn(root, journalOf([`opened with ${passphrase}!`, ...lines]), passphrase);
      expect(log.map((line) => line.split("\t")[3])).toEqual(["preparing node ... "]);
    },
  );

  test("passes on what others log after the configuration", async ({ root }) => {
    const lines = printed("p");
    const ended = "orchestrator.service: Main process exited, code=exited, status=1/FAILURE";
    const malformed = "2026/11/22 08:03:35 Config malformed: please check error invalid character";
    const panic = "panic: open logs: read-only file system";
    const log = await passedOn(root, journalOf([...lines, "rest", ended, ...lines, malformed, ...lines, panic]), "p");
    expect(log).toEqual([ended, malformed, panic]);
  });
});
