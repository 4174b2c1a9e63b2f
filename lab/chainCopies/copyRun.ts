import { text } from "node:stream/consumers";
import { copyChain } from "../../core/chainCopy/chainCopy";
import { type ChainCopyInputs, createNodeAccess } from "../../core/chainCopy/copyNodes";
import type { GateSettings } from "../../core/sync/gateSettings";
import { systemClock } from "../../core/util/clock";
import { passGate } from "../../providers/syncGate";

/** A separate program on the operator's machine: copies a chain as its provider does, then runs the gate. */
const { inputs, gate } = JSON.parse(await text(process.stdin)) as { inputs: ChainCopyInputs; gate: GateSettings };
const said: string[] = [];
console.log = () => undefined;
const copied = await copyChain(inputs, {
  ...systemClock,
  ...createNodeAccess(inputs),
  say: (line) => {
    said.push(line);
    process.stderr.write(`${line}\n`);
  },
});
const { syncedAt } = await passGate(
  { ...gate, target: inputs.new.node, record: inputs.record, title: "copies", factsScript: "" },
  {},
  { signal: new AbortController().signal, tell: () => undefined },
);
process.stdout.write(JSON.stringify({ copied, said, syncedAt }));
process.exit(0);
