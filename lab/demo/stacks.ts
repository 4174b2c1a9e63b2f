import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { type CloudName, cloudTokens } from "../clouds/names";
import { operatorAddress } from "../hosts/network";
import type { Lab, LabHost } from "../lab";
import { LabStack, type StackFile } from "../stack/stack";
import type { OldServer } from "./oldServer";

export const pillar = "Anvil";
/**
 * A fast chain: a momentum a second, ticks of twenty, which makes the wait for the switch visible, and epochs of thirty
 * seconds. Each of the few Pillars has a slot in every tick.
 */
export const hurry = { momentumSeconds: 1, tickMomentums: 20, epochSeconds: 30, rewardDelaySeconds: 1 };

/** The stacks of both hosts; the journey changes their configuration. */
export interface Stacks {
  readonly old: LabStack;
  readonly fresh: LabStack;
  configureOld(changes: StackFile): Promise<void>;
}

/**
 * Makes the stacks of both hosts.
 * @param target the new host: a machine of the operator's own, or the cloud where the program makes it
 * @param paces the chain's clocks
 */
export async function makeStacks(
  lab: Lab,
  server: OldServer,
  target: LabHost | CloudName,
  paces: Omit<typeof hurry, "rewardDelaySeconds"> = hurry,
): Promise<Stacks> {
  const privateKey = await readFile(lab.privateKeyFile, "utf8");
  const common = {
    pillar: { name: pillar },
    network: {
      epoch: `${paces.epochSeconds}s`,
      momentum: `${paces.momentumSeconds}s`,
      tickMomentums: paces.tickMomentums,
    },
  };
  const sshFrom = [`${operatorAddress}/32`];
  const backup = { directory: join(lab.dir, "backups") };
  const oldFile = (changes: StackFile): StackFile => ({
    ...common,
    lifecycle: "adopted",
    host: { provider: "hetzner", importId: server.id, sshFrom },
    ...endpoint(lab, "hetzner"),
    orchestrator: { backup },
    ...changes,
  });
  const freshFile = (changes: StackFile): StackFile => ({
    ...common,
    // This machine may have two cores; a real Pillar keeps the four of docs/specification.md, 8.
    ...(typeof target === "string"
      ? {
          host: { provider: target, sshFrom, minimums: { cores: 1, memoryGb: 1, diskGb: 1 } },
          ...endpoint(lab, target),
        }
      : {
          host: {
            provider: "existing",
            address: target.address,
            hostKey: target.hostKey,
            minimums: { cores: 1, diskGb: 5 },
          },
        }),
    controller: { release: { url: lab.releaseUrl() } },
    orchestrator: {
      backup,
      release: lab.orchestratorRelease(),
      migrateFrom: { address: server.address, hostKey: server.hostKey, firstMove: "acknowledged" },
    },
    ...changes,
  });
  const secretsAt = (provider?: CloudName) => ({
    "ssh.privateKey": privateKey,
    ...(provider ? { "host.token": cloudTokens[provider] } : {}),
  });
  const oldSecrets = secretsAt("hetzner");
  const freshSecrets = secretsAt(typeof target === "string" ? target : undefined);
  const old = await LabStack.create(lab, "prod", oldFile({}), oldSecrets, { hasPassphrase: true });
  const fresh = await LabStack.create(lab, "prod-2", freshFile({}), freshSecrets, { hasPassphrase: true });
  return {
    old,
    fresh,
    configureOld: (changes) => old.configure(oldFile(changes), oldSecrets),
  };
}

function endpoint(lab: Lab, provider: CloudName): StackFile {
  const url = lab.cloudUrl(provider);
  return provider === "hetzner" ? { "hcloud:endpoint": `${url}/v1` } : { "digitalocean:apiEndpoint": url };
}
