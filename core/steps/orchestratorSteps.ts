import type { StackConfig } from "../config/config.ts";
import { createScript, type Step } from "./step.ts";
import { releaseVariables } from "./stepVariables.ts";

/** Installs the orchestrator (procedure B, step 3). Only the move starts it. */
export function orchestrator({ orchestrator: { service, directory, executable, release } }: StackConfig): Step {
  return {
    name: "orchestrator",
    limitSeconds: 1800,
    script: createScript(["lib/releaseDownload", "orchestrator/journal", "orchestrator/install"], {
      service,
      directory,
      executable,
      ...releaseVariables(release),
    }),
  };
}

/**
 * Pulls most of the orchestrator's directory into the staging directory while the old host signs (procedure B, step 4).
 * Same in every run of a configuration, and without a secret: the key lies on the host (core/orchestrator/hosts/bulkCopyKey.ts).
 */
export function bulkCopy(
  { orchestrator: { service, directory, executable, rpcPort } }: StackConfig,
  from: { readonly user: string; readonly address: string; readonly port: number },
): Step {
  return {
    name: "bulkCopy",
    limitSeconds: 13 * 3600,
    script: createScript(
      [
        "lib/copyAccess",
        "lib/lease",
        ...["keyShares", "keyStore", "manifest", "journal", "copy"].map((part) => `orchestrator/${part}`),
        "orchestrator/bulkCopy",
      ],
      {
        service,
        directory,
        executable,
        rpc_port: rpcPort,
        login_user: from.user,
        copy_address: from.address,
        copy_port: from.port,
      },
    ),
  };
}
