import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, beforeEach, expect, test, vi } from "vitest";
import { parse } from "yaml";
import { gatherAnswers } from "../../../cli/init/gatherAnswers.ts";
import { choosePassphrase } from "../../../cli/init/stackSecrets.ts";
import { formatStackFile, readExample } from "../../../cli/init/stackText.ts";
import { ProblemError } from "../../../core/util/problem.ts";
import { fakeNode, sshHost, synced, use } from "../../core/chain/fakes.ts";
import { scratchDirectory } from "../../scratchDirectory.ts";

/** A question's pattern, and the answer that is typed. */
type Typed = readonly [question: RegExp, answer: string | boolean];

/** The answers that are left, and all that was on the screen: questions, refused answers, and the program's lines. */
const terminal = vi.hoisted(() => {
  // Files share a process: a module that another file has loaded would keep the real terminal.
  vi.resetModules();
  return { typed: [] as Typed[], screen: [] as string[], choices: [] as string[] };
});
// Later files would get the modules with this file's terminal.
afterAll(() => void vi.resetModules());

vi.mock("../../../cli/terminal/prompts.ts", () => {
  const answer = (message: string) => {
    terminal.screen.push(message);
    const [[question, given] = []] = terminal.typed.splice(0, 1);
    if (!question?.test(message)) throw new Error(`asked "${message}", expected ${question}`);
    return given;
  };
  return {
    isTerminal: () => true,
    askConfirmation: async (message: string) => answer(message),
    askSecret: async (message: string) => answer(message),
    askChoice: async (message: string, choices: readonly { readonly value: string }[]) => {
      terminal.choices = choices.map(({ value }) => value);
      return answer(message);
    },
    askText: async (message: string, { validate = () => true, default: usual = "" }: TextOptions = {}) => {
      for (;;) {
        const text = String(answer(message)) || usual;
        const verdict = await validate(text);
        if (verdict === true) return text;
        terminal.screen.push(String(verdict));
      }
    },
  };
});

vi.mock("../../../cli/terminal/confirmRelease.ts", () => ({
  confirmRelease: async (what: string, url: string) => {
    terminal.screen.push(`${what}: ${url}`);
    if (url.includes("gone")) throw new ProblemError({ what: "a release's hash could not be read" });
    return url.includes("znnd") ? "ab".repeat(32) : "cd".repeat(32);
  },
}));

const pillars = {
  "embedded.pillar.getByName": (name: string) =>
    name === "Anvil" ? { name, producerAddress: "z1qo", withdrawAddress: "z1qw" } : null,
  "embedded.pillar.getAll": { count: 1, list: [{ name: "Anvil" }] },
};

interface TextOptions {
  readonly default?: string;
  readonly validate?: (text: string) => boolean | string | Promise<boolean | string>;
}

const place = scratchDirectory();
afterEach(() => void vi.unstubAllEnvs());

/** Writes a ~/.ssh/config, which ssh reads in place of this user's. */
const configureSsh = (...lines: string[]) =>
  writeFileSync(join(place(), "config"), [...lines, `Host *\n  UserKnownHostsFile ${place()}/known`, ""].join("\n"));

beforeEach(() => {
  terminal.typed = [];
  terminal.screen = [];
  configureSsh();
  const command = `#!/bin/sh\nPATH=/usr/bin:/bin exec ssh -F '${place()}/config' "$@"\n`;
  writeFileSync(join(place(), "ssh"), command, { mode: 0o700 });
  vi.stubEnv("PATH", `${place()}:${process.env.PATH}`);
  vi.spyOn(console, "error").mockImplementation((line) => void terminal.screen.push(String(line)));
});

const screen = () => terminal.screen.join("\n");
const controller = { release: "https://r.example/c.zip", releaseSha256: "cd".repeat(32) };
const flags = { pillar: "Anvil", provider: "existing", nodeRelease: false, agent: true, ...controller } as const;

/** Answers the questions in this order. @returns the answers of init */
async function typing(typed: readonly Typed[], more: Parameters<typeof gatherAnswers>[1] = {}) {
  terminal.typed = [...typed];
  const answers = await gatherAnswers("prod-2", { ...flags, ...more });
  expect(terminal.typed).toEqual([]);
  return answers;
}

const present = /the Pillar's present host/;
const chain = /Where does the new node's chain come from\?/;
const independent = /independent nodes' RPCs/;

