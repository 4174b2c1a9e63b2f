import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { checkStackFile } from "../../../cli/init/checkAnswers.ts";
import { checkKeyFile, gatherSecrets, hasPassphrase, listMissingSecrets } from "../../../cli/init/stackSecrets.ts";
import { type Answers, findRequiredVersion, formatStackFile, readExample } from "../../../cli/init/stackText.ts";
import type { HostProvider } from "../../../core/config/hostSchema.ts";
import { uncommentEach } from "../../core/config/commentedBlocks.ts";

const hostKey = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIOMqqnkVzrm0SdG6UOoqKLsabgH5C9okWi0dh2l9GKJl";
const own: Answers = {
  stack: "prod-3",
  pillar: "Forge",
  provider: "existing",
  adopt: false,
  address: "203.0.113.8",
  hostKey,
  sshFrom: [],
  user: "root",
  port: 22,
  login: "agent",
  references: ["http://192.0.2.1:35997", "http://192.0.2.2:35997"],
};
const cloud: Answers = {
  ...own,
  provider: "hetzner",
  address: undefined,
  hostKey: undefined,
  sshFrom: ["192.0.2.1/32", "2001:db8::/64"],
  login: { keyFile: "~/.ssh/id_ed25519" },
};

const textOf = (answers: Answers) => formatStackFile(readExample(answers), answers);
const configOf = (answers: Answers) => parse(textOf(answers)).config;

const oldKey = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJ8zWlQBrYTQw5rLvxVNWYKmKTYCy1Wq4VJv0e7a9rQb";
const faultsOf = (answers: Answers) => checkStackFile("prod", textOf(answers), []);

