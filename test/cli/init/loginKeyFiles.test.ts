import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { checkKeyFile, hasPassphrase } from "../../../cli/init/stackSecrets";
import { readKeyFile } from "../../../core/config/privateKey";
import { keyPair } from "../../core/chain/fakes";

let place: string;
const pair = keyPair();
const file = (name: string, text: string) => {
  writeFileSync(join(place, name), text, { mode: 0o600 });
  return join(place, name);
};

beforeAll(() => {
  place = mkdtempSync(join(tmpdir(), "pillar-host-logins-"));
});
afterAll(() => rmSync(place, { recursive: true }));

test("accepts a key that opens, and a key with a pass phrase", () => {
  const open = file("open", pair.private);
  const locked = join(place, "locked");
  execFileSync("ssh-keygen", ["-q", "-t", "ed25519", "-N", "a phrase", "-f", locked]);
  expect([checkKeyFile(open), checkKeyFile(locked)]).toEqual([undefined, undefined]);
  expect([hasPassphrase(open), hasPassphrase(locked)]).toEqual([false, true]);
});

test.each([
  ["none", undefined],
  ["key.pub", "ssh-ed25519 AAAA me"],
  ["notes", "my notes"],
])("init and up report the same problem of %s", (name, text) => {
  const at = text === undefined ? join(place, name) : file(name, text);
  const found = readKeyFile(at);
  expect("fault" in found && found.fault.wrong).toBeTruthy();
  expect(checkKeyFile(at)).toEqual("fault" in found ? found.fault : undefined);
  expect(hasPassphrase(at)).toBe(false);
});

test("refuses a truncated key", () => {
  expect(checkKeyFile(file("torn", pair.private.slice(0, 60)))).toEqual({
    wrong: "can't be read as a key: truncated, of a hardware token, or of an unknown kind?",
    needed: "the file of a private ssh key, such as ~/.ssh/id_ed25519",
  });
});
