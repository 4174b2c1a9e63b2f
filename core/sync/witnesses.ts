import { type ChainClient, createChainClient, openNodeChain } from "../chain/chain";
import type { ExcludedHost } from "../chain/distinctReferences";
import type { Block } from "../chain/sameChain";
import { type LogRef, readEvents } from "../eventLog/eventLog";
import type { LogEvent } from "../eventLog/events";
import { findValidEvents } from "../eventLog/guardFacts";
import { isOneMachine } from "../ssh/sameHost";
import type { SshTarget } from "../ssh/ssh";
import { openStore } from "../store/openStore";
import type { WitnessSources } from "./chainSources";
import { type OwnChain, type ReferenceAnswers, readReferences } from "./references";

export interface Witnesses {
  /** Reads all witnesses. Never throws. @param limit milliseconds for each */
  read(own: OwnChain | undefined, limit?: number): Promise<ReferenceAnswers>;
  close(): void;
}

/**
 * Opens the connections to a node's witnesses. The node's address and host key are empty while its host does not exist.
 * `first`: asks the old host only until the event log has a momentum, because the old host may be gone later.
 */
export function openWitnesses(
  { references, witnessHost, record }: Omit<WitnessSources, "tolerance">,
  { ssh }: { readonly ssh: Pick<SshTarget, "address" | "hostKey"> },
  asksOldHost: "always" | "first" = "first",
): Witnesses {
  // A machine can't be its own witness under a second name.
  const isSelf = witnessHost && isOneMachine(witnessHost.ssh, ssh);
  const name = `the old host's node (${witnessHost?.ssh.address})`;
  const old = witnessHost && (isSelf ? oneself(name) : openNodeChain(name, witnessHost));
  const excluded: ExcludedHost[] = [
    ...(ssh.address === "" ? [] : [{ host: ssh.address, what: "this host itself" }]),
    ...(witnessHost ? [{ host: witnessHost.ssh.address, what: "the old host, which the program asks directly" }] : []),
  ];
  return {
    read: async (own, limit) => {
      const recorded = await readWitnessed(record);
      const oldHost = recorded && asksOldHost === "first" ? undefined : old;
      return readReferences(references, own, limit, { oldHost, recorded, excluded });
    },
    close: () => old?.close(),
  };
}

/** Returns a client whose calls all fail, for an old host that is this host itself. */
function oneself(name: string): ChainClient {
  const refuse = () => Promise.reject(new Error("it has this host's own host key: it is this host itself"));
  return createChainClient(name, refuse, () => undefined);
}

async function readWitnessed(place: LogRef | undefined): Promise<Block | undefined> {
  if (place === undefined) return undefined;
  try {
    return witnessedMomentum(await readEvents(openStore(place.directory), place.pillar), place.stack);
  } catch {
    // The next write to the event log reports the problem.
    return undefined;
  }
}

function witnessedMomentum(events: readonly LogEvent[], stack: string): Block | undefined {
  return findValidEvents(events, stack, "witnessed").findLast(({ details }) => details.witnessed)?.details.witnessed;
}
