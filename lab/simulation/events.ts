import { lookUpStage } from "../../core/orchestrator/rules/journalStages.ts";
import { boot, cutPower, diskOf, installed, type ModelHost, sync } from "./host.ts";
import { broke, hostNames, isAt, type World } from "./state.ts";

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
  // The fences of cli/restore/fenceHost.ts: the operator's sentence, or the provider's switch.
  fence: switchOff,
  "fence by API": switchOff,
  // An hour after the fence, when a sentence counts no longer.
  "switch on": switchOn,
  // At once: a fence by sentence counts until a run sees the host.
  "switch on early": switchOn,
};

/** Cuts the power of a host for as long as nobody switches it on; the disk stays. */
function switchOff(host: ModelHost): ModelHost {
  cutPower(host);
  return Object.assign(host, { running: false, reachable: false, isOff: true });
}

function switchOn(host: ModelHost): ModelHost {
  Object.assign(host, { reachable: true, isOff: false });
  cutPower(host);
  return host;
}

const hourMs = 3_600_000;

/** True if an event can happen to a host now. An operator switches a fenced host on only if no other host may sign. */
export function canHappen(event: HostEvent, host: ModelHost, all: readonly ModelHost[]): boolean {
  if (host.isGone) return false;
  if (event === "fence" || event === "fence by API") return !host.reachable;
  // After a restore that ended, nobody switches the lost host on (docs/restore.md, Afterwards).
  const hasEnded = ({ journal }: ModelHost) =>
    journal?.stage === "running" || lookUpStage(journal?.stage).role === "source";
  if (event === "switch on" || event === "switch on early")
    return host.isOff === true && !all.some((each) => each !== host && (isAt(each) || hasEnded(each)));
  if (event === "rewind") return host.saved !== undefined && !host.isOff;
  return !host.isOff;
}

/** Plays an event of a host. @throws Broken */
export function befall(world: World, host: ModelHost, event: keyof typeof changes): void {
  if (!canHappen(event, host, Object.values(world.hosts))) return;
  changes[event](host);
  if (event === "switch on") world.clock += hourMs;
  const isByOthers = event === "rewind" || event.endsWith("by hand");
  // The sentence that was typed is broken if the host is switched on within its hour.
  if (isByOthers || event === "reinstall" || event === "switch on early") world.isHarmed = true;
  const before = { plain: [], hadNewest: false, isDeceived: false };
  const broken = broke(world, { what: event, by: isByOthers ? "others" : "power", host }, before);
  if (broken) throw broken;
}
