import { createCipheriv } from "node:crypto";
import { strToU8, zipSync } from "fflate";
import { bundleController } from "./bundle";
import type { ControllerBuild } from "./controller/build";
import { libraryName } from "./controller/controller";

export { type Faults, type ServedReleases, serveReleases } from "./releaseServer";

/** What a release is made of. */
export interface ReleaseOptions {
  /** The menu's order, as in the real controller of that version. */
  menu: ControllerBuild["menu"];
  /** Its executable (default node-controller); as znn-controller it deploys by the real names. */
  executable?: string;
  /** What the banner says (default: the menu's version). */
  version?: string;
  /** One more yes/no question in Deploy; true for a made-up one. */
  unknownQuestion?: string | boolean;
  /** The node's build fails. */
  failBuild?: boolean;
  /** How long the node's build takes (default 3). */
  buildSeconds?: number;
  /** How many lines it prints (default 3000). */
  buildLines?: number;
  /** Size of the library, which makes most of the archive's (default 1 MiB): a download takes its time. */
  libraryBytes?: number;
}

/** A controller's release archive: the executable and the library beside it. The same options give the same bytes. */
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

// An ELF header, so that whoever looks at its first bytes takes it for a library, then noise that does not compress.
function libraryOf(size: number): Uint8Array {
  const library = createCipheriv("aes-128-ctr", Buffer.alloc(16), Buffer.alloc(16)).update(Buffer.alloc(size));
  library.set([0x7f, 0x45, 0x4c, 0x46, 2, 1, 1]);
  return library;
}

const madeUpQuestion = "A newer network is available. Do you want to join it with this Node?";
