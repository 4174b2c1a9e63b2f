/** What of a stack's state is read here. Nothing of it is secret. */
export interface StackState {
  /** A `pulumi up` got as far as the host. */
  readonly begun: boolean;
  /** Recorded on first contact with this address, or made with the server that has it. */
  readonly recordedKey?: { readonly address: string; readonly hostKey: string };
  /** The history of the wait for the sync, where a run has left it. */
  readonly wait?: Wait;
  readonly pending: readonly Pending[];
}

/** Times are ISO 8601. */
export interface Wait {
  readonly startedAt: string;
  readonly startHeight?: number;
  readonly syncedAt?: string;
}

/** An operation that was cut off. */
export interface Pending {
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

/** Takes it out of what `pulumi stack export` prints (pure). */
export function parseState(text: string): StackState {
  const { deployment } = JSON.parse(text) as {
    deployment?: { resources?: Resource[]; pending_operations?: { resource: Resource; type: string }[] };
  };
  const { resources = [], pending_operations: operations = [] } = deployment ?? {};
  const outputsOf = (end: string) => resources.find(({ type }) => type.endsWith(end))?.outputs ?? {};
  const contact = outputsOf(":FirstContact");
  const server = { ...outputsOf("hcloud:index/server:Server"), ...outputsOf("digitalocean:index/droplet:Droplet") };
  const address = contact.address ?? server.ipv4Address;
  const hostKey = contact.pinned ?? outputsOf(":HostKey").publicKey;
  const { startedAt, startHeight, syncedAt } = outputsOf(":SyncGate");
  return {
    begun: resources.some(({ type }) => !type.startsWith("pulumi:")) || operations.length > 0,
    ...(typeof address === "string" && typeof hostKey === "string" ? { recordedKey: { address, hostKey } } : {}),
    ...(typeof startedAt === "string"
      ? {
          wait: {
            startedAt,
            ...(typeof startHeight === "number" ? { startHeight } : {}),
            ...(typeof syncedAt === "string" ? { syncedAt } : {}),
          },
        }
      : {}),
    pending: operations.map(({ resource, type }) => ({
      operation: type,
      type: resource.type,
      name: resource.urn.split("::").at(-1) ?? resource.urn,
    })),
  };
}
