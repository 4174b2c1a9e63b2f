import fs from "node:fs";
import type { LogEvent } from "../eventLog/events";
import { readSmall } from "../util/readSmall";
import { recipientIn } from "./vault";

/** What comes from standard input, as a password manager prints it. */
export const standardInput = "-";

/**
 * Whether a text is a copy of the key that opens a Pillar's backups, from another place than the key's own.
 *
 * @param from where the text is from: a file, or {@link standardInput}
 * @returns the public half of both
 * @throws Error in words where it is none, or lies on the key's own disk
 */
export async function provedKeyCopy(keyFile: string, from: string, text: string): Promise<string> {
  const own = await recipientIn(readSmall(keyFile).text);
  const other = await recipientIn(text);
  if (own === undefined || other !== own)
    throw new Error(
      [
        `${shownPlace(from)} is no copy of the key that opens the backups`,
        `  found: ${other === undefined ? "no age identity in plain text" : `the key ${other}`}`,
        `  needed: the key ${own ?? "of an age identity"}, as in ${keyFile}`,
      ].join("\n"),
    );
  if (from !== standardInput && fs.statSync(from).dev === fs.statSync(keyFile).dev)
    throw new Error(
      [
        `${from} lies on the same disk as the key itself: what takes the one takes the other`,
        "  needed: a copy at another place: a password manager (--key-copy - reads what it prints), another disk or machine",
      ].join("\n"),
    );
  return own;
}

/** A place as it is told. */
export const shownPlace = (from: string) => (from === standardInput ? "what was read from standard input" : from);

/** When a copy of the key was seen last; undefined where none was, or the key is another one since (pure). */
export function keyCopySeen(events: readonly LogEvent[], recipient: string | undefined): string | undefined {
  return events.findLast((entry) => entry.event === "keyCopied" && entry.details.recipient === recipient)?.at;
}
