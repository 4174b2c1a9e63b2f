import { AsyncLocalStorage } from "node:async_hooks";
import { text } from "node:stream/consumers";
import type { GateSettings } from "../../core/sync/waitForSync";
import { passGate } from "../../providers/syncGate";
import type { ExtraNode } from "./nodes";

/** Time of a gate's decision, in Unix milliseconds. */
export interface Passed {
  readonly name: string;
  readonly syncedAt: number;
}

/** A separate program on the operator's machine: runs the gate for each given node, as its provider does. */
const { settings, nodes, within } = JSON.parse(await text(process.stdin)) as {
  settings: GateSettings;
  nodes: readonly ExtraNode[];
  /** Timeout of the gates in milliseconds. */
  within: number;
};
// Last line of each gate: the only clue if it does not decide.
const lastSaid = new Map<string, unknown>();
const gateOf = new AsyncLocalStorage<string>();
console.log = (line: unknown) => lastSaid.set(gateOf.getStore() ?? "", line);
const passed = nodes.map(({ name, target }) =>
  gateOf.run(name, async (): Promise<Passed> => {
    const { syncedAt = "" } = await passGate(
      { ...settings, target, references: [], title: "bench", factsScript: "" },
      {},
      { signal: new AbortController().signal, tell: () => undefined },
    );
    lastSaid.delete(name);
    return { name, syncedAt: Date.parse(syncedAt) };
  }),
);
setTimeout(() => {
  for (const [name, line] of lastSaid) process.stderr.write(`  ${name} has not decided; its gate said last: ${line}\n`);
  process.exit(1);
}, within).unref();
process.stdout.write(JSON.stringify(await Promise.all(passed)));
