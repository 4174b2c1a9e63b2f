import { join } from "node:path";
import { strToU8, zipSync } from "fflate";
import { bundleOrchestrator } from "./bundle";

/** What an orchestrator's release is made of. */
export interface OrchestratorReleaseOptions {
  /** Form v0.0.9a; before v0.0.9 it is an older build, without getStatus and getIdentity. */
  version: string;
  /** The executable's name in the archive (default: as in the official one). */
  entry?: string;
}

/** What the official archive's one entry is called, and, with `.zip` behind, the archive. */
export const officialName = "orchestrator-linux-amd64";

/** Where a lab has the hash of the official archive that it serves. */
export const releaseHashFile = (dir: string) => join(dir, `${officialName}.zip.sha256`);

/** An orchestrator's release archive: the executable, nothing else. The same options give the same bytes. */
export async function buildOrchestratorRelease(options: OrchestratorReleaseOptions): Promise<Buffer> {
  const { version, entry = officialName } = options;
  const executable = strToU8(await bundleOrchestrator(version));
  const attributes = { os: 3, attrs: 0o100755 * 0x10000, mtime: new Date(2024, 0, 1), level: 9 as const };
  return Buffer.from(zipSync({ [entry]: [executable, attributes] }));
}
