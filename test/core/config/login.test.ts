import { generateKeyPairSync } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { basename, join } from "node:path";
import ssh2 from "ssh2";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { formatOwnFile } from "../../../core/config/privateKey.ts";
import { configOf, faultsOf } from "../../components/exampleConfig.ts";
import { keyPair } from "../chain/fakes.ts";

const pair = keyPair();
const locked = keyPair("open sesame").private;
const pem = {
  rsa: generateKeyPairSync("rsa", { modulusLength: 2048 }).privateKey.export({ type: "pkcs1", format: "pem" }),
  ec: generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey.export({ type: "sec1", format: "pem" }),
};
const hostKey = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIOMqqnkVzrm0SdG6UOoqKLsabgH5C9okWi0dh2l9GKJl";
const noLogin = "ssh: has no way to log in; needed agent: true, privateKeyFile";
const notPrivate = "ssh.privateKey: found text, needed a private key, the file without .pub";
const unreadable = (file: string) =>
  `can't be read as a key; needed a whole key in OpenSSH's form: ssh-keygen -p -f ${file} rewrites it so, if ssh itself can read it`;
const pkcs8 = generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey.export({ type: "pkcs8", format: "pem" });
/** A key whose cipher ssh2 opens, and the command plugin's library does not. */
const otherCipher = ssh2.utils.generateKeyPairSync("ed25519", {
  passphrase: "open sesame",
  cipher: "aes128-ctr",
  rounds: 4,
}).private;
/** The begin of a token's key, as ssh-keygen -t ed25519-sk writes it. */
const tokenKey = (() => {
  const word = (text: string | Buffer) => Buffer.concat([Buffer.of(0, 0, 0, text.length), Buffer.from(text)]);
  const type = word("sk-ssh-ed25519@openssh.com");
  const secret = Buffer.concat([Buffer.alloc(8), type, word(Buffer.alloc(32)), Buffer.alloc(66, 1)]);
  const parts = ["openssh-key-v1\0", word("none"), word("none"), word(""), Buffer.of(0, 0, 0, 1), word(type)];
  const key = Buffer.concat([...parts.map((part) => Buffer.from(part)), word(secret)]).toString("base64");
  return `-----BEGIN OPENSSH PRIVATE KEY-----\n${key}\n-----END OPENSSH PRIVATE KEY-----\n`;
})();

test.each<[string, object, string?]>([
  ["nothing", {}, noLogin],
  ["an agent that is switched off", { agent: false }, noLogin],
  ["the sudo password alone", { sudoPassword: "x" }, noLogin],
  ["the agent", { agent: true }],
  ["a password", { password: "x" }],
  ["a key", { privateKey: pair.private }],
  ["a PEM key, RSA", { privateKey: pem.rsa }],
  ["a PEM key, EC", { privateKey: pem.ec }],
  ["a key with its pass phrase", { privateKey: locked, privateKeyPassword: "open sesame" }],
  [
    "a locked key",
    { privateKey: locked },
    "ssh.privateKeyPassword: missing, needed the pass phrase of the private key (pulumi config set --secret --path pillar-host:ssh.privateKeyPassword -s prod)",
  ],
  ["a wrong pass phrase", { privateKey: locked, privateKeyPassword: "x" }, "ssh.privateKeyPassword: does not open the"],
  ["a public key", { privateKey: "ssh-ed25519 AAAAC3 me@laptop" }, notPrivate],
  ["a path", { privateKey: "/root/.ssh/id_ed25519" }, notPrivate],
  ["half a key", { privateKey: pair.private.slice(0, 200) }, `ssh.privateKey: ${unreadable("FILE")}`],
  [
    "no key in its marks",
    { privateKey: "-----BEGIN PRIVATE KEY-----\nMII\n" },
    `ssh.privateKey: ${unreadable("FILE")}`,
  ],
  ["a PKCS#8 key", { privateKey: pkcs8 }, `ssh.privateKey: ${unreadable("FILE")}`],
  [
    "a key with a cipher that the command plugin does not know",
    { privateKey: otherCipher, privateKeyPassword: "open sesame" },
    `ssh.privateKey: ${unreadable("FILE")}`,
  ],
  [
    "the key of a hardware token",
    { privateKey: tokenKey },
    "ssh.privateKey: is a key of a hardware token, which only ssh itself can use; needed a key without a token: ssh-keygen -t ed25519",
  ],
  [
    "a key with line ends of Windows, and a mark at its begin",
    { privateKey: `\uFEFF${pair.private.replaceAll("\n", "\r\n")}` },
  ],
])("accepts or refuses as a login: %s", (_what, ssh, fault) => {
  expect(faultsOf({ ssh })).toEqual(fault === undefined ? [] : [expect.stringContaining(`pillar-host:${fault}`)]);
});

