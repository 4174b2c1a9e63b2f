import { type Connection, createConnection } from "../ssh/connection.ts";
import { isOneMachine } from "../ssh/publicKey.ts";
import type { SshTarget } from "../ssh/ssh.ts";
import { type ChainClient, openNodeChain, openReferenceChain } from "./chain.ts";
import { type ExcludedHost, findReferences } from "./distinctNodes.ts";
import type { NodeTarget } from "./node.ts";
import { addVersionFault } from "./nodeVersion.ts";
import { type Answered, createSilentFault, isAnswered, listLeftOut, type NodeRole, type Reading } from "./reading.ts";

/** The nodes to ask about one chain. */
export interface ChainNodes extends Partial<Readonly<Record<Exclude<NodeRole, "reference">, NodeTarget | undefined>>> {
  readonly references: readonly string[];
}

/** A stack's host, and the versions that witnesses of its node need. Empty texts while the host does not exist. */
type ViewedHost = Pick<NodeTarget, "versions"> & { readonly ssh: Pick<SshTarget, "address" | "hostKey"> };

/** For questions that no witness of a host has to answer, so that no node is left out as this host. */
export const noHost: ViewedHost = { ssh: { address: "", hostKey: "" } };

/** `fault`: the reason why this node must not be asked. */
interface ViewNode {
  readonly role: NodeRole;
  readonly client: ChainClient;
  readonly fault?: string | undefined;
  readonly isLocal?: boolean;
}

const allRoles: readonly NodeRole[] = ["own", "successor", "oldHost", "reference"];

type ReadNode<T extends object> = (client: ChainClient, role: NodeRole) => Promise<Reading<T>>;

export type ChainView = ReturnType<typeof openChainView>;

/**
 * Opens the nodes to ask about one chain. Leaves out a reference or an old host that is this host, a reference that is
 * another of these nodes under a second name, and a reference or an old host below the required version. Connects to a
 * host when its node is asked.
 */
export function openChainView(
  { ssh: own, versions }: ViewedHost,
  { references, ...targets }: ChainNodes,
  connect: (target: SshTarget) => Connection = createConnection,
) {
  const excluded: ExcludedHost[] = own.address === "" ? [] : [{ host: own.address, what: "this host itself" }];
  const open = (role: Exclude<NodeRole, "reference">, whose: string): ViewNode[] => {
    const target = targets[role];
    if (target === undefined) return [];
    const { ssh } = target;
    const client = openNodeChain(`${whose}'s node (${ssh.address})`, target, connect(ssh));
    if (role === "own") return [{ role, client }];
    excluded.push({ host: ssh.address, what: `${whose}, which the program asks directly` });
    // A machine can't be its own witness under a second name.
    const fault = isOneMachine(ssh, own) ? "it has this host's own host key: it is this host itself" : undefined;
    return [{ role, client, fault }];
  };
  const hosts = [
    ...open("own", "this host"),
    ...open("successor", "the successor"),
    ...open("oldHost", "the old host"),
  ];
  // Names are resolved for each lookup: a gate watches for days.
  const openReferences = async (): Promise<ViewNode[]> =>
    (await findReferences(references, excluded)).map(({ url, ...rest }) => ({
      ...rest,
      role: "reference",
      client: openReferenceChain(url),
    }));
  /** Versions that suffice, by the witness's name, so that a gate does not ask at each lookup. */
  const known = new Map<string, string>();
  const readOne = async <T extends object>({ role, client, fault, isLocal }: ViewNode, read: ReadNode<T>) => {
    const isWitness = role === "oldHost" || role === "reference";
    const reading = fault === undefined ? await read(client, role) : { client, fault: createSilentFault(fault) };
    return Object.assign(isWitness ? await addVersionFault(reading, versions, known) : reading, { role, isLocal });
  };
  return {
    /** Reads all nodes at once, or those of some roles. Never throws. */
    read: async <T extends object>(read: ReadNode<T>, roles: readonly NodeRole[] = allRoles): Promise<Reading<T>[]> => {
      const asked = hosts.filter(({ role }) => roles.includes(role)).map((node) => readOne(node, read));
      const others = roles.includes("reference") ? await openReferences() : [];
      return Promise.all([...asked, ...others.map((node) => readOne(node, read))]);
    },
    /** Reads one node after the other until one answers. @throws the reasons of all nodes */
    readInTurn: async <T extends object>(read: ReadNode<T>): Promise<Answered<T>> => {
      const readings: Reading<T>[] = [];
      for (const open of [async () => hosts, openReferences])
        for (const node of await open()) {
          const reading = await readOne(node, read);
          if (isAnswered(reading)) return reading;
          readings.push(reading);
        }
      throw new Error(
        listLeftOut(readings, "").join("; ") || "this host's node is off, and no reference is configured",
      );
    },
    close: () => {
      for (const { client } of hosts) client.close();
    },
  };
}
