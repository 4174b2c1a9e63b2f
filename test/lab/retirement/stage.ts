import { readFile } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll } from "vitest";
import type { LogEvent } from "../../../core/eventLog/events.ts";
import type { KeyStore } from "../../../lab/doubles/keyStore.ts";
import { ensurePackagedImage } from "../../../lab/images/packagedImage.ts";
import type { Lab, LabHost } from "../../../lab/lab.ts";
import { setUpSyncedNode } from "../../../lab/oldHost/syncedNode.ts";
import { updateProducer } from "../../../lab/operator/wallet.ts";
import { LabStack, type StackFile } from "../../../lab/stack/stack.ts";
import { journeyIn } from "../../recordIn.ts";
import { onHost, testLab } from "../fixture.ts";

/** An old host that produces, as a stack that adopted it, and a new one that could: both synced. */
export interface RetirementStage {
  readonly lab: Lab;
  readonly old: LabHost;
  readonly fresh: LabHost;
  readonly stack: LabStack;
  /** Producer addresses. */
  readonly addresses: { readonly old: string; readonly fresh: string };
  /** Secrets that only the old host and an encrypted backup may hold: of its node's key store, and of the login. */
  readonly secrets: readonly string[];
}

/** A chain whose ticks take a second, and whose epochs take eight. */
export const quick = { momentumSeconds: 0.25, tickMomentums: 4, epochSeconds: 8, rewardDelaySeconds: 1 };
export const pillar = "Anvil";

/** Returns the configuration of the old host's stack. */
export function oldFile({ lab, old, fresh }: RetirementStage, changes: StackFile = {}): StackFile {
  return {
    pillar: { name: pillar },
    lifecycle: "adopted",
    host: { provider: "existing", address: old.address, hostKey: old.hostKey },
    network: { epoch: `${quick.epochSeconds}s`, momentum: "250ms", tickMomentums: quick.tickMomentums },
    retirement: { successor: { address: fresh.address, hostKey: fresh.hostKey }, ...referencesOf(lab) },
    ...changes,
  };
}

function referencesOf(lab: Lab) {
  return lab.referenceNames.length > 0 ? { references: lab.referenceNames.map((name) => lab.referenceUrl(name)) } : {};
}

export function retirementStage(prepare: (stage: RetirementStage) => Promise<unknown> = async () => undefined) {
  const stage: { -readonly [K in keyof RetirementStage]?: RetirementStage[K] } = {};
  beforeAll(async () => {
    const lab = await testLab();
    stage.lab = lab;
    await lab.chain("PATCH", "/truth", quick);
    const old = await lab.addHost("old", ensurePackagedImage);
    const fresh = await lab.addHost("fresh", ensurePackagedImage);
    const [{ address: first, password }, { address: second }] = [
      await setUpSyncedNode(lab, old),
      await setUpSyncedNode(lab, fresh),
    ];
    const privateKey = await readFile(lab.privateKeyFile, "utf8");
    const store = JSON.parse(await onHost(old, "cat /root/.znn/wallet/producer")) as KeyStore;
    const secrets = [password, JSON.stringify(password).slice(1, -1), store.crypto.cipherData];
    secrets.push(privateKey.split("\n")[1] ?? "", "OPENSSH PRIVATE KEY");
    Object.assign(stage, { old, fresh, secrets, addresses: { old: first, fresh: second } });
    await lab.chain("PATCH", `/pillars/${pillar}`, { producerAddress: first });
    await prepare(stage as RetirementStage);
    stage.stack = await LabStack.create(lab, "prod", oldFile(stage as RetirementStage), {
      "ssh.privateKey": privateKey,
    });
  });
  afterAll(async () => {
    await stage.stack?.endRuns();
    await stage.lab?.down();
  });
  return stage as RetirementStage;
}

/** Replaces the configuration of the old host's stack; the operator's key stays. */
export async function configureOld(stage: RetirementStage, changes: StackFile): Promise<void> {
  const privateKey = await readFile(stage.lab.privateKeyFile, "utf8");
  await stage.stack.configure(oldFile(stage, changes), { "ssh.privateKey": privateKey });
}

/** Updates the wallet to an address, and waits for its election. */
export async function elect({ lab }: RetirementStage, address: string): Promise<void> {
  await updateProducer(lab, pillar, address);
  await sleep(quick.momentumSeconds * 1000 * quick.tickMomentums * 4);
}

/** Returns the directory of the backups and the event log. */
export function backupsOf({ stack }: RetirementStage): string {
  return stack.records(pillar);
}

/** Reads the stack's journey from the event log. */
export function journeyOf(stage: RetirementStage): LogEvent[] {
  return journeyIn(backupsOf(stage), pillar).filter(({ stack }) => stack === stage.stack.name);
}

/** Returns the state of each lasting resource, without secrets and times, which each run writes anew. */
export async function resourcesOf({ stack }: RetirementStage): Promise<unknown[]> {
  const volatile = ["ciphertext", "modified", "created"];
  // A destroyed stack has no resources.
  const { resources = [] } = await stack.exported();
  const lasting = resources.filter(({ type }) => type !== "pulumi:pulumi:StackReference");
  return JSON.parse(JSON.stringify(lasting, (key, value) => (volatile.includes(key) ? undefined : value)));
}

/** Names, modes, sums and times of all that is not the node's own work, and whether it runs. */
export async function traceOf(host: LabHost): Promise<string> {
  return onHost(
    host,
    `find /etc /usr/local /root /var/lib/pillar-host -path /root/.znn/nom -prune -o -type f -printf '%p %m %s %T@\\n' 2> /dev/null | sort
     systemctl show -p ActiveState,MainPID,UnitFileState go-node`,
  );
}
