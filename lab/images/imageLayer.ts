import { copyFile } from "node:fs/promises";
import { join } from "node:path";
import { execa } from "execa";
import { cached } from "../util/cache.ts";
import { type Progress, step } from "../util/progress.ts";
import { baseImageVersion, type Distribution, ensureBaseImage, forgetIdentity } from "./baseImage.ts";

/** An image that adds something to the base image. */
export interface Layer {
  /** Name of the layer's directory in the cache. */
  readonly name: string;
  /** Must change whenever the layer's steps change. The base image's version is added to it. */
  readonly version: string;
  /** Distribution of the base image (default: Debian 11, or a person's own root file system). */
  readonly distribution?: Distribution | undefined;
  /** Title of the progress display during the build. */
  readonly title: string;
  /** Changes a copy of the base image, which can reach the machine's own Debian mirror. */
  build(root: string, progress: Progress): Promise<void>;
}

/** @returns the directory of the layer's root file system, read-only by convention */
export async function ensureLayer({ name, version, distribution, title, build }: Layer): Promise<string> {
  const base = await ensureBaseImage(distribution);
  const directory = await cached(name, `${baseImageVersion(distribution)}-${version}`, async (dir) => {
    const root = join(dir, "root");
    await execa("cp", ["-a", "--reflink=auto", base, root]);
    // The base image's resolv.conf is from the day of its build.
    await copyFile("/etc/resolv.conf", join(root, "etc/resolv.conf"));
    await step(title, (progress) => build(root, progress));
    await forgetIdentity(root);
  });
  return join(directory, "root");
}
