import { existsSync } from "node:fs";
import { text } from "node:stream/consumers";
import type { StackConfig } from "../core/config/config";
import { openEventLog, readEvents } from "../core/eventLog/eventLog";
import { keyCopySeen, provedKeyCopy, shownPlace, standardInput } from "../core/orchestrator/keyCopy";
import { recipientIn } from "../core/orchestrator/vault";
import { backupDirectory, backupPlace, storeOf } from "../core/settings/orchestratorPlaces";
import { meantPlace, ownIdentityFile } from "../core/store/places";
import { commandsFor } from "../core/util/commands";
import { printable } from "../core/util/printable";
import { readSmall } from "../core/util/readSmall";
import { resolvePath } from "../core/util/resolvePath";
import { command, type ShownLine, words } from "../core/util/shownLine";
import { CliRefusal } from "./refusal";
import { openStack } from "./source";

/** Looks at a copy of the key that opens the backups, and remembers that there is one. @returns the exit code. @throws Refusal */
export async function keyCopy(fullName: string, given: string): Promise<number> {
  const { stack, config } = await openStack(fullName);
  const key = keyFileOf(config);
  if (!existsSync(key))
    throw new CliRefusal(`there is no key of the backups yet\n  needed: ${key}, which the first backup makes`);
  const from = given === standardInput ? given : resolvePath(given);
  try {
    const recipient = await provedKeyCopy(key, from, await read(from));
    const place = { directory: backupDirectory(config), stack, pillar: config.pillar.name };
    const log = openEventLog(place, { now: Date.now, say: (line) => console.error(printable(line)) });
    await log.add({ event: "keyCopied", details: { from: shownPlace(from), recipient } });
  } catch (error) {
    const { message } = error as Error;
    throw new CliRefusal(`${message}\n  Then: ${commandsFor(stack).backup("--key-copy", "FILE")}`);
  }
  console.log(`${shownPlace(from)} is the key of ${key}: each backup of ${config.pillar.name} opens with it`);
  return 0;
}

async function read(from: string): Promise<string> {
  if (from === standardInput) return text(process.stdin);
  try {
    return readSmall(from).text;
  } catch (error) {
    throw new Error(`${from} ${(error as Error).message}`);
  }
}

/** The file of the key that opens a stack's backups, there or not. */
export function keyFileOf(config: StackConfig): string {
  const { identityFile } = config.orchestrator.backup;
  return meantPlace(identityFile === undefined ? ownIdentityFile(backupPlace(config)) : resolvePath(identityFile));
}

/** What `check` tells of the key: that a copy belongs elsewhere, until one was seen. Never throws. */
export async function keyLine(config: StackConfig, stack: string): Promise<ShownLine> {
  const key = keyFileOf(config);
  if (!existsSync(key))
    return words(
      `${key} will be the key of the backups: copies of it and of them belong elsewhere, apart from each other`,
    );
  const seenAt = await copySeenAt(config, key).catch(() => undefined);
  if (seenAt !== undefined)
    return words(`${key} is the key of the backups; a copy of it was seen on ${seenAt.slice(0, 10)}`);
  return command(
    `${key} is the key of the backups: copies of it and of them belong elsewhere, apart from each other; once there is one: ${commandsFor(stack).backup("--key-copy", "FILE")}`,
  );
}

async function copySeenAt(config: StackConfig, key: string): Promise<string | undefined> {
  const recipient = await recipientIn(readSmall(key).text);
  return keyCopySeen(await readEvents(storeOf(config), config.pillar.name), recipient);
}
