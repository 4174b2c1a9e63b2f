import { createNewPlace, createOldPlace } from "../../core/orchestrator/checks/secureOptions";
import type { OrchestratorPlace } from "../../core/orchestrator/hosts/moveInputs";
import type { WhichHost } from "../../core/orchestrator/rules/journal";
import { createNewHost, createOldHost } from "../../core/ssh/configuredLogin";
import type { OrchestratorHost } from "../../core/ssh/root";
import type { StackInfo } from "./openStack";

interface OrchestratorHostInfo {
  readonly side: WhichHost;
  readonly host: OrchestratorHost;
  readonly place: OrchestratorPlace;
}

/** Lists the stack's own host, if its key is known, and the host that its orchestrator comes from. */
export function listOrchestratorHosts({ config, address, hostKey }: StackInfo): OrchestratorHostInfo[] {
  const hosts: OrchestratorHostInfo[] = [];
  if (address !== undefined && hostKey !== undefined)
    hosts.push({ side: "new", host: createNewHost(config, address, hostKey), place: createNewPlace(config) });
  if (config.orchestrator.migrateFrom !== undefined)
    hosts.push({ side: "old", host: createOldHost(config), place: createOldPlace(config) });
  return hosts;
}
