import { createCipheriv } from "node:crypto";
import { join } from "node:path";
import { strToU8, type ZipOptions, zipSync } from "fflate";
import { bundleController, bundleOrchestrator } from "./bundle.ts";
import { type ControllerBuild, libraryName } from "./controller/controller.ts";

export { serveReleases } from "./releaseServer.ts";

/** Contents of a controller release. */
export interface ReleaseOptions extends ControllerBuild {
  /** The executable's name (default node-controller). As znn-controller it deploys with the real names. */
  executable?: string;
}

/**
 * Builds a controller release archive: the executable and the library next to it. The same options give the same bytes.
 */
export async function buildRelease({ executable = "node-controller", ...build }: ReleaseOptions): Promise<Buffer> {
  const controller = await bundleController(build);
  const library = libraryOf(1024 * 1024);
  return packed({ [executable]: [strToU8(controller), 0o755], [libraryName]: [library, 0o644] });
}

/** Packs contents with their modes. The same contents give the same bytes. */
function packed(files: Readonly<Record<string, readonly [content: Uint8Array, mode: number]>>): Buffer {
  const entries = Object.entries(files).map(([name, [content, mode]]) => {
    const attributes = { os: 3, attrs: (0o100000 | mode) * 0x10000, mtime: new Date(2024, 0, 1), level: 9 as const };
    return [name, [content, attributes] as [Uint8Array, ZipOptions]] as const;
  });
  return Buffer.from(zipSync(Object.fromEntries(entries)));
}

// An ELF header makes the file look like a library. The noise after it does not compress.
function libraryOf(size: number): Uint8Array {
  const library = createCipheriv("aes-128-ctr", Buffer.alloc(16), Buffer.alloc(16)).update(Buffer.alloc(size));
  library.set([0x7f, 0x45, 0x4c, 0x46, 2, 1, 1]);
  return library;
}

/** Name of the official archive's only entry. The archive itself has the same name with `.zip`. */
export const officialName = "orchestrator-linux-amd64";

/** Returns the path at which a lab keeps the hash of the official archive that it serves. */
export const releaseHashFile = (dir: string) => join(dir, `${officialName}.zip.sha256`);

/** Builds the official archive, which contains only the executable. It has the same bytes each time. */
export async function buildOrchestratorRelease(): Promise<Buffer> {
  return packed({ [officialName]: [strToU8(await bundleOrchestrator()), 0o755] });
}