/** Names a node that knows the Pillar Anvil. */
let references: Typed = [independent, ""];
beforeEach(async () => {
  const node = await fakeNode({ ...synced(2752), ...pillars }, "127.0.0.3");
  references = [independent, `http://127.0.0.3:${node.port}`];
  return node.close;
});

test("refuses the new host as the present host at that question, by address and by host key", async () => {
  const host = await use(sshHost());
  const other = { reference: [], oldHostKey: "ssh-ed25519 AAAA" };
  const given = { address: "127.0.0.1", port: String(host.port), hostKey: host.hostKey };

  const byAddress = await typing([[present, "127.0.0.1"], [present, ""], references], { ...given, ...other });
  expect(byAddress).toMatchObject({ oldHost: undefined, references: [references[1]] });
  expect(screen()).toContain("127.0.0.1 is the new host itself; nothing was written\n  needed: give the address of");

  await typing([[present, "localhost"], [present, ""], references], given);
  expect(screen()).toContain("localhost is the new host itself");
  expect(screen()).not.toContain("Is it the same key?");
});

test("refuses the new host as --old-host, without a question", async () => {
  const old = { oldHost: "192.0.2.2", oldHostKey: key };
  await expect(typing([], { ...given, ...old })).rejects.toThrow("192.0.2.2 is the new host itself");
});

/** Starts a node that knows the Pillar Anvil, and no other. */
const nodeOfAnvil = async (more: object = {}, address = "127.0.0.2") =>
  `http://${address}:${(await use(fakeNode({ ...synced(2752), ...pillars, ...more }, address))).port}`;

const key = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIOMqqnkVzrm0SdG6UOoqKLsabgH5C9okWi0dh2l9GKJl";
const given = { address: "192.0.2.1", hostKey: key };

test("asks for the Pillar's name again if no witness knows it, with the nearest names", async () => {
  const node = await nodeOfAnvil();
  const name = /What is the Pillar's name on chain\?/;
  const typed: Typed[] = [
    [name, "Anvill"],
    [present, ""],
    [independent, node],
    [name, "anvil"],
    [name, "Anvil"],
  ];
  expect(await typing(typed, { ...given, pillar: undefined })).toMatchObject({ pillar: "Anvil", references: [node] });
  expect(screen()).toContain(
    `no Pillar "Anvill" on the chain of reference ${node} (height 2752):\n  its nearest names: Anvil\n`,
  );
  expect(screen()).toContain(`no Pillar "anvil" on the chain of`);
  expect(screen()).not.toContain("Not asked yet");
});

test("refuses an unknown --pillar, and says if no witness could be asked", async () => {
  const node = await nodeOfAnvil();
  const unknown = typing([], { ...given, pillar: "Anvill", reference: [node] });
  await expect(unknown).rejects.toThrow(
    /^no Pillar "Anvill" on .*; nothing was written\n {2}found: its nearest names: Anvil/,
  );
  await typing([], { ...given, oldHost: "192.0.2.2", oldHostKey: "ssh-ed25519 AAAA" });
  expect(screen()).toContain("Not asked yet: whether Anvil is registered. ./pillar-host check prod-2 asks the chain.");
});

test("asks for another pass phrase if one is too short, or typed differently the second time", async () => {
  const choose = /^Choose a pass phrase:$/;
  const repeat = /^Repeat the pass phrase:$/;
  const phrase = "four random words";
  terminal.typed = [
    [choose, "x"],
    [choose, ""],
    [choose, `${" ".repeat(9)}three`],
    [choose, phrase],
    [repeat, "other"],
  ];
  terminal.typed.push([choose, phrase], [repeat, phrase]);
  expect(await choosePassphrase()).toBe(phrase);
  expect(screen().match(/This one is too short/g)).toHaveLength(3);
});

const address = /What is the host's address\?/;
const user = /Which user logs in/;
const same = /Is it the same key\?/;
const reference = ["http://127.0.0.1:1"];

/** Writes a key without a pass phrase. @returns its file, and its public half */
function writeKey(name: string) {
  const file = join(place(), name);
  execFileSync("ssh-keygen", ["-q", "-t", "ed25519", "-N", "", "-f", file]);
  return { file, line: readFileSync(`${file}.pub`, "utf8") };
}

/** Returns the keys of the stack's file that init writes. */
const written = (answers: Awaited<ReturnType<typeof typing>>) =>
  parse(formatStackFile(readExample(answers), answers)).config;

