import { existsSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { least } from "../components/exampleConfig";
import { scratchDirectory } from "../scratchDirectory";
import { printConfig, runTool } from "./fakePulumi";

const key = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIOMqqnkVzrm0SdG6UOoqKLsabgH5C9okWi0dh2l9GKJl";
const ownKey = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIFGSBtGbUCwrGN7Gq8VzKQVWmBcQTTWqvSAZ8qkzNQVS";
const place = scratchDirectory();

beforeEach(() => {
  writeFileSync(join(place(), "key"), "");
});

/** Runs the tool with a pulumi that has the stack prod-2. @returns its output, and the changes requested from pulumi */
async function run(...args: string[]) {
  const config = printConfig({ ...least, host: { ...least.host, hostKey: ownKey } });
  const script = `echo "$*" >> asked
case "$1 $2" in "config --json") echo '${config}';; "stack ls") echo '[]';; esac`;
  const env = { PULUMI_BACKEND_URL: `file://${place()}`, PULUMI_CONFIG_PASSPHRASE: "x" };
  const { exitCode, all } = await runTool(place(), script, args, env);
  const asked = existsSync(join(place(), "asked")) ? readFileSync(join(place(), "asked"), "utf8") : "";
  return { exitCode, all, changes: asked.split("\n").filter((line) => /^(stack init|config (set|rm))/.test(line)) };
}

const adopt = (address: string, hostKey: string) =>
  run("adopt", "--like", "prod-2", "--no-up", "--host-key", hostKey, "--", "old", address);

test.each([
  ["$(id) x", key, "address"],
  ["-oX", key, "address"],
  ["198.51.100.9", `ssh-x"},"stage":"y ssh-ed25519 AAAA`, "--host-key"],
])("adopt refuses what the configuration would refuse: %s, %s", async (address, hostKey, named) => {
  const { exitCode, all, changes } = await adopt(address, hostKey);
  expect([exitCode, changes]).toEqual([2, []]);
  expect(all).toMatch(new RegExp(`^ {2}- ${named}: needed `, "m"));
});

test("adopt refuses the other stack's own host under another name", async () => {
  const { exitCode, all, changes } = await adopt("localhost", `localhost ${ownKey} root@here`);
  expect([exitCode, changes]).toEqual([2, []]);
  expect(all).toContain("localhost is the host of prod-2 already: nothing was made");
});

const initAnswers = [
  ...["--pillar", "Anvil", "--provider", "existing", "--address", "203.0.113.8", "--host-key", key, "--agent"],
  ...["--reference", "http://203.0.113.10:35997"],
];

test.each([
  [["--pillar", "An\nvil"], "--pillar"],
  [["--address", "-oX"], "--address"],
  [["--host-key", "nonsense"], "--host-key"],
])("init refuses %j by its flag, before any question", async (bad, named) => {
  const { exitCode, all, changes } = await run("init", "new", ...initAnswers, ...bad);
  expect([exitCode, changes]).toEqual([2, []]);
  expect(all).toMatch(new RegExp(`^ {2}- ${named}: `, "m"));
  expect(all).not.toMatch(/ {4}at /);
  expect(readdirSync(place()).filter((name) => name.startsWith("Pulumi."))).toEqual([]);
});

test.each([
  ["a name that is too long", "a".repeat(300), "ENAMETOOLONG"],
  ["a file that another init makes meanwhile", "beside", "EEXIST"],
])("init names the problem in words: %s", async (_, stack, code) => {
  // A reader finds no file here, and a writer finds one.
  symlinkSync("nowhere", join(place(), "Pulumi.beside.yaml"));
  const { exitCode, all, changes } = await run("init", stack, ...initAnswers);
  expect([exitCode, changes]).toEqual([2, []]);
  expect(all).toMatch(new RegExp(`^ {2}found: ${code}: .*\n {2}needed: \\w`, "m"));
  expect(all).not.toMatch(/^ {4}at /m);
});
