import { text } from "node:stream/consumers";
import { openHosts } from "../../core/chainCopy/copyHosts.ts";
import type { ChainCopyInputs } from "../../core/chainCopy/copyInputs.ts";
import { createNodeAccess } from "../../core/chainCopy/copyNodes.ts";
import { authorizeCopy, takeSnapshot, transfer } from "../../core/chainCopy/transfer.ts";
import { systemClock } from "../../core/util/clock.ts";

/**
 * A separate program on the operator's machine: times the transfer of a chain between hosts, from the access right to
 * the last hash.
 */
const inputs = JSON.parse(await text(process.stdin)) as ChainCopyInputs;
const hosts = openHosts(inputs);
const run = { ...systemClock, ...createNodeAccess(inputs), inputs, hosts, say: () => undefined };
for (const side of ["new", "old"] as const) await hosts.call({ side, name: "chain_take" });
const snapshot = await takeSnapshot(run);
const started = performance.now();
await authorizeCopy(run);
await transfer(run, snapshot);
const seconds = (performance.now() - started) / 1000;
await hosts.call({ side: "old", name: "chain_end_old" });
await hosts.call({ side: "new", name: "chain_discard" });
await hosts.call({ side: "new", name: "chain_end_new" });
hosts.close();
process.stdout.write(JSON.stringify({ seconds }));
// Does not wait for the last poll of the old host.
process.exit(0);