test("takes a name of ~/.ssh/config: its address, port and user, and its key first", async () => {
  const host = await use(sshHost());
  const { file } = writeKey("own-key");
  configureSsh(
    "Host pillar-2",
    `  HostName 127.0.0.1\n  Port ${host.port}\n  User operator\n  IdentityFile ${file}`,
    "Match host 198.51.100.9\n  User old-admin\n  Port 2222",
  );
  const typed: Typed[] = [[address, "pillar-2"], [same, true], [user, ""], [present, "198.51.100.9"], references];
  typed.push([chain, "network"], [/How does the program log in\?/, file]);
  const answers = await typing(typed, { agent: undefined, oldHostKey: key });
  expect(written(answers)).toMatchObject({
    "pillar-host:host": { address: "127.0.0.1", hostKey: host.hostKey },
    "pillar-host:ssh": { user: "operator", port: host.port, privateKeyFile: file },
    "pillar-host:oldHost": { address: "198.51.100.9", hostKey: key, user: "old-admin", port: 2222 },
  });
  expect(terminal.choices[0]).toBe(file);
});

test("takes user@address, and an option before what ssh has", async () => {
  const host = await use(sshHost());
  configureSsh("Host 127.0.0.1\n  Port 1\n  User configured");
  const port = String(host.port);
  const typed: Typed[] = [
    [address, "root@x y"],
    [address, "me@127.0.0.1"],
    [same, true],
    [present, ""],
  ];
  expect(await typing([...typed, references], { port })).toMatchObject({
    address: "127.0.0.1",
    user: "me",
    port: host.port,
  });
  expect(screen()).toContain("needed an IP address, a host name, or a name of ~/.ssh/config");
  expect(await typing([], { address: "me@127.0.0.1", hostKey: key, port: "24", user: "op", reference })).toMatchObject({
    user: "op",
    port: 24,
  });
});

test("works without ssh: the name is the address", async () => {
  vi.stubEnv("PATH", "/nonexistent");
  expect(await typing([], { address: "me@pillar-2", hostKey: key, reference })).toMatchObject({
    address: "pillar-2",
    user: "me",
    port: 22,
  });
});

test("reaches a host through the jump host of ~/.ssh/config, whose key is confirmed, too", async () => {
  const { file, line } = writeKey("jump-key");
  const attempts: string[] = [];
  const bastion = await use(
    sshHost((attempt) => {
      attempts.push(`${attempt.username} ${attempt.method}`);
      return attempt.method === "publickey" && attempt.key.data.toString("base64") === line.split(" ")[1];
    }),
  );
  const host = await use(sshHost());
  configureSsh(
    `Host inside\n  HostName 127.0.0.1\n  Port ${host.port}\n  ProxyJump gate`,
    `Host gate\n  HostName 127.0.0.1\n  Port ${bastion.port}\n  User jumper\n  IdentityFile ${file}`,
    "Host far\n  ProxyJump gate,inside",
  );
  const login: Typed = [/How does the program log in\?/, "agent"];
  const typed: Typed[] = [[address, "far"], [address, "inside"], [same, true], login, [same, true], [user, "root"]];
  const answers = await typing([...typed, [present, ""], references], { agent: undefined });
  expect(written(answers)["pillar-host:ssh"]).toEqual({
    user: "root",
    port: host.port,
    agent: true,
    proxy: { address: "127.0.0.1", hostKey: bastion.hostKey, user: "jumper", port: bastion.port, privateKeyFile: file },
  });
  expect(answers.hostKey).toBe(host.hostKey);
  expect(attempts).toContain("jumper publickey");
  expect(screen()).toContain("your ssh reaches far through more than one jump host: gate,inside");
  expect(screen()).toContain("Your ssh reaches 127.0.0.1 through the jump host gate, so the program will, too.");
});

test.each([false, true])("says what known_hosts has for a host, before the question (hashed: %s)", async (isHashed) => {
  const host = await use(sshHost());
  const asked = async (known: string) => {
    writeFileSync(join(place(), "known"), known);
    if (isHashed && known !== "")
      execFileSync("ssh-keygen", ["-q", "-H", "-f", join(place(), "known")], { stdio: "ignore" });
    terminal.screen = [];
    const typed: Typed[] = [[address, "127.0.0.1"], [same, true], [present, ""], references];
    await typing(typed, { port: String(host.port) });
    return screen().slice(0, screen().indexOf("Is it the same key?"));
  };
  const at = `[127.0.0.1]:${host.port}`;
  expect(await asked(`${at} ${host.hostKey}\n`)).toContain("It is the same key as in your known_hosts");
  expect(await asked(`${at} ${key}\n`)).toContain("WARNING: your known_hosts has ANOTHER key for this host.");
  // The key of another port is that of another server.
  for (const none of ["", `127.0.0.1 ${key}\n`, `@revoked ${at} ${key}\n`])
    expect(await asked(none)).not.toContain("known_hosts");
});