test("gives the command plugin no pass phrase for a key without one, which it would refuse", () => {
  const phraseOf = (privateKey: string) =>
    configOf({ ssh: { privateKey, privateKeyPassword: "open sesame" } }).ssh.privateKeyPassword;
  expect([pair.private, locked].map(phraseOf)).toEqual([undefined, "open sesame"]);
});

test("ends a key with one line break, whatever blanks are around it", () => {
  const key = pair.private.trim();
  expect(configOf({ ssh: { privateKey: `\n  ${key}\n\n` } }).ssh.privateKey).toBe(`${key}\n`);
});

describe("a key's file", () => {
  let place: string;
  const file = (name: string, text: string) => {
    writeFileSync(join(place, name), text, { mode: 0o600 });
    return join(place, name);
  };
  beforeAll(() => {
    place = mkdtempSync(join(homedir(), ".pillar-host-keys-"));
  });
  afterAll(() => rmSync(place, { recursive: true }));

  test("is read for each login, ~ is the home", () => {
    const key = { privateKeyFile: file("key", pair.private).replace(homedir(), "~") };
    const other = { address: "198.51.100.9", hostKey, ...key };
    const config = configOf({
      ssh: { ...key, proxy: other },
      oldHost: { ...other, proxy: other },
      retirement: { successor: other },
    });
    const { ssh, oldHost, retirement } = config;
    const logins = [ssh, ssh.proxy, oldHost, oldHost?.proxy];
    for (const login of [...logins, retirement.successor])
      expect(login).toMatchObject({ ...key, privateKey: `${pair.private.trim()}\n` });
  });

  test.each<[string, () => string, string]>([
    ["is not there", () => join(place, "none"), "does not exist on this machine; needed the file"],
    ["is a directory", () => place, "is a directory; needed the file"],
    [
      "is PuTTY's",
      () => file("key.ppk", "PuTTY-User-Key-File-3: ssh-ed25519"),
      "is PuTTY's form of a key; needed a key in",
    ],
    ["is the public one", () => file("key.pub", "ssh-ed25519 AAAA me"), "is no private ssh key; needed the file"],
  ])("gets a fault if it %s", (_, make, fault) => {
    const privateKeyFile = make();
    const said = expect.stringContaining(`pillar-host:ssh.privateKeyFile: "${privateKeyFile}" ${fault}`);
    expect(faultsOf({ ssh: { privateKeyFile } })).toEqual([said]);
  });

  test.each(["/mnt/c/Users/me/id_ed25519", "/media/me/USB/id_ed25519", "/home/me/.ssh/id_ed25519"])(
    "that is open to others gets a cure also for a disk where chmod does nothing: %s",
    (path) => {
      expect(formatOwnFile(path)).toBe(
        `a file for you alone: chmod 600 ${path} (if that changes nothing, its disk keeps no modes. Name a copy in your Linux home: cp ${path} ~/.ssh/ && chmod 600 ~/.ssh/${basename(path)})`,
      );
    },
  );

  test("gets a fault if it is torn, or stands beside another key", () => {
    const torn = file("torn", pair.private.slice(0, 60));
    expect(faultsOf({ ssh: { privateKeyFile: torn } })).toEqual([
      `pillar-host:ssh.privateKeyFile: "${torn}" ${unreadable(torn)}`,
    ]);
    expect(faultsOf({ ssh: { privateKeyFile: torn, privateKey: pair.private } })).toEqual([
      "pillar-host:ssh.privateKeyFile: found privateKey, too; needed one of the two",
    ]);
  });
});
