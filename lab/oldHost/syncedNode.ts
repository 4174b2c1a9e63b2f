import { setTimeout as sleep } from "node:timers/promises";
import { bundleNode } from "../doubles/bundle.ts";
import type { ChainTruth, NodeReport } from "../doubles/chain/index.ts";
import { daemonPath, unitText } from "../doubles/controller/service.ts";
import { createKeyStore, randomPassword } from "../doubles/keyStore.ts";
import { onHost } from "../hosts/onHost.ts";
import { shipFiles } from "../hosts/shipFiles.ts";
import type { HostShell, Lab } from "../lab.ts";
import { noteSecret } from "../testRun/printed.ts";

/**
 * Sets up the node double as a synced service of a host, in a second, as if it was deployed long ago. Returns its
 * producer.
 */
export async function setUpSyncedNode(lab: Lab, host: HostShell) {
  const password = randomPassword();
  const store = createKeyStore(password);
  noteSecret("a producer's password", password);
  noteSecret("a producer's key store", store.crypto.cipherData);
  const producer = { Index: 0, KeyFilePath: "producer", Password: password, Address: store.baseAddress };
  // This start is long ago: the node has its peers. A later start searches for them, as every node of the lab does.
  const { defaults } = await lab.chain<ChainTruth>("GET", "/truth");
  await lab.chain("PATCH", `/nodes/${host.name}`, { rate: 1e6, behind: 0, startRefusedMs: 0, peerMs: 0 });
  await shipFiles(host, {
    [daemonPath]: { mode: 0o755, text: await bundleNode() },
    "/etc/systemd/system/go-node.service": { mode: 0o644, text: unitText },
    "/root/.znn": { mode: 0o700 },
    "/root/.znn/config.json": { mode: 0o644, text: JSON.stringify({ Producer: producer }, undefined, 4) },
    "/root/.znn/wallet": { mode: 0o700 },
    "/root/.znn/wallet/producer": { mode: 0o600, text: JSON.stringify(store) },
  });
  await onHost(host, "systemctl daemon-reload && systemctl enable --now go-node");
  const deadline = Date.now() + 180_000;
  const isSynced = async () =>
    (await lab.chain<NodeReport[]>("GET", `/nodes/${host.name}/reports`)).at(-1)?.synced === true;
  while (!(await isSynced())) {
    if (Date.now() > deadline) throw new Error(`the node of ${host.name} did not sync in three minutes`);
    await sleep(200);
  }
  await lab.chain("PATCH", `/nodes/${host.name}`, { peerMs: defaults.peerMs });
  return { address: store.baseAddress, password };
}
