import type { NodeNow } from "../lookup";
import type { BuildInfo } from "../rpc/orchestrator";
import type { ChainReading } from "./chainLook";
import type { HostFacts, HostLook } from "./host";
import type { RewardsReading } from "./rewards";

/** What is to happen: the old host's node is stopped, or all of it is given up. */
export type RetirementStep = "retire" | "destroy";

/** What would be lost by going on all the same. */
export type Loss = "momentums" | "rewards" | "the signer";

/** A condition that is not met. */
export interface Unmet {
  readonly loss: Loss;
  /** What is wrong. */
  readonly what: string;
  readonly found?: readonly string[];
  /** What to do about it. */
  readonly needed: string;
}

/** All that is known; what is not known is not taken for good. */
export interface RetirementFacts {
  readonly pillar: string;
  readonly stack: string;
  readonly step: RetirementStep;
  readonly address: string;
  /** `off` where the cloud's API has switched it off just now, since it did not answer. */
  readonly host: HostLook | { readonly off: string };
  /** The producer address that this host was known by before. */
  readonly knownProducer?: string | undefined;
  /** What the guard remembers of the stack. */
  readonly memory: {
    /** This stack logged in to it while it was not retiring. */
    readonly isReached: boolean;
    /** This stack deployed its node: what it never produced since, it never produced. */
    readonly isOwnWork: boolean;
    /** Since the stack has the host: proved, disproved, or not looked for. */
    readonly hasProduced?: boolean | undefined;
  };
  readonly successor?:
    | {
        readonly address: string;
        readonly hostKey: string;
        readonly look: HostLook;
        readonly node: NodeNow;
        /** Of its orchestrator. */
        readonly build?: { readonly value: BuildInfo } | { readonly error: string } | undefined;
      }
    | undefined;
  readonly readings: readonly ChainReading[];
  readonly rewards: readonly RewardsReading[];
  /** The operator typed that the rewards are collected. */
  readonly saysCollected: boolean;
  /** A proved backup of a signer that was here lies on this machine. */
  readonly hasSignerBackup: boolean;
  /** Momentums within which the successor must have produced. */
  readonly producingWithin: number;
}

/** Whether it may be done, why, and on what evidence. */
export interface Verdict {
  readonly unmet: readonly Unmet[];
  readonly evidence: readonly string[];
}

/** The environment variable of the operator's word about the rewards: the Pillar's name. */
export const collectedVariable = "PILLAR_HOST_REWARDS_COLLECTED";

type Good = Exclude<ChainReading, { fault: string }>;

/**
 * Decides whether a host may be retired or given up (specification 1.1, step 15; design.md, Destruction passes through
 * one place). Pure. Every condition is judged, and all that stands in the way is told at once.
 */
export function decideRetirement(facts: RetirementFacts): Verdict {
  const nothing = nothingHere(facts);
  if (nothing) return { unmet: [], evidence: [nothing] };
  const good = facts.readings.filter((reading): reading is Good => !("fault" in reading));
  const neverProduced = facts.memory.isOwnWork && facts.memory.hasProduced === false;
  const rulings = [
    unseen(facts),
    chain(facts, good),
    ...(neverProduced
      ? [{ unmet: [], evidence: [`${facts.address} has produced nothing since this stack has it`] }]
      : [successor(facts, good), ...(facts.step === "destroy" ? [rewards(facts)] : [])]),
    signer(facts),
  ];
  return {
    unmet: rulings.flatMap(({ unmet }) => unmet),
    evidence: rulings.flatMap(({ evidence }) => evidence),
  };
}

/** Whether a proof that this host never produced would change anything (pure): it takes minutes to have. */
export function wantsHistory({ memory }: RetirementFacts, { unmet }: Verdict): boolean {
  return memory.isOwnWork && memory.hasProduced === undefined && unmet.some(({ loss }) => loss !== "the signer");
}

/** The producer address of the host that is retired, as far as it is known (pure). */
export function ownProducer({ host, knownProducer }: Pick<RetirementFacts, "host" | "knownProducer">) {
  return ("facts" in host ? host.facts.producer : undefined) ?? knownProducer;
}

/** A host on which nothing can be lost, or that nobody ever reached. */
function nothingHere({ host, memory, address }: RetirementFacts): string | undefined {
  if ("facts" in host) {
    const { facts } = host;
    const hasNode =
      facts.producer !== undefined || facts.hasKeyStore || facts.node.active || "deploy.done" in facts.marks;
    return hasNode || hasSigner(facts) ? undefined : `${address} has neither a node nor an orchestrator on it`;
  }
  return memory.isReached ? undefined : `${address} never let this stack in: nothing was deployed on it`;
}

