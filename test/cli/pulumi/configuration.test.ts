import { expect, test } from "vitest";
import { parseConfiguration, parseRawValues } from "../../../cli/pulumi/configuration.ts";
import { findBackendDirectory } from "../../../cli/pulumi/locks.ts";
import { findPassphrase, formatPulumiError } from "../../../cli/pulumi/pulumiCommand.ts";
import { extractRawConfig } from "../../../core/config/config.ts";
import { ProblemError } from "../../../core/util/problem.ts";
import { least } from "../../components/exampleConfig.ts";
import { printConfig } from "../fakePulumi.ts";

const printed = (config: Record<string, unknown>) => printConfig(config, "");

test("reads the project's keys, structured or plain", () => {
  const config = { "pillar-host:pillar": { name: "Anvil" }, "pillar-host:lifecycle": "active", "aws:region": "x" };
  const { raw } = extractRawConfig(parseRawValues(printed(config)));
  expect(raw).toEqual({ pillar: { name: "Anvil" }, lifecycle: "active" });
});

test("reads the address of the cloud's API, as pulumi up does", () => {
  const host = { provider: "digitalocean", token: "t", importId: 7 };
  const own = Object.entries({ ...least, lifecycle: "adopted", host }).map(([key, value]) => [
    `pillar-host:${key}`,
    value,
  ]);
  const at = (endpoint: string) => printed({ ...Object.fromEntries(own), "digitalocean:apiEndpoint": endpoint });
  expect(parseConfiguration("prod", at("https://api.example"))).toHaveProperty("apiEndpoint", "https://api.example");
  expect(parseConfiguration("prod", at("http://127.0.0.1:1"))).toHaveProperty("apiEndpoint", "http://127.0.0.1:1");
  for (const endpoint of ["http://api.example", "http://127.example", "ftp://127.0.0.1", "api.example"])
    expect(() => parseConfiguration("prod", at(endpoint))).toThrow("needed https, because the API token goes there");
});

test("names all faults at once, without a secret", () => {
  const config = {
    "pillar-host:pilar": { name: "Anvil" },
    "pillar-host:ssh": { privateKey: "ssh-ed25519 AAAA" },
    "pillar-host:host": least.host,
    "pillar-host:controller": least.controller,
    "pillar-host:sync": least.sync,
  };
  const read = () => parseConfiguration("prod", printed(config));
  expect(read).toThrow(ProblemError);
  expect(read).toThrow(`The configuration of stack prod has 3 faults:
  - pillar-host:pillar: missing, needed: The Pillar whose host this is
  - pillar-host:ssh.privateKey: found text, needed a private key, the file without .pub (-----BEGIN OPENSSH PRIVATE KEY-----…) (pulumi config set --secret --path pillar-host:ssh.privateKey -s prod)
  - pillar-host:pilar: no such key
Correct it in Pulumi.prod.yaml (docs/configuration.md has all keys), then run the command again.`);
});

test("says that a stack's file is missing, as on a second machine", () => {
  expect(() => parseConfiguration("organization/pillar-host/nope", "{}")).toThrow(
    /^the settings of stack nope are missing\n {2}found: no file \S+\/Pulumi\.nope\.yaml\n {2}needed: copy it /,
  );
});

test.each([
  ["no stack named 'nope' found", /^there is no stack nope here\n {2}needed: .*: \.\/pillar-host init nope$/],
  ["incorrect passphrase", /^the pass phrase does not open stack nope\n {2}needed: /],
  ["passphrase must be set with PULUMI_…", /^stack nope needs its pass phrase\n {2}needed: run the command in a/],
  ["no Pulumi.yaml project file found (searching upwards from /)", /^there is no Pulumi.yaml here\n/],
  ["something new\n", /^pulumi config failed: something new$/],
])("explains pulumi's error to the operator: %s", (stderr, text) => {
  expect(formatPulumiError("config", "nope", `error: ${stderr}`)).toMatch(text);
});

test.each([
  ["file:///srv/state", "/srv/state"],
  ["file:///srv/state?no_tmp_dir=true", "/srv/state"],
  ["file://~", process.env.HOME],
  ["s3://bucket", undefined],
])("finds the directory of a backend: %s", (url, directory) => {
  expect(findBackendDirectory(url)).toBe(directory);
});

test("asks once for each pass phrase, however often two stacks take turns", async () => {
  const typed: string[] = [];
  const asked: string[] = [];
  const open = (phrase: string) =>
    findPassphrase(
      typed,
      async (one) => one === phrase,
      async () => {
        asked.push(phrase);
        return phrase;
      },
    );
  for (const phrase of ["first", "second", "first", "second"]) expect(await open(phrase)).toBe(phrase);
  expect(asked).toEqual(["first", "second"]);
});
