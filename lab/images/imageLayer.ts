import { copyFile } from "node:fs/promises";
import { join } from "node:path";
import { execa } from "execa";
import { cached } from "../util/cache";
import { type Progress, step } from "../util/progress";
import { baseImageVersion, type Distribution, ensureBaseImage, forgetIdentity } from "./baseImage";

/** An image that is the base image and what was done in it. */
export interface Layer {
  /** Its directory in the cache. */
  readonly name: string;
  /** Must change with everything that the layer does; the base image's version is added to it. */
  readonly version: string;
  /** Of the base image; absent: as {@link ensureBaseImage} has it. */
  readonly distribution?: Distribution;
  /** What is shown while it is built. */
  readonly title: string;
  /** Works in a copy of the base image, which reaches the machine's own Debian mirror. */
  build(root: string, progress: Progress): Promise<void>;
}

/** @returns the directory of the layer's root file system, read-only by convention */
export async function ensureLayer({ name, version, distribution, title, build }: Layer): Promise<string> {
  const base = await ensureBaseImage(distribution);
  const directory = await cached(name, `${baseImageVersion(distribution)}-${version}`, async (dir) => {
    const root = join(dir, "root");
    await execa("cp", ["-a", "--reflink=auto", base, root]);
    // The base image has the one of the day when it was made.
    await copyFile("/etc/resolv.conf", join(root, "etc/resolv.conf"));
    await step(title, (progress) => build(root, progress));
    await forgetIdentity(root);
  });
  return join(directory, "root");
}
