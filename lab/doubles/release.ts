import { createCipheriv } from "node:crypto";
import { strToU8, zipSync } from "fflate";
import { bundleController } from "./bundle";
import { type ControllerBuild, libraryName } from "./controller/controller";

export { type Faults, type ServedReleases, serveReleases } from "./releaseServer";

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
  const entry = (mode: number) => ({
    os: 3,
    attrs: (0o100000 | mode) * 0x10000,
    mtime: new Date(2024, 0, 1),
    level: 9 as const,
  });
  return Buffer.from(
    zipSync({
      [executable]: [strToU8(controller), entry(0o755)],
      [libraryName]: [library, entry(0o644)],
    }),
  );
}

// An ELF header makes the file look like a library. The noise after it does not compress.
function libraryOf(size: number): Uint8Array {
  const library = createCipheriv("aes-128-ctr", Buffer.alloc(16), Buffer.alloc(16)).update(Buffer.alloc(size));
  library.set([0x7f, 0x45, 0x4c, 0x46, 2, 1, 1]);
  return library;
}
