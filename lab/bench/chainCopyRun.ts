import crypto from "node:crypto";
import { text } from "node:stream/consumers";
import { openHosts } from "../../core/chainCopy/copyHosts";
import type { ChainCopyInputs } from "../../core/chainCopy/inputs";
import { authorizeCopy, takeSnapshot, transfer } from "../../core/chainCopy/transfer";

/**
 * A separate program on the operator's machine: times the transfer of a chain between hosts, from the access right to
 * the last hash.
 */
const inputs = JSON.parse(await text(process.stdin)) as ChainCopyInputs;
const sides = openHosts(inputs, crypto.randomBytes(8).toString("hex"));
const deps = {
  ticks: () => performance.now(),
  sleep: (milliseconds: number) => new Promise<void>((resolve) => setTimeout(resolve, milliseconds).unref()),
  say: () => undefined,
};
for (const side of ["new", "old"] as const) await sides.call(side, "chain_take");
const snapshot = await takeSnapshot(inputs, sides, deps);
const started = performance.now();
await authorizeCopy(inputs, sides, deps);
await transfer(inputs, sides, snapshot, deps);
const seconds = (performance.now() - started) / 1000;
await sides.call("old", "chain_end_old");
await sides.call("new", "chain_discard");
await sides.call("new", "chain_end_new");
sides.close();
process.stdout.write(JSON.stringify({ seconds }));
