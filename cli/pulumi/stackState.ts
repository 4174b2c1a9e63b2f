import { outputName, parseOutputs } from "../../core/journey/outputs.ts";
import type { GuardMemory } from "../../core/retirement/guardMemory.ts";
import { isSameHost } from "../../core/ssh/publicKey.ts";
import { type DynamicType, formatProviderName, providerNames } from "../../core/util/resourceTypes.ts";

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
export type StackState = Pick<ParsedState, "isBegun" | "pending" | "last"> & Readonly<Partial<ParsedState>>;
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
  const findOwn = (type: DynamicType): readonly Outputs[] =>
    resources.flatMap((each) =>
      providerNames.get(each.type) === formatProviderName(type) ? [each.outputs ?? {}] : [],
    );
  const [contact = {}] = findOwn("FirstContact");
  const [ordered = {}] = findOwn("HostKey");
  const server = { ...findOutputs("hcloud:index/server:Server"), ...findOutputs("digitalocean:index/droplet:Droplet") };
  const [{ startedAt, startHeight, syncedAt } = {} as Outputs] = findOwn("SyncGate");
  const guards = findOwn("RetirementGuard");
  const [firstGuard = {}] = guards;
  const wait = { startHeight: asNumber(startHeight), syncedAt: asText(syncedAt) };
  return {
    /** True if a `pulumi up` made a resource, or began to. */
    isBegun: resources.some(({ type }) => !type.startsWith("pulumi:")) || operations.length > 0,
    /** The host key: recorded on first contact with this address, or made for the ordered server. */
    recordedKey: asHost(contact.address ?? server.ipv4Address, contact.pinned ?? ordered.publicKey),
    /** The wait for the sync; times are ISO 8601. */
    wait: typeof startedAt === "string" ? { startedAt, ...(wait as Partial<typeof wait>) } : undefined,
    /** The first guard's facts about the host. */
    guardMemory: asGuardMemory(firstGuard),
    /** The Pillar that the first guard was made for. */
    guardedPillar: asText(firstGuard.pillar),
    /** This host's producer address, which the last guard knows. */
    guardedProducer: asText(guards.at(-1)?.knownProducer),
    /** True if this state ordered the server. */
    isOwnServer: firstGuard.isOwnServer === true || undefined,
    orderedAt: asText(firstGuard.orderedAt),
    /** The last run's outputs. */
    last: parseOutputs(findOutputs("pulumi:pulumi:Stack")[outputName]),
    /** Operations that a killed run left; `operation` is `creating`, `updating`, … */
    pending: operations.map(({ resource, type }) => ({
      operation: type,
      type: resource.type,
      name: resource.urn.split("::").at(-1) ?? resource.urn,
      /** True for a creation that a later run repeated: the engine keeps it, and warns, until it is cleared. */
      ...(type === "creating" && resources.some(({ urn }) => urn === resource.urn) ? { isRepeated: true } : {}),
    })),
  };
}

/** True if the last run ended with the proof that this very host is synced. */
export const hasSyncProof = ({ last, wait }: StackState, now: OtherHost): boolean =>
  last.finished && wait?.syncedAt !== undefined && last.hostKey !== undefined && isSameHost(last, now);

type Outputs = Readonly<Record<string, unknown>>;

const asText = (value: unknown) => (typeof value === "string" ? value : undefined);
const asNumber = (value: unknown) => (typeof value === "number" ? value : undefined);

const asHost = (address: unknown, hostKey: unknown): OtherHost | undefined =>
  typeof address === "string" && typeof hostKey === "string" ? { address, hostKey } : undefined;

function asGuardMemory({ createdAt, isReached, isOwnWork, logHead }: Outputs): GuardMemory | undefined {
  if (typeof createdAt !== "string") return undefined;
  return { createdAt, isReached: isReached === true, isOwnWork: isOwnWork === true, logHead: asText(logHead) };
}
