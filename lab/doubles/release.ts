import { createCipheriv } from "node:crypto";
import { strToU8, zipSync } from "fflate";
import { bundleController } from "./bundle";
import type { ControllerBuild } from "./controller/build";
import { libraryName } from "./controller/controller";

export { type Faults, type ServedReleases, serveReleases } from "./releaseServer";

/** Contents of a controller release. */
export interface ReleaseOptions {
  /** Version of the real controller whose menu order is used. */
  menu: ControllerBuild["menu"];
  /** The executable's name (default node-controller). As znn-controller it deploys with the real names. */
  executable?: string;
  /** Version in the banner (default: the menu's version). */
  version?: string;
  /** Text of one more yes/no question in Deploy. True uses a made-up question. */
  unknownQuestion?: string | boolean;
  /** True if the node's build fails. */
  failBuild?: boolean;
  /** Duration of the node's build (default 3). */
  buildSeconds?: number;
  /** Number of lines that the node's build prints (default 3000). */
  buildLines?: number;
  /** Size of the library, which is most of the archive (default 1 MiB). A large one makes downloads take time. */
  libraryBytes?: number;
}

/**
 * Builds a controller release archive: the executable and the library next to it. The same options give the same bytes.
 */
export async function buildRelease(options: ReleaseOptions): Promise<Buffer> {
  const { menu, unknownQuestion = false } = options;
  const controller = await bundleController({
    version: options.version ?? menu,
    menu,
    unknownQuestion: unknownQuestion === true ? madeUpQuestion : unknownQuestion || null,
    failBuild: options.failBuild ?? false,
    buildSeconds: options.buildSeconds ?? 3,
    buildLines: options.buildLines ?? 3000,
  });
  const library = libraryOf(options.libraryBytes ?? 1024 * 1024);
  const entry = (mode: number) => ({
    os: 3,
    attrs: (0o100000 | mode) * 0x10000,
    mtime: new Date(2024, 0, 1),
    level: 9 as const,
  });
  return Buffer.from(
    zipSync({
      [options.executable ?? "node-controller"]: [strToU8(controller), entry(0o755)],
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

const madeUpQuestion = "A newer network is available. Do you want to join it with this Node?";
