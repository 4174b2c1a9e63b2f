import { readFile } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { execa } from "execa";
import { endProcess, isAlive, type OwnProcess, ownProcess } from "./hosts/machine";

/** A process that the engine started. */
type Child = OwnProcess & { readonly command: string };

/** A run of the engine that goes on beside the test. */
export class Run {
  /** All processes that the engine started, as far as they were looked for. */
  private family: Child[] = [];

  constructor(
    readonly pid: number,
    private readonly log: string,
    private readonly exitCode: Promise<number>,
  ) {}

  output(): Promise<string> {
    return readFile(this.log, "utf8");
  }

  /** Waits until the engine printed this. */
  async printed(text: string): Promise<void> {
    const deadline = Date.now() + 180_000;
    let ended = false;
    this.exitCode.then(() => {
      ended = true;
    });
    for (;;) {
      const over = ended || Date.now() > deadline;
      const output = await this.output();
      if (output.includes(text)) return;
      if (over) throw new Error(`not printed: ${text}\n${output}`);
      await sleep(100);
    }
  }

  /** A process of the run by what its command line contains. */
  async find(text: string): Promise<OwnProcess> {
    for (const { pid, command } of await descendants(this.pid)) {
      const own = command.includes(text) ? await ownProcess(pid) : undefined;
      if (own) return own;
    }
    throw new Error(`the run has no process ${text}`);
  }

  /** Remembers what the engine started: once it is gone nobody knows. */
  async lookAround(): Promise<void> {
    for (const { pid, command } of await descendants(this.pid)) {
      const own = await ownProcess(pid);
      if (own) this.family.push({ ...own, command });
    }
  }

  /** Sends a signal: SIGKILL to the engine alone, any other to its group, as a terminal does. */
  async send(signal: NodeJS.Signals): Promise<void> {
    await this.lookAround();
    process.kill(signal === "SIGKILL" ? this.pid : -this.pid, signal);
  }

  /** The end of the engine; never throws. */
  async end(): Promise<{ exitCode: number; output: string }> {
    return { exitCode: await this.exitCode, output: await this.output() };
  }

  async kill(): Promise<string> {
    await this.send("SIGKILL");
    return (await this.end()).output;
  }

  /** What still lives of what the engine had started. */
  async orphans(): Promise<Child[]> {
    const alive = await Promise.all(this.family.map((own) => isAlive(own)));
    return this.family.filter((_, index) => alive[index]);
  }

  async endOrphans(): Promise<void> {
    await Promise.all(this.family.map((own) => endProcess(own, 0)));
  }
}

async function descendants(pid: number): Promise<{ pid: number; command: string }[]> {
  const { stdout } = await execa("ps", ["-eo", "pid=,ppid=,args="]);
  const all = stdout.split("\n").map((line) => /^ *(\d+) +(\d+) (.*)/.exec(line) ?? ["", "0", "0", ""]);
  const below = (parent: number): { pid: number; command: string }[] =>
    all
      .filter(([, , ppid]) => Number(ppid) === parent)
      .flatMap(([, child, , command = ""]) => [{ pid: Number(child), command }, ...below(Number(child))]);
  return below(pid);
}
