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
export function orchestratorBuild(version: string): OrchestratorBuild {
  const gitCommit = createHash("sha1").update(`orchestrator ${version}`).digest("hex");
  return { version, gitCommit, goVersion: "go1.22.1" };
}

/** True if the version has an RPC. Versions before v0.0.8 have none and listen on no port for it. */
export function hasRpc(version: string): boolean {
  const parts = /^v(\d+)\.(\d+)\.(\d+)/.exec(version)?.slice(1).map(Number) ?? [];
  const [major = 0, minor = 0, patch = 0] = parts;
  return major > 0 || minor > 0 || patch >= 8;
}
