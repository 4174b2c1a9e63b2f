import { createNewPlace, createOldPlace } from "../../core/orchestrator/hosts/moveInputs";
import { createNewHost, createOldHost } from "../../core/ssh/configuredLogin";
import type { StackInfo } from "./openStack";

/** Lists the stack's own host, if its key is known, and the host that its orchestrator comes from. */
export function listOrchestratorHosts({ config, address, hostKey }: StackInfo) {
  const hosts = [
    address !== undefined &&
      hostKey !== undefined && {
        side: "new",
        host: createNewHost(config, address, hostKey),
        place: createNewPlace(config),
      },
    config.orchestrator.migrateFrom && { side: "old", host: createOldHost(config), place: createOldPlace(config) },
  ];
  return hosts.filter((each) => each !== false && each !== undefined);
}
