import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { cloudTokens } from "../clouds/doubles";
import { operatorAddress } from "../hosts/network";
import type { Lab, LabHost } from "../lab";
import { LabStack, type StackFile } from "../stack";
import type { OldServer } from "./oldServer";

export const pillar = "Anvil";
/** A chain in a hurry: a momentum a second, ticks of ten, epochs of twenty seconds. */
export const hurry = { momentumSeconds: 1, tickMomentums: 10, epochSeconds: 20, rewardDelaySeconds: 1 };

/** Both stacks' configuration; the one's changes with the journey. */
export interface Stacks {
  readonly old: LabStack;
  readonly fresh: LabStack;
  configureOld(changes: StackFile): Promise<void>;
  configureFresh(changes: StackFile): Promise<void>;
}

export async function makeStacks(lab: Lab, server: OldServer, host: LabHost): Promise<Stacks> {
  const privateKey = await readFile(lab.privateKeyFile, "utf8");
  const common = {
    pillar: { name: pillar },
    network: {
      epoch: `${hurry.epochSeconds}s`,
      momentum: `${hurry.momentumSeconds}s`,
      tickMomentums: hurry.tickMomentums,
    },
  };
  const backup = { directory: join(lab.dir, "backups") };
  const oldFile = (changes: StackFile): StackFile => ({
    ...common,
    lifecycle: "adopted",
    host: { provider: "hetzner", importId: server.id, sshFrom: [`${operatorAddress}/32`] },
    "hcloud:endpoint": `${lab.cloudUrl("hetzner")}/v1`,
    orchestrator: { backup },
    ...changes,
  });
  const freshFile = (changes: StackFile): StackFile => ({
    ...common,
    // This machine may have two cores; a real Pillar keeps the four of docs/specification.md, 8.
    host: { provider: "existing", address: host.address, hostKey: host.hostKey, minimums: { cores: 1, diskGb: 5 } },
    controller: { release: { url: lab.releaseUrl() } },
    orchestrator: {
      backup,
      release: { url: lab.orchestratorReleaseUrl(), version: "v0.0.9a" },
      migrateFrom: { address: server.address, hostKey: server.hostKey },
    },
    ...changes,
  });
  const oldSecrets = { "ssh.privateKey": privateKey, "host.token": cloudTokens.hetzner };
  const freshSecrets = { "ssh.privateKey": privateKey };
  const old = await LabStack.create(lab, "prod", oldFile({}), oldSecrets);
  const fresh = await LabStack.create(lab, "prod-2", freshFile({}), freshSecrets);
  return {
    old,
    fresh,
    configureOld: (changes) => old.configure(oldFile(changes), oldSecrets),
    configureFresh: (changes) => fresh.configure(freshFile(changes), freshSecrets),
  };
}
