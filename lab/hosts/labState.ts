import { existsSync } from "node:fs";
import { mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { cacheRoot } from "../util/cache.ts";
import { endProcess, type OwnProcess, startDetached } from "./machine.ts";

interface HostRecord {
  readonly n: number;
  readonly process: OwnProcess;
}

interface LabRecord {
  readonly processes: readonly OwnProcess[];
  readonly hosts: Readonly<Record<string, HostRecord>>;
  /** Names, oldest first. */
  readonly references: readonly string[];
}

const noRecord: LabRecord = { processes: [], hosts: {}, references: [] };

export function labDirectory(name: string): string {
  return join(cacheRoot(), "lab", name);
}

export function labExists(name: string): boolean {
  return existsSync(join(labDirectory(name), "lab.json"));
}

/** Returns the names of all labs that are up, or were up when this machine went down. */
export async function labNames(): Promise<string[]> {
  const names = await readdir(join(cacheRoot(), "lab")).catch(() => []);
  return names.filter((name) => labExists(name));
}

/** Processes and hosts of a lab, stored in its directory. Any process that opens the lab can use it or end it. */
export class LabState {
  readonly dir: string;
  private current: LabRecord = noRecord;

  constructor(readonly name: string) {
    this.dir = labDirectory(name);
  }

  get record(): LabRecord {
    return this.current;
  }

  async load(): Promise<void> {
    this.current = { ...noRecord, ...JSON.parse(await readFile(join(this.dir, "lab.json"), "utf8")) };
  }

  async begin(): Promise<void> {
    await mkdir(this.dir, { recursive: true, mode: 0o700 });
    await this.change({});
  }

  async change(changes: Partial<LabRecord>): Promise<void> {
    this.current = { ...this.current, ...changes };
    await writeFile(join(this.dir, "lab.json"), JSON.stringify(this.current, undefined, 2));
  }

  /** Starts a process that ends with the lab. Its output goes to a file (default: the log of the lab's services). */
  async startProcess(
    argv: readonly string[],
    log = join(this.dir, "services.log"),
    env: Readonly<Record<string, string>> = {},
  ): Promise<OwnProcess> {
    const own = await startDetached(argv, log, env);
    await this.change({ processes: [...this.record.processes, own] });
    return own;
  }

  async endProcesses(): Promise<void> {
    await Promise.all(this.record.processes.map((process) => endProcess(process)));
  }

  async waitFor(what: string, condition: () => boolean | Promise<boolean>): Promise<void> {
    const deadline = Date.now() + 180_000;
    while (!(await condition())) {
      if (Date.now() > deadline)
        throw new Error(`${what} did not come up in three minutes: see the logs under ${this.dir}`);
      await sleep(100);
    }
  }

  async forget(): Promise<void> {
    await rm(this.dir, { recursive: true, force: true });
    this.current = noRecord;
  }
}
