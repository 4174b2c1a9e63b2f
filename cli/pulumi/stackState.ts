import { isAddress } from "../../core/util/address";
/** What of a stack's state is read here. Nothing of it is secret. */
export interface StackState {
  /** A `pulumi up` got as far as the host. */
  readonly isBegun: boolean;
  /** Recorded on first contact with this address, or made with the server that has it. */
  readonly recordedKey?: { readonly address: string; readonly hostKey: string };
  /** The history of the wait for the sync, where a run has left it. */
  readonly wait?: SyncWait;
  /** What a copy of the old host's chain ended with. */
  readonly chainCopy?: ChainCopyResult;
  readonly pending: readonly PendingOperation[];
  /** What the guards before the host's deletion remember. */
  readonly guard?: GuardState;
  /** The producer address that was registered before this host's, as the last run showed it. */
  readonly earlierProducer?: string;
  /** What the last run showed at its end; undefined where none went to its end. */
  readonly lastRun?: LastRunOutputs;
}

/** Outputs of the last run that went to its end. */
export interface LastRunOutputs {
  readonly nextStep: readonly string[];
  /** Only while the node was synced, or the address registered already. */
  readonly producerAddress?: string;
  /** The chain had this host's address then. */
  readonly isRegistered: boolean;
  /** It was registered, and no momentum carried it yet. */
  readonly isAwaited?: boolean;
  /** It said to register this host's address. */
  readonly isOffered: boolean;
  /** The side that the signer was on, where there was one. */
  readonly orchestratorHost?: string;
}

/** Where another stack finds this one's host. */
export interface OtherHost {
  readonly address: string;
  readonly hostKey: string;
}

export interface GuardState {
  /** ISO 8601. */
  readonly createdAt: string;
  readonly isReached: boolean;
  readonly isOwnWork: boolean;
  /** The state ordered the server. */
  readonly isOwnServer: boolean;
  /** The producer address that this host was seen with. */
  readonly knownProducer?: string;
  /** A momentum of the chain that its node was synced to. */
  readonly recorded?: { readonly height: number; readonly hash: string };
  readonly produced?: "seen";
}

/** Times are ISO 8601. */
export interface SyncWait {
  readonly startedAt: string;
  readonly startHeight?: number;
  readonly syncedAt?: string;
}

/** The old host's chain, as it was brought to this one. */
export interface ChainCopyResult {
  readonly from: string;
  /** ISO 8601. */
  readonly at: string;
  readonly bytes: number;
  readonly seconds: number;
  /** Of the momentum that it ended with. */
  readonly height: number;
  readonly manifest: string;
}

/** An operation that was cut off. */
export interface PendingOperation {
  /** `creating`, `updating`, … */
  readonly operation: string;
  /** The resource's type. */
  readonly type: string;
  readonly name: string;
}

interface Resource {
  readonly urn: string;
  readonly type: string;
  readonly outputs?: Readonly<Record<string, unknown>>;
}

/** What of a state's own form is read here. */
export interface Deployment {
  readonly resources?: readonly Resource[];
  readonly pending_operations?: readonly { readonly resource: Resource; readonly type: string }[];
}

/** Takes it out of what `pulumi stack export` prints. */
export function parseState(text: string): StackState {
  const { deployment } = JSON.parse(text) as { deployment?: Deployment };
  return parseDeployment(deployment);
}

