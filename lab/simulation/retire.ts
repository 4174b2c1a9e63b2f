import type { RetirementFacts } from "../../core/retirement/facts";
import { hostSeen } from "../../core/retirement/facts";
import type { HostObservation } from "../../core/retirement/host";
import type { GuardMemory, RetirementInputs } from "../../core/retirement/inputs";
import type { ModelHost } from "./host";
import type { Rules } from "./rules";
import { Broken, type HostName, holds, hostNames, type World } from "./state";

/**
 * A host as the guard sees it: by the key that the laptop knew; without that, another key, which is a host that refuses.
 */
function lookAt(host: ModelHost, hasLaptop: boolean): HostObservation {
  if (!host.reachable) return { silent: "it does not answer" };
  if (!hasLaptop) return { silent: "it shows another host key", isRefused: true };
  const { journal, running, masked, directory, staging, keyAside } = host;
  const hasDirectory = directory !== undefined;
  const signer = {
    ...{ active: running, masked, hasDirectory: hasDirectory || staging !== undefined },
    ...{ hasKeyStore: hasDirectory && !keyAside, lacks: hasDirectory ? [] : ["key share"] },
    ...(journal ? { journal } : {}),
  };
  return { facts: { hasKeyStore: false, node: { active: false, masked: true }, signer, marks: {} } };
}

/** Whether something would be lost with a host. */
function whyNeeded(world: World, host: ModelHost): string | undefined {
  const others = hostNames.map((name) => world.hosts[name]).filter((each) => each !== host);
  // One out of sight is switched off with the host: that is what it is for, where another one signs.
  const isReplaced = others.some(({ running }) => running) && (host.strange === true || !host.reachable);
  if (host.running && !isReplaced) return "a signer runs there";
  const has = (each: ModelHost) => holds(each, world.generation);
  const isOnly = has(host) && !others.some(has) && world.backup !== world.generation;
  // The last backup is taken of what the guard can see.
  const isSealed = host.reachable && world.hasLaptop;
  return isOnly && !isSealed ? "the newest key share is there alone" : undefined;
}

/**
 * An operator gives a host up: a cloud server, found by its labels where the laptop is lost. Node and chain stand in
 * nobody's way: the signer alone keeps it. @throws Broken where it is let go, and needed
 */
export function release(world: World, name: HostName, rules: Rules): string {
  const host = world.hosts[name];
  const next = hostNames
    .map((each) => [each, world.hosts[each]] as const)
    .find(([each, { running }]) => each !== name && running);
  const memory: GuardMemory = { createdAt: "", isReached: world.hasLaptop, isOwnWork: false };
  const isOwnServer = world.hasLaptop;
  const facts: RetirementFacts = {
    ...{ pillar: "Anvil", stack: "prod", step: "destroy", address: host.address },
    host: hostSeen(lookAt(host, world.hasLaptop), "hetzner"),
    memory: { isReached: rules.isReached({ isOwnServer } as RetirementInputs, memory), isOwnWork: false },
    ...(next ? { successor: successorOf(next[1]) } : {}),
    ...{
      readings: [],
      rewards: [],
      isChainKnown: true,
      saysCollected: true,
      hasOrchestratorBackup: world.backup === world.generation,
    },
    network: { momentum: 10_000, tickMomentums: 30 },
  };
  const { unmet } = rules.decideRetirement(facts);
  const left = unmet.filter(({ loss }) => loss === "the signer");
  if (left.length > 0 || (!world.hasLaptop && unmet.length > 0))
    return `refused: ${unmet.map(({ what }) => what).join("; ")}`;
  const why = whyNeeded(world, host);
  if (why !== undefined) throw new Broken(`the release of host ${name} was allowed, and ${why}`);
  return "released";
}

function successorOf(host: ModelHost): NonNullable<RetirementFacts["successor"]> {
  const signer = { active: true, masked: false, hasDirectory: true, hasKeyStore: true, lacks: [] };
  const { journal } = host;
  return {
    ...{ address: host.address, hostKey: "" },
    look: {
      facts: {
        hasKeyStore: true,
        node: { active: true, masked: false },
        signer: { ...signer, ...(journal ? { journal } : {}) },
        marks: {},
      },
    },
    node: { synced: true, known: true, why: "synced" },
    build: { value: { version: "1", gitCommit: "", goVersion: "" } },
  };
}
