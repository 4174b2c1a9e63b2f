import { readFile } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { endProcess, isAlive, type OwnProcess, ownProcess } from "../hosts/machine.ts";
import { commandOf, treeOf } from "../hosts/processTree.ts";
import { keepPrinted } from "../testRun/printed.ts";

/** A process that the engine started. */
type Child = OwnProcess & { readonly command: string };

/** A run of the engine in the background of a test. */
export class Run {
  /** Processes of the engine, as far as {@link lookAround} saw them. */
  private family: Child[] = [];
  private isOver = false;

  constructor(
    readonly pid: number,
    private readonly log: string,
    private readonly exitCode: Promise<number>,
  ) {
    exitCode.then(() => {
      this.isOver = true;
    });
  }

  output(): Promise<string> {
    return readFile(this.log, "utf8");
  }

  /**
   * Waits until the engine has printed this.
   * @throws with its output if the engine ends first, or after five minutes
   */
  async printed(text: string): Promise<void> {
    await this.hears((output) => (output.includes(text) ? text : undefined), text);
  }

  /** Waits until `find` returns something for the output. */
  async hears<T>(find: (output: string) => T | undefined, what: string, seconds = 300): Promise<T> {
    const deadline = Date.now() + seconds * 1000;
    for (;;) {
      const isLast = this.isOver || Date.now() > deadline;
      const output = await this.output();
      const found = find(output);
      if (found !== undefined) return found;
      if (isLast) throw new Error(`not printed: ${what}\n${output.slice(-5000)}`);
      await sleep(100);
    }
  }

  /** Returns a process of the run by a part of its command line. */
  async find(text: string): Promise<OwnProcess> {
    await this.lookAround();
    const found = this.family.find(({ command }) => command.includes(text));
    if (!found) throw new Error(`the run has no process ${text}`);
    return found;
  }

  /** Remembers the engine's processes, because they cannot be found once the engine is gone. */
  async lookAround(): Promise<void> {
    for (const pid of await treeOf(this.pid)) {
      const own = pid === this.pid ? undefined : await ownProcess(pid);
      if (own) this.family.push({ ...own, command: await commandOf(pid) });
    }
  }

  /** Sends a signal: SIGKILL to the engine alone, any other to its group, as a terminal does. */
  async send(signal: NodeJS.Signals): Promise<void> {
    await this.lookAround();
    process.kill(signal === "SIGKILL" ? this.pid : -this.pid, signal);
  }

  /** Waits for the end of the engine; never throws. */
  async end(): Promise<{ exitCode: number; output: string }> {
    return { exitCode: await this.exitCode, output: await this.output() };
  }

  async kill(): Promise<string> {
    await this.send("SIGKILL");
    return (await this.end()).output;
  }

  /** Returns the engine's processes that still live. */
  async orphans(): Promise<Child[]> {
    const alive = await Promise.all(this.family.map((own) => isAlive(own)));
    return this.family.filter((_, index) => alive[index]);
  }

  /** Suspends the engine and its processes, or resumes them. */
  async freeze(frozen: boolean): Promise<void> {
    for (const pid of await treeOf(this.pid)) process.kill(pid, frozen ? "SIGSTOP" : "SIGCONT");
  }

  /** Kills what is left of the run. */
  async clear(): Promise<void> {
    const engine = await ownProcess(this.pid);
    if (engine && !this.isOver) {
      await this.lookAround();
      process.kill(this.pid, "SIGKILL");
      await this.exitCode;
    }
    await Promise.all(this.family.map((own) => endProcess(own, 0)));
    // The log is gone if the lab went down first.
    keepPrinted(await this.output().catch(() => ""));
  }
}
