import { chmod, mkdir } from "node:fs/promises";
import { join } from "node:path";
import { execa } from "execa";

/**
 * Makes `DIRECTORY/root`, a root file system with the image's content. Writes go to `changes` next to it. The image
 * stays unchanged, nothing is copied, and a machine takes only the space of its changes.
 */
export async function makeRoot(image: string, directory: string, signal?: AbortSignal): Promise<void> {
  const root = join(directory, "root");
  for (const name of ["root", "changes", "work"]) await mkdir(join(directory, name));
  // This directory's mode becomes the mode of the host's /. A strict umask would close it to everyone but root.
  await chmod(join(directory, "changes"), 0o755);
  const layers = `lowerdir=${image},upperdir=${directory}/changes,workdir=${directory}/work`;
  const { failed } = await execa("mount", ["-t", "overlay", "overlay", "-o", layers, root], { reject: false });
  // An overlay cannot be on top of another overlay, such as a container's file system. Then the image is copied.
  if (failed) await execa("cp", ["-a", "--reflink=auto", `${image}/.`, root], signal ? { cancelSignal: signal } : {});
}

/** Unmounts a root file system, so that its directory can be removed. */
export async function releaseRoot(directory: string): Promise<void> {
  await execa("umount", ["--lazy", join(directory, "root")], { reject: false });
}
