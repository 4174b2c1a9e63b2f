import type { GuardMemory } from "../../core/retirement/guardMemory.ts";
import { isSameHost } from "../../core/ssh/publicKey.ts";
import { isAddress } from "../../core/util/address.ts";

export type OtherHost = Readonly<Record<"address" | "hostKey", string>>;

export interface Resource {
  readonly urn: string;
  readonly type: string;
  readonly inputs?: Readonly<Record<string, unknown>>;
  readonly outputs?: Readonly<Record<string, unknown>>;
}

interface Deployment {
  readonly resources?: readonly Resource[];
  readonly pending_operations?: readonly { readonly resource: Resource; readonly type: string }[];
}

/** The values that the command line reads from a stack's state. None of them is secret. */
export type StackState = Pick<ParsedState, "isBegun" | "pending"> & Readonly<Partial<ParsedState>>;
type ParsedState = ReturnType<typeof parseState>;
export type PendingOperation = ParsedState["pending"][number];

/** Returns the resources, and those of operations that a killed run left. */
export function parseResources(text: string) {
  const { deployment } = JSON.parse(text) as { deployment?: Deployment };
  return { resources: deployment?.resources ?? [], operations: deployment?.pending_operations ?? [] };
}

/** Parses the output of `pulumi stack export`. */
export function parseState(text: string) {
  const { resources, operations } = parseResources(text);
  const findOutputs = (end: string): Outputs => resources.find(({ type }) => type.endsWith(end))?.outputs ?? {};
  const contact = findOutputs(":FirstContact");
  const server = { ...findOutputs("hcloud:index/server:Server"), ...findOutputs("digitalocean:index/droplet:Droplet") };
  const { startedAt, startHeight, syncedAt } = findOutputs(":SyncGate");
  const stack = findOutputs("pulumi:pulumi:Stack");
  const firstGuard = findOutputs(":RetirementGuard");
  const lastGuard = resources.findLast(({ type }) => type.endsWith(":RetirementGuard"))?.outputs;
  const wait = { startHeight: asNumber(startHeight), syncedAt: asText(syncedAt) };
  return {
    /** True if a `pulumi up` made a resource, or began to. */
    isBegun: resources.some(({ type }) => !type.startsWith("pulumi:")) || operations.length > 0,
    /** The host key: recorded on first contact with this address, or made for the ordered server. */
    recordedKey: asHost(contact.address ?? server.ipv4Address, contact.pinned ?? findOutputs(":HostKey").publicKey),
    /** The wait for the sync; times are ISO 8601. */
    wait: typeof startedAt === "string" ? { startedAt, ...(wait as Partial<typeof wait>) } : undefined,
    /** The first guard's facts about the host. */
    guardMemory: asGuardMemory(firstGuard),
    /** This host's producer address, which the last guard knows. */
    guardedProducer: asText(lastGuard?.knownProducer),
    /** True if this state ordered the server. */
    isOwnServer: firstGuard.isOwnServer === true || undefined,
    orderedAt: asText(firstGuard.orderedAt),
    /** The host in the last run's outputs. */
    host: asHost(asBlock(stack.host).address, asBlock(stack.host).hostKey),
    /** The producer address that was registered before this host's, from the last run's outputs. */
    earlierProducer: asText(asBlock(stack.registration).earlier),
    /** Outputs of the last run; undefined if no run has finished. */
    lastRun: parseLastRun(stack) as LastRunOutputs | undefined,
    /** True if the last run did not wait for the sync: the engine stores outputs that are still unknown as a text. */
    isAwaiting: typeof stack.nextStep === "string" || undefined,
    /** Operations that a killed run left; `operation` is `creating`, `updating`, … */
    pending: operations.map(({ resource, type }) => ({
      operation: type,
      type: resource.type,
      name: resource.urn.split("::").at(-1) ?? resource.urn,
    })),
  };
}

/** True if the last run ended with the proof that this very host is synced. */
export const hasSyncProof = ({ lastRun, wait, host }: StackState, now: OtherHost): boolean =>
  lastRun !== undefined && wait?.syncedAt !== undefined && host !== undefined && isSameHost(host, now);

type Outputs = Readonly<Record<string, unknown>>;

const asText = (value: unknown) => (typeof value === "string" ? value : undefined);
const asNumber = (value: unknown) => (typeof value === "number" ? value : undefined);
const asBlock = (value: unknown) => (value ?? {}) as Outputs;

const asHost = (address: unknown, hostKey: unknown): OtherHost | undefined =>
  typeof address === "string" && typeof hostKey === "string" ? { address, hostKey } : undefined;

function asGuardMemory({ createdAt, isReached, isOwnWork, logHead }: Outputs): GuardMemory | undefined {
  if (typeof createdAt !== "string") return undefined;
  return { createdAt, isReached: isReached === true, isOwnWork: isOwnWork === true, logHead: asText(logHead) };
}

type ParsedRun = NonNullable<ReturnType<typeof parseLastRun>>;
export type LastRunOutputs = Pick<ParsedRun, "nextStep" | "isRegistered" | "isOffered"> & Partial<ParsedRun>;

function parseLastRun({ nextStep, producerAddress, registration, orchestrator }: Outputs) {
  if (!Array.isArray(nextStep)) return undefined;
  const { registered, offered, producing } = asBlock(registration);
  return {
    nextStep: nextStep.filter((line): line is string => typeof line === "string") as readonly string[],
    /** Set only if the node was synced or the address was already registered. */
    producerAddress: isAddress(producerAddress) ? producerAddress : undefined,
    isRegistered: registered === true,
    /** True if the address was registered but had produced no momentum yet. */
    isAwaited: registered === true && producing === false,
    /** True if the run listed registering this host's address as the next step. */
    isOffered: offered === true,
    /** The host of the orchestrator, `old` or `new`, if there was an orchestrator. */
    orchestratorHost: asText(asBlock(orchestrator).side),
  };
}
