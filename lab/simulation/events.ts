import { boot, cutPower, diskOf, installed, type ModelHost, sync } from "./host";
import { broke } from "./promises";
import { hostNames, type World } from "./state";

/** Events of a host that the program does not cause: failures, and what other people do. */
export type HostEvent =
  | "reboot"
  | "cut power"
  | "lose"
  | "find"
  | "save"
  | "rewind"
  | "reinstall"
  | "start by hand"
  | "stop by hand"
  | "fence"
  | RetirementEvent;
/** Actions of an operator on a host to give up, and on its backups; `lose backups` loses those of all hosts. */
export type RetirementEvent = "release" | "retire" | "reactivate" | "back up" | "lose backups";

export function isOfRetirement(event: HostEvent): event is RetirementEvent {
  return ["release", "retire", "reactivate", "back up", "lose backups"].includes(event);
}

/** Makes a new key of the bridge: the running orchestrator gets a new share. Does nothing unless exactly one runs. */
export function generate(world: World): void {
  const signers = hostNames.map((name) => world.hosts[name]).filter(({ running }) => running);
  if (signers.length !== 1) return;
  world.generation += 1;
  for (const host of signers) {
    host.directory = world.generation;
    sync(host);
  }
}

/** Plays an event of a host. @throws Broken */
export function befall(world: World, host: ModelHost, event: Exclude<HostEvent, RetirementEvent>): void {
  if (host.isGone) return;
  switch (event) {
    case "reboot":
      boot(host);
      break;
    case "cut power":
      cutPower(host);
      break;
    case "lose":
      host.reachable = false;
      break;
    case "find":
      host.reachable = true;
      break;
    case "save":
      host.saved = diskOf(host);
      break;
    case "rewind":
      if (host.saved === undefined) return;
      Object.assign(host, host.saved, { durable: undefined, rewound: true });
      boot(host);
      break;
    case "reinstall":
      host.installs = (host.installs ?? 0) + 1;
      Object.assign(host, diskOf(installed("")), { durable: undefined, running: false, rewound: true });
      break;
    case "start by hand":
      Object.assign(host, { masked: false, keyAside: false, enabled: true, running: host.directory !== undefined });
      break;
    case "fence":
      // Off for good, as fenceHost in cli/edit reads it at the provider; nothing on its disks can be had.
      Object.assign(host, { isGone: true, running: false, enabled: false, directory: undefined });
      Object.assign(host, { staging: undefined, kept: undefined });
      break;
    case "stop by hand":
      Object.assign(host, { masked: true, running: false });
      break;
  }
  const isHarm = event === "rewind" || event === "reinstall" || event.endsWith("by hand");
  if (isHarm) world.isHarmed = true;
  const by = event === "rewind" || event.endsWith("by hand") ? "others" : "power";
  const broken = broke(world, event, by, host, { plain: [], hadNewest: false, isDeceived: false });
  if (broken) throw broken;
}
