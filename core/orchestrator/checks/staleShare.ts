import type { Problem } from "../../util/problem";
import { hasShareForKey } from "../backup/keyShare";
import type { BackupContent } from "../backup/restoreBackup";
import type { Acknowledgements } from "../hosts/moveInputs";
import type { BridgeNow } from "./bridgeState";

/** Checks that no key generation came after a backup: its share must be of the bridge's key on the chain. */
export function findStaleShare(
  { keyShare }: Pick<BackupContent, "keyShare">,
  bridge: BridgeNow,
  { noKeyShare }: Pick<Acknowledgements, "noKeyShare">,
): Problem | undefined {
  if (noKeyShare) return undefined;
  if (!bridge.known)
    return {
      what: "it is unknown whether the backup's key share is of the bridge's key",
      found: bridge.why,
      needed: "a node that tells the bridge's key: add one to pillar-host:sync.references",
    };
  if (hasShareForKey(bridge.key, keyShare?.files ?? [])) return undefined;
  return {
    what: "the backup's key share is not of the bridge's key: a key generation came after it",
    found: keyShare === undefined ? "no key share" : `${keyShare.files.join(", ")}, made ${keyShare.generatedAt}`,
    needed: "give a backup from after the key generation, or let the orchestrator take part in the next one",
  };
}
