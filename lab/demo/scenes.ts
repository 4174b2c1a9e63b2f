import { readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import type { LabStack } from "../stack/stack.ts";
import { elapsed } from "../util/progress.ts";

interface EngineEvent {
  /** Unix seconds. */
  readonly timestamp: number;
  readonly resourcePreEvent?: { readonly metadata: { readonly urn: string; readonly op: string } };
  readonly resOutputsEvent?: { readonly metadata: { readonly urn: string } };
}

/**
 * Parses the engine's event log, a JSON object in each line. Returns the duration of each resource's creation in the
 * order of their ends.
 */
export function stageTimes(eventLog: string) {
  const begun = new Map<string, number>();
  const times: { name: string; milliseconds: number }[] = [];
  for (const line of eventLog.split("\n").filter(Boolean)) {
    const event = JSON.parse(line) as EngineEvent;
    const before = event.resourcePreEvent?.metadata.urn;
    const after = event.resOutputsEvent?.metadata.urn;
    if (before) begun.set(before, event.timestamp);
    const start = after === undefined ? undefined : begun.get(after);
    if (after && start !== undefined) {
      times.push({ name: after.split("::").at(-1) ?? after, milliseconds: (event.timestamp - start) * 1000 });
    }
  }
  return times;
}

/** Descriptions of the steps of procedure A, by the names of their resources. */
const steps: Readonly<Record<string, string>> = {
  "node-preflight": "checked the host against the minimums",
  "node-prepare": "made it this stack's own, reserved the node's ports",
  "node-packages": "updated packages, installed what the controller needs",
  "node-controller": "downloaded and installed the controller",
  "node-hourly-restart": "set the hourly restart, for the time of the sync",
  "node-deploy": "deployed the node with the controller's own menu",
  "node-sync": "waited until the node was provably synced",
  "node-hourly-restart-off": "turned the hourly restart off, and read it back",
  "node-producer-address": "read the producer address",
};

/** Result of a command of the journey. */
interface Scene {
  readonly title: string;
  readonly milliseconds: number;
  /** Duration of each resource in milliseconds, by its name. */
  readonly stages: ReadonlyMap<string, number>;
}

/** Plays the operator's commands, each under a heading, in view. */
export class Scenes {
  readonly played: Scene[] = [];
  private readonly began = Date.now();

  /** Runs `pulumi up` or `destroy`. @throws if it does not end as expected */
  async pulumi(
    title: string,
    stack: LabStack,
    command: "up" | "destroy",
    { refused = false }: { refused?: boolean } = {},
  ): Promise<void> {
    this.heading(title, `pulumi ${command} -s ${stack.name}`);
    const events = join(stack.dir, "events.json");
    await rm(events, { force: true });
    const plain = process.stdout.isTTY ? [] : ["--non-interactive", "--suppress-progress"];
    const begin = Date.now();
    const { exitCode } = await stack.run([command, "--yes", "--skip-preview", "--event-log", events, ...plain], {
      stdio: "inherit",
      reject: false,
      // The engine writes its event log only with this variable.
      env: { ...stack.env, PULUMI_DEBUG_COMMANDS: "true" },
    });
    if ((exitCode === 0) === refused)
      throw new Error(
        `The demo failed: pulumi ${command} -s ${stack.name} ${refused ? "was not refused" : "failed"}; what it said stands above.`,
      );
    const stages = stageTimes(await readFile(events, "utf8").catch(() => ""));
    this.played.push({
      title,
      milliseconds: Date.now() - begin,
      stages: new Map(stages.map(({ name, milliseconds }) => [name, milliseconds])),
    });
  }

  /** Plays a step of the operator in the wallet; the double does it here. */
  async wallet<T>(title: string, clicks: string, work: () => Promise<T>): Promise<T> {
    this.heading(title);
    console.log(`    YOU, in the wallet: ${clicks}\n    (in this demo a double of wallet and chain does it)\n`);
    const begin = Date.now();
    const done = await work();
    this.played.push({ title, milliseconds: Date.now() - begin, stages: new Map() });
    return done;
  }

  heading(title: string, command?: string): void {
    console.log(`\n── ${this.played.length + 1}. ${title} ${"─".repeat(Math.max(2, 84 - title.length))}`);
    if (command) console.log(`\n    $ ${command}\n`);
  }

  /** Formats the scenes with their times, and each step of the stand-up. */
  summary(): string[] {
    const told = new Set<string>();
    const lines = this.played.flatMap(({ title, milliseconds, stages }) => {
      // Later runs repeat the steps that are done: skip them.
      const fresh = [...stages].filter(([name]) => steps[name] !== undefined && !told.has(name));
      for (const [name] of fresh) told.add(name);
      return [
        `  ${elapsed(milliseconds).padStart(12)}  ${title}`,
        ...fresh.map(([name, time]) => `  ${elapsed(time).padStart(20)}  ${steps[name]}`),
      ];
    });
    return [...lines, `  ${elapsed(Date.now() - this.began).padStart(12)}  in all`];
  }
}
