import net from "node:net";
import { text } from "node:stream/consumers";
import v8 from "node:v8";
import vm from "node:vm";
import { createNodeClient } from "../../core/chain/node";
import { type GateSettings, waitForSync } from "../../core/sync/waitForSync";
import type { MemorySample } from "./memory";
import type { ExtraNode } from "./nodes";

/**
 * A separate program on the operator's machine: runs the gate's loop with its real client over real SSH, without the
 * pauses. The garbage collector, which works in those pauses, runs at each sample instead.
 */
const { settings, node, polls, every } = JSON.parse(await text(process.stdin)) as {
  settings: GateSettings;
  node: ExtraNode;
  polls: number;
  /** Number of polls between samples. */
  every: number;
};
// Small packets would wait 40 ms for an acknowledgement in each lookup: nothing next to pauses of seconds, but minutes
// here.
const { connect } = net.Socket.prototype;
net.Socket.prototype.connect = function (this: net.Socket, ...args: unknown[]) {
  return (connect as (...args: unknown[]) => net.Socket).apply(this, args).setNoDelay(true);
} as typeof connect;
v8.setFlagsFromString("--expose-gc");
const collect = vm.runInNewContext("gc") as () => void;
const samples: MemorySample[] = [];
let poll = 0;
const enough = new AbortController();
function sample(at: number): MemorySample {
  collect();
  const { rss, heapUsed, external } = process.memoryUsage();
  return { poll: at, live: (heapUsed + external) / 1024 ** 2, resident: rss / 1024 ** 2 };
}
const client = createNodeClient(node.target);
const { address } = node.target.ssh;
try {
  await waitForSync(
    { ...settings, startedAt: Date.now(), address },
    {
      client,
      readReferences: async () => ({ readings: [] }),
      now: () => Date.now(),
      ticks: () => performance.now(),
      sleep: () => new Promise((resolve) => setImmediate(resolve)),
      say: () => undefined,
      seen: () => {
        poll += 1;
        if (poll % every === 0) samples.push(sample(poll));
        if (poll >= polls) enough.abort();
      },
      signal: enough.signal,
    },
  );
} catch (error) {
  if (poll < polls) throw error;
}
client.close();
process.stdout.write(JSON.stringify(samples));
