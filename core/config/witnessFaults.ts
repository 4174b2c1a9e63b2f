import { normalizeHost, parseHostPort } from "../util/hostPort";
import type { SchemaFault } from "./configFaults";

interface OldHost {
  readonly address: string;
  readonly hostKey: string;
}

interface Around {
  readonly lifecycle: string;
  readonly host: { readonly provider: string; readonly address?: string; readonly hostKey?: string | undefined };
  readonly sync: {
    readonly references: readonly string[];
    readonly oldHost?: OldHost | undefined;
    readonly unverifiedChain?: string | undefined;
  };
  readonly orchestrator: { readonly migrateFrom?: OldHost | undefined };
}

/** Checks the witnesses of the chain: an active stack needs one, and none counts twice or is the host itself. */
export function findWitnessFaults({ lifecycle, host, sync, orchestrator }: Around): SchemaFault[] {
  const { references, oldHost, unverifiedChain } = sync;
  const { migrateFrom } = orchestrator;
  const faults: SchemaFault[] = [];
  const places = references.map((url) => (URL.canParse(url) ? parseHostPort(url) : { host: url, port: "" }));
  places.forEach(({ host: name, port }, at) => {
    const remove = { remove: `sync.references[${at}]` };
    const twin = places.findIndex((other) => other.host === name && other.port === port);
    if (twin < at)
      faults.push([
        ["sync", "references", String(at)],
        `is the same node as sync.references[${twin}]: needed independent nodes`,
        remove,
      ]);
    else if (host.address !== undefined && name === normalizeHost(host.address))
      faults.push([
        ["sync", "references", String(at)],
        "is this stack's own host: needed a node that is independent of it",
        remove,
      ]);
  });
  if (lifecycle === "active" && references.length === 0 && !oldHost && !migrateFrom && unverifiedChain === undefined)
    faults.push([
      ["sync", "references"],
      "needed a witness of the chain, found none: a fresh momentum does not prove which chain a node is on. " +
        "Needed at least one independent node's RPC here, or the old host (sync.oldHost: address and hostKey). " +
        "docs/operating.md, Witnesses of the chain, says how to find nodes, and what sync.unverifiedChain: acknowledged risks",
      { set: "sync.references[0]", toWord: "URL" },
    ]);
  return faults;
}
