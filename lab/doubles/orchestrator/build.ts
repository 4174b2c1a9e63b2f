import { createHash } from "node:crypto";

/** Answer of getBuildInfo. */
export interface OrchestratorBuild {
  /** Has the form v0.0.9a. */
  version: string;
  /** 40 hexadecimal digits. */
  gitCommit: string;
  goVersion: string;
}

/** Returns the build of a version. The same version always has the same commit. */
export function orchestratorBuild(version = "v0.0.9a"): OrchestratorBuild {
  const gitCommit = createHash("sha1").update(`orchestrator ${version}`).digest("hex");
  return { version, gitCommit, goVersion: "go1.22.1" };
}