describe("a stack's file made from an example", () => {
  const host = { "pillar-host:host": { provider: "existing", address: "203.0.113.8", hostKey } };
  const oldHost = { address: "198.51.100.9", hostKey: oldKey };
  const keyFile = "~/keys $& $1/id: # yes";
  const [url, sha256] = ["https://release.example/c.zip", `${"0123456789".repeat(6)}abcd`];
  const release = { release: url, releaseSha256: sha256 };
  const nodeRelease = { url: "https://release.example/$&/znnd.tar.gz", sha256, version: "v0.0.10" };

  test.each<[string, Partial<Answers>, object]>([
    ["the old host as the witness", { references: [], oldHost }, { "pillar-host:oldHost": oldHost }],
    ["references as witnesses", {}, { "pillar-host:sync": { references: own.references } }],
    [
      "the values of a new server",
      {},
      {
        "pillar-host:pillar": { name: "Forge" },
        ...host,
        "pillar-host:ssh": { user: "root", agent: true },
        "pillar-host:controller": { executable: "znn-controller" },
        "pillar-host:node": { service: "go-zenon" },
      },
    ],
    ["the present host, which is adopted", { adopt: true }, { "pillar-host:lifecycle": "adopted", ...host }],
    [
      "texts as values, whatever they look like",
      { pillar: "007", user: "true", port: 2222, login: { keyFile } },
      { "pillar-host:pillar": { name: "007" }, "pillar-host:ssh": { user: "true", privateKeyFile: keyFile } },
    ],
    ["the controller's release", release, { "pillar-host:controller": { release: { url, sha256 } } }],
    ["the node's release", { nodeRelease }, { "pillar-host:node": { release: nodeRelease, service: "go-zenon" } }],
  ])("has %s", (_, changes, config) => {
    expect(configOf({ ...own, ...changes })).toMatchObject(config);
    expect(faultsOf({ ...own, ...changes, login: "agent" })).toEqual([]);
    expect(textOf({ ...own, ...changes })).not.toMatch(/node-1\.example|REPLACE: witnesses/);
  });

  test.each(["hetzner", "digitalocean"] as const)("has the values of a server to be ordered at %s", (provider) => {
    const { "pillar-host:host": host, "pillar-host:ssh": ssh } = configOf({ ...cloud, provider });
    expect(host).toMatchObject({ provider, sshFrom: ["192.0.2.1/32", "2001:db8::/64"] });
    expect(ssh).toEqual({ privateKeyFile: "~/.ssh/id_ed25519" });
    expect(textOf({ ...cloud, provider })).toContain("pulumi config set -s prod-3 --secret");
    expect(textOf({ ...cloud, provider })).not.toContain("prod-2");
  });

  test("has no release of the node without an answer, but its keys as a comment; an adopted host has neither", () => {
    expect(configOf(own)["pillar-host:node"]).toEqual({ service: "go-zenon" });
    expect(textOf(own)).toMatch(/^ {4}#release:\n {4}# {2}url: https.*\n {4}# {2}sha256: .*\n {4}# {2}version: v/m);
    expect(textOf({ ...own, nodeRelease })).not.toMatch(/REPLACE: the node|#release:\n {4}# {2}url: .*znnd/);
    expect(textOf({ ...own, adopt: true })).not.toContain("release:");
  });

  test.each<[HostProvider, boolean, string | undefined]>([
    ["existing", false, "v0.0.10"],
    ["hetzner", false, "v0.0.10"],
    ["digitalocean", false, "v0.0.10"],
    ["existing", true, undefined],
  ])(
    "asks for a release of the main network's version, on a host that the controller sets up: %s %s",
    (provider, adopt, least) => expect(findRequiredVersion(readExample({ provider, adopt }))?.leastVersion).toBe(least),
  );

  test.each<[string, Partial<Answers>]>([
    ["a new server", {}],
    ["a new server beside the old host", { references: [], oldHost }],
    ["the node's release", { nodeRelease }],
    ["the present host", { adopt: true }],
    ["a server at Hetzner", cloud],
    ["a server at DigitalOcean", { ...cloud, provider: "digitalocean", oldHost }],
  ])("has commented blocks that work when they are uncommented, one at a time: %s", (_, changes) => {
    const answers: Answers = { ...own, ...changes };
    const token = answers.provider === "existing" ? [] : ([["host.token", "a".repeat(64)]] as const);
    const texts = uncommentEach(textOf(answers));
    expect(texts.length).toBeGreaterThan(0);
    for (const text of texts) {
      const faults = checkStackFile("prod", text, token);
      // This machine may have no key.
      expect(
        faults.filter((fault) => !fault.includes("ssh.privateKeyFile")),
        text,
      ).toEqual([]);
    }
  });

  test("leads editors to the schema", () => {
    expect(textOf(own)).toMatch(/^# yaml-language-server: \$schema=\.\/docs\/stack\.schema\.json\n/);
  });

  test("needs a witness, and an example with a place for each value", () => {
    expect(faultsOf({ ...own, references: [] })[0]).toMatch(/^pillar-host:sync\.references: /);
    expect(() => formatStackFile("config:\n", own)).toThrow("the example has no place for");
  });
});

test("keeps a password in no file, and makes it a secret of the stack", async () => {
  const answers = { ...own, login: "password" as const };
  expect(configOf(answers)["pillar-host:ssh"]).toEqual({ user: "root" });
  expect(listMissingSecrets(answers, [])).toEqual(["ssh.password"]);
  expect(listMissingSecrets(answers, [["ssh.password", "Root-Pony-5"]])).toEqual([]);
  expect(checkStackFile("prod", textOf(answers), [["ssh.password", "Root-Pony-5"]])).toEqual([]);
  expect(checkStackFile("prod", textOf(answers), [])).toHaveLength(1);
  expect(await gatherSecrets(answers, {})).toEqual([]);
});

test("accepts a file without the key's pass phrase, and refuses a wrong pass phrase", () => {
  const place = mkdtempSync(join(tmpdir(), "pillar-host-init-"));
  const keyFile = join(place, "locked");
  execFileSync("ssh-keygen", ["-q", "-t", "ed25519", "-N", "a phrase", "-f", keyFile]);
  const text = textOf({ ...own, login: { keyFile } });
  const wrong = text.replace(keyFile, `${keyFile}\n    privateKeyPassword: another`);
  expect([checkKeyFile(keyFile), hasPassphrase(keyFile)]).toEqual([undefined, true]);
  expect(checkStackFile("prod", text, [])).toEqual([]);
  expect(checkStackFile("prod", wrong, [])[0]).toMatch(/^pillar-host:ssh\.privateKeyPassword: does not open the /);
  writeFileSync(keyFile, readFileSync(keyFile, "utf8").slice(0, 60));
  expect(checkKeyFile(keyFile)).toEqual({
    wrong: "can't be read as a key",
    needed: expect.stringContaining(`ssh-keygen -p -f ${keyFile} rewrites it so`),
  });
  expect(checkKeyFile(join(place, "none"))?.wrong).toBe("does not exist on this machine");
  rmSync(place, { recursive: true });
});

test("reports faults of the file and the token, but no secret that is set later", () => {
  const bad = { ...cloud, sshFrom: ["192.0.2.1"], login: { keyFile: "/nonexistent/key" } };
  expect(checkStackFile("prod", textOf(bad), [["host.token", "short"]])).toEqual([
    expect.stringMatching(/^pillar-host:host\.token: found text, needed an API token of Hetzner/),
    expect.stringMatching(/^pillar-host:host\.sshFrom\.0: found "192\.0\.2\.1", needed a network/),
    expect.stringMatching(/^pillar-host:ssh\.privateKeyFile: "\/nonexistent\/key" does not exist/),
  ]);
});
