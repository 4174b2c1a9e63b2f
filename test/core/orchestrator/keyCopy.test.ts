import { mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { generateX25519Identity, identityToRecipient } from "age-encryption";
import { afterAll, expect, test } from "vitest";
import type { LogEvent } from "../../../core/eventLog/events";
import { keyCopySeen, provedKeyCopy, standardInput } from "../../../core/orchestrator/keyCopy";

const place = mkdtempSync(join(tmpdir(), "key-copy-"));
afterAll(() => rmSync(place, { recursive: true }));
const secret = await generateX25519Identity();
const recipient = await identityToRecipient(secret);
const key = join(place, "Anvil.age-identity");
const text = `# created: 2026-01-02T03:04:05Z\n# public key: ${recipient}\n${secret}\n`;
writeFileSync(key, text);

test("a copy from a password manager is the key, with blanks around it, too", async () => {
  expect(await provedKeyCopy(key, standardInput, `${secret}\r\n\n`)).toBe(recipient);
});

test("a copy on the key's own disk is lost with it", async () => {
  const beside = join(place, "copy");
  writeFileSync(beside, text);
  await expect(provedKeyCopy(key, beside, text)).rejects.toThrow(`${beside} lies on the same disk as the key itself`);
});

test.skipIf(statSync("/dev/shm").dev === statSync(place).dev)(
  "a copy on another disk is one (skipped where /dev/shm is none)",
  async () => {
    const directory = mkdtempSync("/dev/shm/key-copy-");
    const elsewhere = join(directory, "copy");
    writeFileSync(elsewhere, text);
    expect(await provedKeyCopy(key, elsewhere, text).finally(() => rmSync(directory, { recursive: true }))).toBe(
      recipient,
    );
  },
);

test("another key, and what is none, are told without a secret", async () => {
  const other = await generateX25519Identity();
  const refused = (given: string) =>
    provedKeyCopy(key, standardInput, given).then(
      () => "",
      (error: Error) => error.message,
    );
  expect(await refused(`${other}\n`)).toBe(
    [
      "what was read from standard input is no copy of the key that opens the backups",
      `  found: the key ${await identityToRecipient(other)}`,
      `  needed: the key ${recipient}, as in ${key}`,
    ].join("\n"),
  );
  expect(await refused("AGE-SECRET-KEY-1DAMAGED")).toContain("found: no age identity in plain text");
  expect(await refused("")).not.toContain("AGE-SECRET");
});

test("what was seen counts for the key of then, by the newest look", () => {
  const seen = (at: string, of: string): LogEvent => ({
    ...{ at, stack: "prod", pillar: "Anvil", event: "keyCopied" },
    details: { from: "/media/usb/key", recipient: of },
  });
  const events = [seen("2026-01-02T00:00:00Z", recipient), seen("2026-02-02T00:00:00Z", recipient)];
  expect(keyCopySeen(events, recipient)).toBe("2026-02-02T00:00:00Z");
  expect(keyCopySeen(events, "age1another")).toBeUndefined();
  expect(keyCopySeen([], recipient)).toBeUndefined();
});