const node = /the node's release for linux-amd64/;
const ofController = /What is the address of its newest release for Linux\?/;
const unset = { release: undefined, releaseSha256: undefined, nodeRelease: undefined };

test("asks for both releases, proposes those of the example, and takes their hashes after a yes", async () => {
  const base = { ...given, reference, ...unset };
  const answers = await typing(
    [
      [ofController, ""],
      [node, ""],
    ],
    base,
  );
  const config = written(answers);
  expect(config["pillar-host:controller"].release).toEqual({
    url: expect.stringMatching(/^https:\/\/github\.com\/zenon-network\/znn_controller_dart\/releases\/download\//),
    sha256: "cd".repeat(32),
  });
  expect(config["pillar-host:node"].release).toMatchObject({ sha256: "ab".repeat(32), version: "v0.0.10" });
  expect(screen()).toContain("Its releases:\n  https://github.com/zenon-network/znn_controller_dart/releases\n");
  expect(formatStackFile(readExample(answers), answers)).not.toContain("REPLACE");

  const again: Typed[] = [
    [ofController, "https://gone/c.zip"],
    [ofController, "https://r/c.zip"],
  ];
  again.push([node, "https://gone/znnd"], [node, "none"]);
  const other = await typing(again, base);
  expect(other).toMatchObject({ release: "https://r/c.zip", nodeRelease: undefined });
  expect(screen().match(/a release's hash could not be read/g)).toHaveLength(2);
  expect(screen()).toContain("If the controller builds a version older than v0.0.10");
});

test("asks named witnesses at once, and asks again while one is silent, a twin, the new host or on another chain", async () => {
  const version = (name: string) => ({ "stats.processInfo": { version: name } });
  const good = await nodeOfAnvil(version("v0.0.10"), "127.0.0.2");
  const second = await nodeOfAnvil({}, "127.0.0.4");
  const fork = await nodeOfAnvil(synced(2760, "cd"), "127.0.0.5");
  const oldHost: Typed = [present, "198.51.100.9"];
  const wrong = [
    "http://127.0.0.1:1",
    `${good} ${good}`,
    "http://192.0.2.1:35997",
    "http://198.51.100.9:35997",
    `${good} ${fork}`,
  ];
  const typed: Typed[] = [
    oldHost,
    ...wrong.map((text): Typed => [independent, text]),
    [independent, `${good} ${second}`],
    [chain, "copy"],
  ];
  const answers = await typing(typed, { ...given, oldHostKey: "ssh-ed25519 AAAA" });
  expect(answers.references).toEqual([good, second]);
  expect(written(answers)).toMatchObject({ "pillar-host:sync": { from: "oldHost" } });
  for (const said of [
    "reference http://127.0.0.1:1 is left out: no connection",
    `reference ${good} is left out: it is the same node as ${good}`,
    "reference http://192.0.2.1:35997 is left out: it is this host itself",
    "reference http://198.51.100.9:35997 is left out: it is the old host",
    "they are on different chains: momentum 2752 is ab at reference",
    `reference ${good} answers: height 2752, v0.0.10`,
    `reference ${second} answers: height 2752, version hidden`,
  ])
    expect(screen()).toContain(said);
  expect(screen()).toContain("  https://my.hc1node.com:35997\n  https://node.zenonhub.io:35997");
});

test("refuses --copy-chain without a host to copy from, or without a reference", async () => {
  const needed = /give --old-host ADDRESS and --reference URL, too/;
  await expect(typing([], { ...given, reference, copyChain: true })).rejects.toThrow(needed);
  await expect(typing([], { ...given, oldHost: "192.0.2.9", copyChain: true })).rejects.toThrow(needed);
});

test("takes --reference although it does not answer here, with a warning", async () => {
  expect(await typing([], { ...given, reference })).toMatchObject({ references: reference });
  expect(screen()).toContain(
    "not all of these nodes can be witnesses\n  found: reference http://127.0.0.1:1 is left out",
  );
});
