import fs from "node:fs";
import path from "node:path";
import lockfile from "proper-lockfile";
import { dataDirectory } from "../../core/store/places";
import { checkVersion } from "../../core/util/formatVersion";
import { given } from "../../core/util/given";
import { syncDirectory, writeBeside } from "../../core/util/writeAtomically";
import { CliRefusal } from "../refusal";
import type { ReportedSigns } from "./news";
import type { Production } from "./production";

/** Of the files' form. */
const version = 1;

/** What the looks at a stack leave for the next one. */
export interface SignMemory {
  readonly told: ReportedSigns;
  readonly production?: Production;
}

/** Whose memory it is. */
export interface SignMemoryOwner {
  readonly stack: string;
  readonly pillar: string;
}

/** What was told of stacks, on this machine: one process at a time has it. */
export interface SignMemories {
  /** Nothing told where there is none. @throws where it can't be read */
  read(owner: SignMemoryOwner): SignMemory;
  /** On the disk when this returns. @throws where it can't be written */
  write(owner: SignMemoryOwner, memory: SignMemory): void;
  close(): Promise<void>;
}

/** How long one that was killed holds the lock; milliseconds. */
const stale = 15_000;

/** @param patience milliseconds that another process is waited for @throws Refusal where it does not end */
export async function openSignMemories(
  directory = path.join(dataDirectory(), "signs"),
  patience = 60_000,
): Promise<SignMemories> {
  fs.mkdirSync(directory, { recursive: true, mode: 0o700 });
  const file = path.join(directory, ".lock");
  const release = await lockfile
    .lock(directory, {
      ...{ lockfilePath: file, realpath: false, stale, onCompromised: () => undefined },
      retries: { retries: Math.ceil(patience / 1000), factor: 1, minTimeout: 1000 },
    })
    .catch((error: NodeJS.ErrnoException) => {
      if (error.code !== "ELOCKED") throw error;
      throw new CliRefusal(
        `another status --notify is at work on this machine\n  found: ${file}, which a process keeps fresh\n  needed: its end, or more time between two of them`,
      );
    });
  const fileOf = ({ stack, pillar }: SignMemoryOwner) =>
    path.join(directory, `${[pillar, stack].map(encodeURIComponent).join("@")}.json`);
  return {
    read: (owner) => readMemory(fileOf(owner)),
    write: (owner, memory) =>
      writeBeside(fileOf(owner), `${JSON.stringify({ version, ...memory }, undefined, 2)}\n`, (part) => {
        fs.renameSync(part, fileOf(owner));
        syncDirectory(directory);
      }),
    close: () => release().catch(() => undefined),
  };
}

function readMemory(file: string): SignMemory {
  let text: string;
  try {
    text = fs.readFileSync(file, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return { told: {} };
    throw error;
  }
  const { version: found, told, production } = parsed(text, file);
  checkVersion(found, version, `what was told of a stack, ${file}`);
  return { told: told ?? {}, ...given({ production }) };
}

function parsed(text: string, file: string): Partial<SignMemory> & { version?: unknown } {
  try {
    return JSON.parse(text) as Partial<SignMemory>;
  } catch {
    throw new CliRefusal(
      `${file}: what was told of a stack can't be read\n  found: another text than this program writes\n  needed: nothing of it; to have all signs told anew: rm '${file}'`,
    );
  }
}
