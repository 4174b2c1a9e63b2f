import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { cloudTokens } from "../../../lab/clouds/names.ts";
import { operatorAddress } from "../../../lab/hosts/network.ts";
import type { Lab, LabHost } from "../../../lab/lab.ts";
import { LabStack } from "../../../lab/stack/stack.ts";
import type { OldServer } from "./oldServer.ts";

export const pillar = "Anvil";
/**
 * A fast chain: a momentum a second, ticks of twenty, which makes the wait for the switch visible, and epochs of thirty
 * seconds. Each of the few Pillars has a slot in every tick.
 */
export const hurry = { momentumSeconds: 1, tickMomentums: 20, epochSeconds: 30, rewardDelaySeconds: 1 };

/**
 * Makes the stacks of both hosts.
 * @param host the new host, a machine of the operator's own
 * @param paces the chain's clocks
 */
export async function makeStacks(
  lab: Lab,
  server: OldServer,
  host: LabHost,
  paces: Omit<typeof hurry, "rewardDelaySeconds"> = hurry,
) {
  const privateKey = await readFile(lab.privateKeyFile, "utf8");
  const common = {
    pillar: { name: pillar },
    network: {
      epoch: `${paces.epochSeconds}s`,
      momentum: `${paces.momentumSeconds}s`,
      tickMomentums: paces.tickMomentums,
    },
  };
  const backup = { directory: join(lab.dir, "backups") };
  const oldFile = {
    ...common,
    lifecycle: "adopted",
    host: { provider: "hetzner", importId: server.id, sshFrom: [`${operatorAddress}/32`] },
    "hcloud:endpoint": `${lab.cloudUrl("hetzner")}/v1`,
    orchestrator: { backup },
  };
  const freshFile = {
    ...common,
    host: {
      provider: "existing",
      address: host.address,
      hostKey: host.hostKey,
      // This machine may have two cores; a real Pillar keeps the four of docs/specification.md, 8.
      minimums: { cores: 1, diskGb: 5 },
    },
    controller: { release: { url: lab.releaseUrl() } },
    oldHost: { address: server.address, hostKey: server.hostKey },
    orchestrator: { backup, release: lab.orchestratorRelease(), move: true, firstMove: "acknowledged" },
  };
  const successor = { address: host.address, hostKey: host.hostKey };
  const freshSecrets = { "ssh.privateKey": privateKey };
  const oldSecrets = { ...freshSecrets, "host.token": cloudTokens.hetzner };
  const old = await LabStack.create(lab, "prod", oldFile, oldSecrets, { hasPassphrase: true });
  const fresh = await LabStack.create(lab, "prod-2", freshFile, freshSecrets, { hasPassphrase: true });
  return {
    old,
    fresh,
    /** Configures the old host to be retired, with the new one as its successor. */
    configureRetirement: () =>
      old.configure({ ...oldFile, lifecycle: "retiring", retirement: { successor } }, oldSecrets),
  };
}

/** The stacks of both hosts. */
export type Stacks = Awaited<ReturnType<typeof makeStacks>>;
