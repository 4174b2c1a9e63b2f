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
const { settings, nodes } = JSON.parse(await text(process.stdin)) as {
  settings: GateSettings;
  nodes: readonly ExtraNode[];
};
console.log = () => undefined;
const passed = nodes.map(async ({ name, target }): Promise<Passed> => {
  const { syncedAt = "" } = await passGate(
    { ...settings, target, references: [], title: "bench", factsScript: "" },
    {},
    { isWanted: () => true, tell: () => undefined },
  );
  return { name, syncedAt: Date.parse(syncedAt) };
});
process.stdout.write(JSON.stringify(await Promise.all(passed)));
