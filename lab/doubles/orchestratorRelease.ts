import { join } from "node:path";
import { strToU8, zipSync } from "fflate";
import { bundleOrchestrator } from "./bundle";

/** Name of the official archive's only entry. The archive itself has the same name with `.zip`. */
export const officialName = "orchestrator-linux-amd64";

/** Returns the path at which a lab keeps the hash of the official archive that it serves. */
export const releaseHashFile = (dir: string) => join(dir, `${officialName}.zip.sha256`);

/** Builds the official archive, which contains only the executable. It has the same bytes each time. */
export async function buildOrchestratorRelease(): Promise<Buffer> {
  const executable = strToU8(await bundleOrchestrator());
  const attributes = { os: 3, attrs: 0o100755 * 0x10000, mtime: new Date(2024, 0, 1), level: 9 as const };
  return Buffer.from(zipSync({ [officialName]: [executable, attributes] }));
}
