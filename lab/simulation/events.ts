import { boot, cutPower, diskOf, installed, type ModelHost, sync } from "./host";
import { broke, hostNames, type World } from "./state";

/** Actions of an operator on a host to give up, and on its backups; `lose backups` loses those of all hosts. */
const retirementEvents = ["release", "retire", "reactivate", "back up", "lose backups"] as const;
export type RetirementEvent = (typeof retirementEvents)[number];

/** Events of a host that the program does not cause: failures, and what other people do. */
export type HostEvent = keyof typeof changes | RetirementEvent;

export function isOfRetirement(event: HostEvent): event is RetirementEvent {
  return (retirementEvents as readonly string[]).includes(event);
}

/** Makes a new key of the bridge: the running orchestrator gets a new share. Does nothing unless exactly one runs. */
export function generate(world: World): void {
  const [signer, ...others] = hostNames.map((name) => world.hosts[name]).filter(({ running }) => running);
  if (!signer || others.length > 0) return;
  world.generation += 1;
  signer.directory = world.generation;
  sync(signer);
}

const changes = {
  reboot: boot,
  "cut power": cutPower,
  lose: (host: ModelHost) => Object.assign(host, { reachable: false }),
  find: (host: ModelHost) => Object.assign(host, { reachable: true }),
  save: (host: ModelHost) => Object.assign(host, { saved: diskOf(host) }),
  rewind: (host: ModelHost) => {
    Object.assign(host, host.saved, { durable: undefined, rewound: true });
    boot(host);
  },
  reinstall: (host: ModelHost) => {
    host.installs = (host.installs ?? 0) + 1;
    Object.assign(host, diskOf(installed("")), { durable: undefined, running: false, rewound: true });
  },
  "start by hand": (host: ModelHost) =>
    Object.assign(host, { masked: false, keyAside: false, enabled: true, running: host.directory !== undefined }),
  "stop by hand": (host: ModelHost) => Object.assign(host, { masked: true, running: false }),
  // Off for good, as fenceHost in cli/edit reads it at the provider; nothing on its disks can be had.
  fence: (host: ModelHost) => {
    Object.assign(host, { isGone: true, running: false, enabled: false, directory: undefined });
    Object.assign(host, { staging: undefined, kept: undefined });
  },
};

/** Plays an event of a host. @throws Broken */
export function befall(world: World, host: ModelHost, event: keyof typeof changes): void {
  if (host.isGone || (event === "rewind" && host.saved === undefined)) return;
  changes[event](host);
  const isByOthers = event === "rewind" || event.endsWith("by hand");
  if (isByOthers || event === "reinstall") world.isHarmed = true;
  const before = { plain: [], hadNewest: false, isDeceived: false };
  const broken = broke(world, { what: event, by: isByOthers ? "others" : "power", host }, before);
  if (broken) throw broken;
}
