import { describe, expect, test } from "vitest";
import { knownRelease } from "../../core/config/orchestratorSchema.ts";
import type { TerminalSize } from "../../lab/operator/screen.ts";
import { least } from "../components/exampleConfig.ts";
import { scratchDirectory } from "../scratchDirectory.ts";
import { printConfig, typeTool } from "./fakePulumi.ts";

const place = scratchDirectory();
const ctrlC = "\u0003";
const narrow = { columns: 80, rows: 24 };
const wide = { columns: 120, rows: 40 };

const hostKey = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIFGSBtGbUCwrGN7Gq8VzKQVWmBcQTTWqvSAZ8qkzNQVS";
const oldKey = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIOMqqnkVzrm0SdG6UOoqKLsabgH5C9okWi0dh2l9GKJl";
const config = { ...least, host: { ...least.host, hostKey } };
const old = { ...least, host: { ...least.host, address: "198.51.100.9", hostKey: oldKey }, lifecycle: "adopted" };
const stateOf = (host: object) =>
  JSON.stringify({
    deployment: { resources: [{ type: "pulumi:pulumi:Stack", urn: "urn", outputs: { __run: { host } } }] },
  });

/** Pulumi, with both stacks; an `up` works until Ctrl-C, and needs a while to end. */
const pulumi = `case "$*" in
"up "*|"destroy "*) trap 'sleep 0.3; echo "error: update canceled"; exit 1' INT; i=0; while [ $i -lt 40 ]; do i=$((i+1)); echo "row $i"; done; while :; do sleep 0.1; done;;
whoami*) echo '{"url":"file:///here"}';;
"stack ls"*) echo '[{"name":"prod-1"},{"name":"prod-2"}]';;
"config --json"*"-s prod-1 "*) echo '${printConfig(old)}';;
"config --json"*) echo '${printConfig(config)}';;
"stack export"*"-s prod-1 "*) echo '${stateOf(old.host)}';;
"stack export"*) echo '${stateOf(config.host)}';;
*host.address*"-s prod-1 "*) echo 198.51.100.9;;
esac`;

const noStack = `case "$*" in whoami*) echo '{"url":"file:///here"}';; *) echo '[]';; esac`;
const withoutAnswer = pulumi.replace("case", 'case "$1" in config) sleep 30;; esac\ncase');

/** Returns the end of the screen, with wrapped lines whole. */
const endOf = (screen: string, { columns }: TerminalSize) =>
  screen
    .replaceAll(new RegExp(`(.{${columns}})\\n`, "g"), "$1")
    .split("\n")
    .slice(-5)
    .join("\n");

describe.each([narrow, wide])("in a terminal of $columns columns", (size) => {
  test.each([
    `adopt prod-1 198.51.100.9 --host-key '${oldKey}' --like prod-2`,
    `move prod-2 --from prod-1 --release ${knownRelease} --release-sha256 ${"ab".repeat(32)} --first-move`,
    "retire prod-1 --successor prod-2",
    "resume prod-2",
  ])("Ctrl-C in the run of %s ends that run alone, and then with the command that continues", async (command) => {
    const line = `./pillar-host ${command}`;
    const { exitCode, screen } = await typeTool(place(), pulumi, line, size, [{ seen: /row 40/, reply: ctrlC }]);
    expect([exitCode, endOf(screen, size)]).toEqual([
      1,
      `^Cerror: update canceled\n\nNothing is lost. Solve the problem above, if there is one, then run:\n  ${line}\n`,
    ]);
  });

  test.each([
    ["move prod-1 --from prod-1", "  needed: give --from the stack of another host of Pillar Anvil\n"],
    ["retire prod-1 --successor prod-1", "  needed: give --successor the stack of another host of Pillar Anvil\n"],
  ])("the refusal of %s ends with what is needed", async (command, end) => {
    const { exitCode, screen } = await typeTool(place(), pulumi, `./pillar-host ${command}`, size, []);
    expect([exitCode, screen.slice(-end.length)]).toEqual([2, end]);
    expect(screen).toContain(": nothing was ");
  });

  test.each([
    ["a question of init", noStack, /Pillar's name on chain\?/],
    ["the first look", withoutAnswer, /Reading prod-1/],
  ])("Ctrl-C in migrate at %s ends with the same command", async (_, script, seen) => {
    const line = "./pillar-host migrate prod-1 prod-2 --yes";
    const { exitCode, screen } = await typeTool(place(), script, line, size, [{ seen, reply: ctrlC }]);
    expect(exitCode).toBe(130);
    expect(endOf(screen, size)).toMatch(
      /\n(\^C)?\nNothing is lost\. To continue:\n {2}\.\/pillar-host migrate prod-1 prod-2 --yes\n$/,
    );
  });
});
