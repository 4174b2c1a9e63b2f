import { isKeyShare } from "../orchestrator/backup/keyShare.ts";
import { type Connections, parseConnections } from "../orchestrator/rules/endpoints.ts";
import { type Journal, parseJournal } from "../orchestrator/rules/journal.ts";
import { markOwn } from "../ssh/foreign.ts";
import { type CallError, openRoot, type RootHost } from "../ssh/root.ts";
import { assertProxyWorks, isFatal } from "../ssh/sshErrors.ts";
import type { Clock } from "../util/clock.ts";
import { parseFields } from "../util/fields.ts";
import { parseAddresses } from "../util/hostPort.ts";
import { takeFirstLine } from "../util/printable.ts";
import { ProblemError } from "../util/problem.ts";
import { createPathVariables, type HostPaths, type RetirementInputs } from "./guardInputs.ts";

/** A host's facts for its retirement. No secret. */
export interface HostFacts {
  /** Producer address in the node's configuration. */
  readonly producer?: string;
  /** The host's IP addresses. */
  readonly addresses?: readonly string[];
  readonly hasKeyStore: boolean;
  readonly node: { readonly active: boolean; readonly masked: boolean };
  readonly signer: {
    readonly active: boolean;
    readonly masked: boolean;
    readonly hasDirectory: boolean;
    readonly hasKeyStore: boolean;
    /** Missing parts of a fenced orchestrator: configuration, key store moved aside, key share. */
    readonly lacks: readonly string[];
    /** Key share files, as paths below the orchestrator's directory. */
    readonly shares?: readonly string[];
    /** Absolute paths of key shares outside of that directory. */
    readonly sharesBeside?: readonly string[];
    /** Restarts of the orchestrator by systemd. */
    readonly restarts?: number;
    /** The other ends of the connections that its process has made; 127.0.0.1 for this host. */
    readonly connections?: Connections;
    readonly journal?: Journal;
  };
  /** Markers with their text: `stack`, `deploy.done`, `synced`, `retired`. */
  readonly marks: Readonly<Record<string, string>>;
}

/** A host's facts, or why there are none. `isRefused`: it refuses the login or shows another key, so it is alive. */
export type HostObservation = { readonly facts: HostFacts } | { readonly silent: string; readonly isRefused?: true };

/** Parses the output of retire_facts. @throws if it was cut off, or its journal can't be read */
export function parseHostFacts(printed: string, address: string): HostFacts {
  const fields = parseFields(printed);
  const facts = new Map(fields);
  if (facts.get("end") !== "yes") throw new ProblemError({ what: `${address}: its answer was cut off` });
  const is = (name: string) => facts.get(name) === "yes";
  const shares = fields.flatMap(([name, value]) => (name === "share" ? [`tss/${value}`] : [])).filter(isKeyShare);
  const sharesBeside = fields.flatMap(([name, value]) => (name === "shareBeside" ? [value] : []));
  const marks = fields.filter(([name]) => name.startsWith("marked."));
  return {
    producer: facts.get("producer") || undefined,
    addresses: parseAddresses(facts.get("addresses") ?? ""),
    hasKeyStore: is("keyStore"),
    node: { active: is("nodeActive"), masked: is("nodeMasked") },
    signer: {
      active: is("signerActive"),
      masked: is("signerMasked"),
      hasDirectory: is("signerDirectory"),
      hasKeyStore: is("signerKeyStore"),
      lacks: [
        ...(is("signerConfig") ? [] : ["configuration"]),
        ...(is("signerKeyAside") ? [] : ["key store"]),
        ...(shares.length > 0 ? [] : ["key share"]),
      ],
      shares,
      sharesBeside,
      restarts: Number(facts.get("signerRestarts") ?? 0),
      connections: parseConnections(fields),
      journal: parseJournal(Buffer.from(facts.get("journal") ?? "", "base64").toString("utf8"), address),
    },
    marks: Object.fromEntries(marks.map(([name, value]) => [name.slice("marked.".length), value])),
  };
}

export interface ReadHostDeps extends Pick<Clock, "ticks" | "sleep"> {
  say(line: string): void;
}

const retryDelayMs = 3000;

/** Reads a host's facts; retries until the timeout. @throws if the host's answer can't be used: such a host must stay on */
export async function readHost(
  root: RootHost,
  places: HostPaths,
  timeoutMs: number,
  deps: ReadHostDeps,
): Promise<HostObservation> {
  const end = deps.ticks() + timeoutMs;
  const variables = markOwn(createPathVariables(places));
  for (let isFirst = true; ; isFirst = false) {
    const answer = await root.call("retire_facts", variables, { limitSeconds: 30 }).catch((error: CallError) => error);
    if (typeof answer === "string") return { facts: parseHostFacts(answer, root.address) };
    // An exit code comes from the host itself: it answers, and a retry would not help.
    if (answer.exitCode !== undefined) throw answer;
    const silent = takeFirstLine(answer.message);
    const isRefused = isFatal(answer);
    if (isRefused || deps.ticks() >= end) {
      assertProxyWorks(root.address, answer);
      return isRefused ? { silent, isRefused } : { silent };
    }
    if (isFirst) deps.say(`${root.address} does not answer (${silent}); waiting for it`);
    await deps.sleep(retryDelayMs);
  }
}

/** Reads a host's facts over a new connection. */
export function readHostOnce({ host, library, places }: RetirementInputs, timeoutMs: number, deps: ReadHostDeps) {
  const root = openRoot(host, library);
  return readHost(root, places, timeoutMs, deps).finally(() => root.close());
}