function hasSigner({ signer }: HostFacts): boolean {
  return signer.active || signer.hasDirectory || signer.journal !== undefined;
}

function unseen({ host, step, address }: RetirementFacts): Verdict {
  if ("facts" in host) return met();
  if ("off" in host) return met(`${address} did not answer, and is switched off: ${host.off}`);
  if (step === "retire") return met();
  return not({
    loss: "momentums",
    what: `this host, ${address}, can't be seen: its node may run still`,
    found: [host.silent],
    needed: "a host that answers: start it, or mend pillar-host:host and ssh, then pulumi up",
  });
}

function chain(facts: RetirementFacts, good: readonly Good[]): Verdict {
  const { pillar, readings } = facts;
  if (good.length === 0)
    return not({
      loss: "momentums",
      what: `nobody tells what the chain says of ${pillar}`,
      found: readings.map((reading) => `${reading.source}: ${"fault" in reading ? reading.fault : ""}`),
      needed:
        "a synced node to ask: pillar-host:retirement.successor, or pillar-host:retirement.references with an independent node's RPC, then pulumi up",
    });
  const own = ownProducer(facts);
  return all(
    good.map(({ source, pillar: found, last }): Verdict => {
      if (found === null)
        return not({
          loss: "momentums",
          what: `there is no Pillar ${pillar}, says ${source}`,
          needed: "the Pillar's name as registered (pillar-host:pillar.name), and a node that tells the truth",
        });
      if (own !== undefined && found.producerAddress === own)
        return not({
          loss: "momentums",
          what: `this host's producer address is the registered one, says ${source}`,
          found: [own],
          needed: "the successor's address in the wallet (Update Pillar), then some ten minutes",
        });
      if (last.own && last.own.height > (last.successor?.height ?? 0))
        return not({
          loss: "momentums",
          what: `momentums still carry this host's address, says ${source}`,
          found: [`momentum ${last.own.height}; elections are fixed two ticks ahead`],
          needed: "a momentum of the successor after it: some ten minutes after the wallet's update",
        });
      return met();
    }),
  );
}

function successor(facts: RetirementFacts, good: readonly Good[]): Verdict {
  const { successor: next, pillar, producingWithin } = facts;
  const loss = "momentums";
  if (next === undefined)
    return not({
      loss,
      what: "who produces after this host is not configured",
      needed:
        "pillar-host:retirement.successor with its address and hostKey, then pulumi up (of a host that is given up: the one that produces today)",
    });
  const { address, look, node } = next;
  if ("silent" in look)
    return not({
      loss,
      what: `the successor, ${address}, does not answer`,
      found: [look.silent],
      needed: "a successor that lets in (pillar-host:retirement.successor), synced and producing",
    });
  const unmet: Unmet[] = [];
  if (!node.synced)
    unmet.push({
      loss,
      what: `the successor's node, ${address}, is not synced now`,
      found: [node.why],
      needed: "its sync; see it with: npx pillar-host status STACK, for the successor's stack",
    });
  const producer = look.facts.producer;
  if (producer === undefined)
    return not(...unmet, {
      loss,
      what: `the successor, ${address}, has no producer address`,
      found: ["none in its data directory's config.json"],
      needed: "pillar-host:retirement.successor.dataDir where its node's data lies elsewhere, then pulumi up",
    });
  if (producer === ownProducer(facts))
    return not(...unmet, {
      loss,
      what: "this host and its successor hold the same producer key",
      found: [producer],
      needed: "two hosts with keys of their own: two nodes with one key must never run",
    });
  const rulings = good.flatMap(({ source, pillar: found, last, height }): Verdict[] => {
    if (found === null) return [];
    if (found.producerAddress !== producer)
      return [
        not({
          loss,
          what: `the successor's producer address is not the registered one of ${pillar}, says ${source}`,
          found: [`registered: ${found.producerAddress}; the successor's: ${producer}`],
          needed: "the wallet's update to the successor's address, or the right pillar-host:retirement.successor",
        }),
      ];
    const age = last.successor === undefined ? undefined : height - last.successor.height;
    if (age === undefined || age > producingWithin)
      return [
        not({
          loss,
          what: `the successor does not produce, says ${source}`,
          found: [
            age === undefined ? `no momentum of ${producer} of late` : `its last momentum was ${age} momentums ago`,
          ],
          needed: `a momentum of it among the last ${producingWithin}`,
        }),
      ];
    return [met(`${address} is registered and produced momentum ${last.successor?.height}, says ${source}`)];
  });
  return all([{ unmet, evidence: [] }, ...rulings]);
}

