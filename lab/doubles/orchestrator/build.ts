import { createHash } from "node:crypto";

/** What getBuildInfo gives. */
export interface OrchestratorBuild {
  /** Form v0.0.9a. */
  version: string;
  /** 40 hexadecimal characters. */
  gitCommit: string;
  goVersion: string;
}

/** The build of a version; the same version always has the same commit. */
export function orchestratorBuild(version: string): OrchestratorBuild {
  const gitCommit = createHash("sha1").update(`orchestrator ${version}`).digest("hex");
  return { version, gitCommit, goVersion: "go1.22.1" };
}

/** From v0.0.8 on it has an RPC; nothing listens before. */
export function hasRpc(version: string): boolean {
  const parts = /^v(\d+)\.(\d+)\.(\d+)/.exec(version)?.slice(1).map(Number) ?? [];
  const [major = 0, minor = 0, patch = 0] = parts;
  return major > 0 || minor > 0 || patch >= 8;
}