/** Takes it out of a state, none where there is none. */
export function parseDeployment({ resources = [], pending_operations: operations = [] }: Deployment = {}): StackState {
  const outputsOf = (end: string) => resources.find(({ type }) => type.endsWith(end))?.outputs ?? {};
  const contact = outputsOf(":FirstContact");
  const server = { ...outputsOf("hcloud:index/server:Server"), ...outputsOf("digitalocean:index/droplet:Droplet") };
  const address = contact.address ?? server.ipv4Address;
  const hostKey = contact.pinned ?? outputsOf(":HostKey").publicKey;
  const { startedAt, startHeight, syncedAt } = outputsOf(":SyncGate");
  const guard = parseGuards(resources.filter(({ type }) => type.endsWith(":RetirementGuard")));
  const copied = parseChainCopy(outputsOf(":ChainCopy"));
  const outputs = outputsOf("pulumi:pulumi:Stack");
  const { earlier } = (outputs.registration ?? {}) as { earlier?: unknown };
  const shown = parseLastRun(outputs);
  return {
    isBegun: resources.some(({ type }) => !type.startsWith("pulumi:")) || operations.length > 0,
    recordedKey: typeof address === "string" && typeof hostKey === "string" ? { address, hostKey } : undefined,
    ...(typeof startedAt === "string"
      ? {
          wait: {
            startedAt,
            startHeight: typeof startHeight === "number" ? startHeight : undefined,
            syncedAt: typeof syncedAt === "string" ? syncedAt : undefined,
          },
        }
      : {}),
    guard,
    chainCopy: copied,
    earlierProducer: typeof earlier === "string" ? earlier : undefined,
    lastRun: shown,
    pending: operations.map(({ resource, type }) => ({
      operation: type,
      type: resource.type,
      name: resource.urn.split("::").at(-1) ?? resource.urn,
    })),
  };
}

/** The two guards of a stack remember the same host: the first of them longest, the last one its producer address. */
function parseGuards(guards: readonly Resource[]): GuardState | undefined {
  const [first] = guards
    .map(({ outputs = {} }) => outputs)
    .filter((outputs) => typeof outputs.createdAt === "string")
    .sort((a, b) => String(a.createdAt).localeCompare(String(b.createdAt)));
  if (first === undefined) return undefined;
  const producer = guards.map(({ outputs }) => outputs?.knownProducer).find((each) => typeof each === "string");
  const recorded = guards.map(({ outputs }) => parseMomentum(outputs?.recorded)).find((each) => each !== undefined);
  const hasProduced = guards.some(({ outputs }) => outputs?.produced === "seen");
  return {
    createdAt: String(first.createdAt),
    isReached: first.isReached !== false,
    isOwnWork: first.isOwnWork === true,
    isOwnServer: first.isOwnServer === true,
    knownProducer: typeof producer === "string" ? producer : undefined,
    recorded,
    produced: hasProduced ? "seen" : undefined,
  };
}

function parseMomentum(found: unknown): GuardState["recorded"] {
  const { height, hash } = (found ?? {}) as { height?: unknown; hash?: unknown };
  return typeof height === "number" && typeof hash === "string" ? { height, hash } : undefined;
}

function parseChainCopy(outputs: Readonly<Record<string, unknown>>): ChainCopyResult | undefined {
  const { outcome, from, at, bytes, seconds, height, manifest } = outputs;
  if (outcome !== "copied") return undefined;
  const [text, number] = [String, Number];
  return {
    from: text(from),
    at: text(at),
    bytes: number(bytes),
    seconds: number(seconds),
    height: number(height),
    manifest: text(manifest),
  };
}

function parseLastRun({
  nextStep,
  producerAddress,
  registration,
  orchestrator,
}: Readonly<Record<string, unknown>>): LastRunOutputs | undefined {
  if (!Array.isArray(nextStep)) return undefined;
  const { registered, offered, producing } = (registration ?? {}) as Readonly<Record<string, unknown>>;
  const { side } = (orchestrator ?? {}) as { side?: unknown };
  return {
    nextStep: nextStep.filter((line) => typeof line === "string"),
    producerAddress: isAddress(producerAddress) ? producerAddress : undefined,
    isRegistered: registered === true,
    isAwaited: registered === true && producing === false ? true : undefined,
    isOffered: offered === true,
    orchestratorHost: typeof side === "string" ? side : undefined,
  };
}

/** The host that a stack's outputs show, for another stack to name it. */
export function parseHostOutput(text: string): OtherHost | undefined {
  const { deployment } = JSON.parse(text) as { deployment?: Deployment };
  const outputs = deployment?.resources?.find(({ type }) => type === "pulumi:pulumi:Stack")?.outputs;
  const { address, hostKey } = (outputs?.host ?? {}) as { address?: unknown; hostKey?: unknown };
  return typeof address === "string" && typeof hostKey === "string" ? { address, hostKey } : undefined;
}
