import { isKeyShare } from "../orchestrator/backup/keyShare";
import { type Journal, parseJournal } from "../orchestrator/rules/journal";
import { own } from "../ssh/foreign";
import { type CallError, type OrchestratorHost, openRoot, type RootHost } from "../ssh/root";
import type { Clock } from "../util/clock";
import { fieldsOf } from "../util/fields";
import { firstLine } from "../util/firstLine";

/** What lies where on a host that is retired, or that comes after it. */
export interface HostPlaces {
  /** The node's service, data directory and RPC port. */
  readonly service: string;
  readonly dataDir: string;
  readonly rpcPort: number;
  /** The orchestrator's. */
  readonly signer: {
    readonly service: string;
    readonly directory: string;
    readonly executable: string;
    readonly rpcPort: number;
  };
}

/** What a host says of itself; no secret. */
export interface HostFacts {
  /** The producer address that its node is configured with. */
  readonly producer?: string;
  readonly hasKeyStore: boolean;
  readonly node: { readonly active: boolean; readonly masked: boolean };
  readonly signer: {
    readonly active: boolean;
    readonly masked: boolean;
    readonly hasDirectory: boolean;
    readonly hasKeyStore: boolean;
    /** What its directory does not hold of a fenced signer: configuration, key store that was moved aside, key share. */
    readonly lacks: readonly string[];
    /** Files of key shares, below the directory; absent where there are none. */
    readonly shares?: readonly string[];
    /** How often its unit started it again by itself; absent where it never did. */
    readonly restarts?: number;
    readonly journal?: Journal;
  };
  /** What was done on it: `stack`, `deploy.done`, `synced`, `retired`, with the markers' text. */
  readonly marks: Readonly<Record<string, string>>;
}

/** A look at a host: its facts, or why there are none; one that refuses the login, or shows another key, is alive. */
export type HostObservation = { readonly facts: HostFacts } | { readonly silent: string; readonly isRefused?: true };

/** Reads what retire_facts prints. @throws where it was cut off, or its journal cannot be read */
export function parseHostFacts(printed: string, address: string): HostFacts {
  const fields = fieldsOf(printed);
  const facts = new Map(fields);
  if (facts.get("end") !== "yes") throw new Error(`${address}: its answer was cut off`);
  const is = (name: string) => facts.get(name) === "yes";
  const producer = facts.get("producer");
  const journal = parseJournal(Buffer.from(facts.get("journal") ?? "", "base64").toString("utf8"), address);
  const shares = fields.flatMap(([name, value]) => (name === "share" ? [`tss/${value}`] : [])).filter(isKeyShare);
  const marks = fields.filter(([name]) => name.startsWith("marked."));
  const lacks = [
    ...(is("signerConfig") ? [] : ["configuration"]),
    ...(is("signerKeyAside") ? [] : ["key store"]),
    ...(shares.length > 0 ? [] : ["key share"]),
  ];
  return {
    producer: producer || undefined,
    hasKeyStore: is("keyStore"),
    node: { active: is("nodeActive"), masked: is("nodeMasked") },
    signer: {
      active: is("signerActive"),
      masked: is("signerMasked"),
      hasDirectory: is("signerDirectory"),
      hasKeyStore: is("signerKeyStore"),
      lacks,
      shares: shares.length > 0 ? shares : undefined,
      restarts: Number(facts.get("signerRestarts")) > 0 ? Number(facts.get("signerRestarts")) : undefined,
      journal,
    },
    marks: Object.fromEntries(marks.map(([name, value]) => [name.slice("marked.".length), value])),
  };
}

/** The variables of the library's functions. */
export function placeVariables({ service, dataDir, rpcPort, signer }: HostPlaces) {
  return {
    service,
    data_dir: dataDir,
    rpc_port: rpcPort,
    signer_service: signer.service,
    signer_directory: signer.directory,
    signer_executable: signer.executable,
    signer_rpc_port: signer.rpcPort,
  };
}

/** What time is, and who hears of it. */
export interface LookDeps extends Pick<Clock, "ticks" | "sleep"> {
  say(line: string): void;
}

const pause = 3000;

/**
 * Looks at a host, and waits a while for one that does not answer.
 *
 * @param patience milliseconds
 * @throws where it answers, and its answer cannot be read
 */
export async function lookAtHost(
  root: RootHost,
  places: HostPlaces,
  patience: number,
  deps: LookDeps,
): Promise<HostObservation> {
  const end = deps.ticks() + patience;
  for (let said = false; ; ) {
    let printed: string | undefined;
    try {
      printed = await root.call("retire_facts", own(placeVariables(places)), { limitSeconds: 30 });
    } catch (error) {
      const { exitCode, message } = error as CallError;
      // It is there, and says what is wrong with it.
      if (exitCode !== undefined) throw error;
      const isRefused = Reflect.get(error as Error, "refused") !== undefined;
      const silent = firstLine(message);
      if (isRefused) return { silent, isRefused };
      if (deps.ticks() >= end) return { silent };
      if (!said) deps.say(`${root.address} does not answer (${firstLine(message)}); waiting for it`);
      said = true;
    }
    // What it says and nobody can read is no silence: it is not to be switched off for that.
    if (printed !== undefined) return { facts: parseHostFacts(printed, root.address) };
    await deps.sleep(pause);
  }
}

/** A host, how to become root there, and where its programs lie. */
interface HostToRead {
  readonly host: OrchestratorHost;
  readonly library: string;
  readonly places: HostPlaces;
}

/** Reads a host's facts over a connection of its own. @param patience milliseconds */
export async function lookOnceAt(
  { host, library, places }: HostToRead,
  patience: number,
  deps: LookDeps,
): Promise<HostObservation> {
  const root = openRoot(host, library);
  try {
    return await lookAtHost(root, places, patience, deps);
  } finally {
    root.close();
  }
}
