import { AsyncLocalStorage } from "node:async_hooks";
import { text } from "node:stream/consumers";
import type { GateSettings } from "../../core/sync/waitForSync";
import { passGate } from "../../providers/syncGate";
import type { ExtraNode } from "./nodes";

/** When the gate of a node decided, unix milliseconds. */
export interface Passed {
  readonly name: string;
  readonly syncedAt: number;
}

/** A program of its own, at the operator's end: the gate, as its provider runs it, at every node given. */
const { settings, nodes, within } = JSON.parse(await text(process.stdin)) as {
  settings: GateSettings;
  nodes: readonly ExtraNode[];
  /** Milliseconds that the gates have. */
  within: number;
};
// What each gate said last: all that there is to go by, where one does not decide.
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