function rewards({ rewards: readings, saysCollected, pillar }: RetirementFacts): Verdict {
  const loss = "rewards";
  const told = readings.filter(({ says }) => says === "collected" || says === "waiting");
  const faults = readings.flatMap((reading) => (reading.says === "fault" ? [`${reading.source}: ${reading.why}`] : []));
  if (told.length > 0)
    return all(
      told.map((reading): Verdict => {
        if (reading.says === "collected") return met(`${reading.evidence}, says ${reading.source}`);
        const due = reading.says === "waiting" ? reading.dueAt : undefined;
        return not({
          loss,
          what: `the rewards since the switch are not collected, says ${reading.source}`,
          found: reading.says === "waiting" ? [reading.why] : [],
          needed: `them in the wallet, collected${due === undefined ? "" : `; due about ${new Date(due).toISOString().slice(0, 16).replace("T", " ")} UTC`}`,
        });
      }),
    );
  const silent = readings.filter((reading) => reading.says === "notOffered");
  if (silent.length === 0)
    return not({
      loss,
      what: "nobody tells whether the rewards since the switch were paid and collected",
      found: faults,
      needed: "a node to ask: the successor's, or pillar-host:retirement.references, then pulumi up",
    });
  if (!silent.every((reading) => reading.says === "notOffered" && reading.aDayAfter))
    return not({
      loss,
      what: "less than a day has passed since the switch: its rewards can't have come yet",
      found: [`${silent.map(({ source }) => source).join(", ")}: the RPC does not tell rewards`],
      needed: "a day, and the rewards collected in the wallet",
    });
  if (saysCollected) return met(`the operator's word that the rewards of ${pillar} were collected`);
  return not({
    loss,
    what: "the RPC does not tell whether the rewards since the switch were collected",
    found: [`${silent.map(({ source }) => source).join(", ")}: it does not know the methods`],
    needed: `your word, after you saw it in the wallet: ${collectedVariable}=${pillar} before the command`,
  });
}

function signer(facts: RetirementFacts): Verdict {
  const { host, step, address } = facts;
  if ("facts" in host && !hasSigner(host.facts)) return met(`${address} has no orchestrator on it`);
  const loss = "the signer";
  if ("facts" in host && host.facts.signer.active)
    return not({
      loss,
      what: `an orchestrator runs on this host, ${address}`,
      needed: "the signer's move in the successor's stack (pillar-host:orchestrator.migrateFrom), or its stop by hand",
    });
  if (step === "retire") return met();
  const unmet: Unmet[] = [];
  if ("facts" in host) {
    const { masked, hasKeyStore, journal } = host.facts.signer;
    if (!masked || hasKeyStore)
      unmet.push({
        loss,
        what: `the orchestrator on this host, ${address}, is not fenced: it would sign again after a start`,
        found: [`its unit is ${masked ? "masked" : "not masked"}, its key store ${hasKeyStore ? "in place" : "aside"}`],
        needed: "the signer's move in the successor's stack, which fences it here",
      });
    const other = journal?.other;
    if (other && facts.successor && other.hostKey !== facts.successor.hostKey)
      unmet.push({
        loss,
        what: "the signer went to another host than the successor",
        found: [`its journal names ${other.address}; pillar-host:retirement.successor is ${facts.successor.address}`],
        needed: "the right successor",
      });
  } else if (!facts.hasSignerBackup)
    unmet.push({
      loss,
      what: `whether an orchestrator signed on ${address} can't be told, and no proved backup of one lies here`,
      needed: "a host that answers, or the machine whose backups tell of it",
    });
  const build = facts.successor?.build;
  if (build === undefined || "error" in build)
    unmet.push({
      loss,
      what: "the successor's orchestrator does not answer",
      found: [build?.error ?? "the successor was not reached"],
      needed: "the signer at work there: npx pillar-host status STACK, for the successor's stack",
    });
  const version = build && "value" in build ? build.value.version : "";
  return unmet.length > 0 ? not(...unmet) : met(`the orchestrator ${version} answers on ${facts.successor?.address}`);
}

function met(...evidence: string[]): Verdict {
  return { unmet: [], evidence };
}

function not(...unmet: Unmet[]): Verdict {
  return { unmet, evidence: [] };
}

function all(verdicts: readonly Verdict[]): Verdict {
  return {
    unmet: verdicts.flatMap(({ unmet }) => unmet),
    evidence: verdicts.flatMap(({ evidence }) => evidence),
  };
}
