import { join } from "node:path";
import { strToU8, zipSync } from "fflate";
import { bundleOrchestrator } from "./bundle";

/** Contents of an orchestrator release. */
export interface OrchestratorReleaseOptions {
  /** Has the form v0.0.9a. Before v0.0.9 the double is an older build without getStatus and getIdentity. */
  version: string;
  /** The executable's name in the archive (default: the official one). */
  entry?: string;
}

/** Name of the official archive's only entry. The archive itself has the same name with `.zip`. */
export const officialName = "orchestrator-linux-amd64";

/** Returns the path at which a lab keeps the hash of the official archive that it serves. */
export const releaseHashFile = (dir: string) => join(dir, `${officialName}.zip.sha256`);

/** Builds an orchestrator release archive, which contains only the executable. The same options give the same bytes. */
export async function buildOrchestratorRelease(options: OrchestratorReleaseOptions): Promise<Buffer> {
  const { version, entry = officialName } = options;
  const executable = strToU8(await bundleOrchestrator(version));
  const attributes = { os: 3, attrs: 0o100755 * 0x10000, mtime: new Date(2024, 0, 1), level: 9 as const };
  return Buffer.from(zipSync({ [entry]: [executable, attributes] }));
}
