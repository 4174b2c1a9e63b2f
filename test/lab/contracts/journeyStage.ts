import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { execa } from "execa";
import { ensurePackagedImage } from "../../../lab/images/packagedImage";
import type { Lab, LabHost } from "../../../lab/lab";
import { RealNetwork } from "../../../lab/real/realNetwork";
import { giveRealNode, setUpRealNode } from "../../../lab/real/realNode";
import type { Run } from "../../../lab/stack/engineRun";
import { LabStack, type StackFile } from "../../../lab/stack/stack";
import { onHost, testLab } from "../fixture";

/** The node that is built for short tests: two seconds to a momentum, twenty to a tick, six ticks to an epoch. */
export const clocks = { blockTime: 2, tickSlots: 10, epoch: 120, rewardDelay: 20, updateMomentums: 5 };
/** Milliseconds. */
export const tick = clocks.tickSlots * clocks.blockTime * 1000;
export const pillar = "Pillar-2";

/** A network of real nodes of which one, p2, lives on the old host, and another, s1, waits for the new host's deploy. */
export interface JourneyStage {
  readonly lab: Lab;
  readonly network: RealNetwork;
  readonly old: LabHost;
  readonly fresh: LabHost;
  /** The old host's stack, and the new one's. */
  readonly stacks: { readonly old: LabStack; readonly fresh: LabStack };
  /** Directory of both stacks' backups and event log. */
  readonly backups: string;
  configureOld(changes: StackFile): Promise<void>;
}

export async function journeyStage(made: (lab: Lab) => void): Promise<JourneyStage> {
  const lab = await testLab();
  made(lab);
  const old = await lab.addHost("old", ensurePackagedImage);
  const fresh = await lab.addHost("fresh", ensurePackagedImage);
  const network = await RealNetwork.create(lab, { clocks, hosts: { p2: old.address, s1: fresh.address } });
  await network.start("p1", "p3");
  await setUpRealNode(network, "p2", old);
  await giveRealNode(network, "s1", fresh);
  await lab.chain("PATCH", "/nodes/fresh", { buildSeconds: 1, buildLines: 10 });

  const backups = join(lab.dir, "backups");
  const references = [network.node("p1").rpc, network.node("p3").rpc];
  const common = {
    pillar: { name: pillar },
    sync: { references },
    network: { epoch: `${clocks.epoch}s`, momentum: `${clocks.blockTime}s`, tickMomentums: clocks.tickSlots },
    orchestrator: { backup: { directory: backups } },
  };
  const oldFile = (changes: StackFile): StackFile => ({
    ...common,
    lifecycle: "adopted",
    host: { provider: "existing", address: old.address, hostKey: old.hostKey },
    retirement: { successor: { address: fresh.address, hostKey: fresh.hostKey } },
    ...changes,
  });
  const freshFile = (changes: StackFile): StackFile => ({
    ...common,
    host: { provider: "existing", address: fresh.address, hostKey: fresh.hostKey, minimums: { cores: 1, diskGb: 1 } },
    controller: { release: { url: lab.releaseUrl() } },
    ...changes,
  });
  const secrets = { "ssh.privateKey": await readFile(lab.privateKeyFile, "utf8") };
  const stacks = {
    old: await LabStack.create(lab, "prod", oldFile({}), secrets),
    fresh: await LabStack.create(lab, "prod-2", freshFile({}), secrets),
  };
  return {
    lab,
    network,
    old,
    fresh,
    stacks,
    backups,
    configureOld: (changes) => stacks.old.configure(oldFile(changes), secrets),
  };
}

/** Takes a host's node away from all others of the network, or lets it meet them. */
export async function keepApart({ network }: JourneyStage, host: LabHost, apart: boolean): Promise<void> {
  const others = network.nodes.map(({ ip }) => ip).filter((ip) => ip !== host.address);
  await onHost(host, others.map((ip) => `ip route ${apart ? "add" : "del"} blackhole ${ip}/32`).join(" && "));
}

/** Runs the line that is active in root's crontab as cron does, instead of waiting for the hour. */
export async function runHourlyLine(host: LabHost): Promise<void> {
  await onHost(
    host,
    `line=$(crontab -l | sed -nE 's/^0 [*] [*] [*] [*] (.* go-node restart)$/\\1/p'); [ -n "$line" ]
     env -i HOME=/root LOGNAME=root SHELL=/bin/sh PATH=/usr/bin:/bin /bin/sh -c "$line"`,
  );
}

/** Returns the first matching output of a run as soon as it is printed. */
export const hears = (run: Run, pattern: RegExp, seconds?: number) =>
  run.hears((output) => pattern.exec(output)?.[0], String(pattern), seconds);

/** Returns the address that produced each momentum, from the first on, as a node of the network reports it. */
export async function producers({ lab, network }: JourneyStage): Promise<string[]> {
  const all: string[] = [];
  for (;;) {
    const params = [all.length + 1, 1000];
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "ledger.getMomentumsByHeight", params });
    const request = ["-sf", "-H", "content-type: application/json", "-d", body, network.node("p1").rpc];
    const [curl = "", ...args] = lab.atOperator(["curl", ...request]);
    const { list } = JSON.parse((await execa(curl, args)).stdout).result as { list: { producer: string }[] };
    if (list.length === 0) return all;
    all.push(...list.map(({ producer }) => producer));
  }
}
