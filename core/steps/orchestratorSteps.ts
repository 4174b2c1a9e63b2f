import type { StackConfig } from "../config/config";
import { createScript, type Step } from "./step";
import { releaseVariables } from "./stepVariables";

/** Installs the orchestrator (procedure B, step 3). Only the move starts it. */
export function orchestrator({ orchestrator: { service, directory, executable, release } }: StackConfig): Step {
  return {
    name: "orchestrator",
    limitSeconds: 1800,
    script: createScript(
      {
        service,
        directory,
        executable,
        ...releaseVariables(release),
      },
      "lib/releaseDownload",
      "orchestrator/install",
    ),
  };
}
