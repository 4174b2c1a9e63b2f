import { chmod, mkdir } from "node:fs/promises";
import { join } from "node:path";
import { execa } from "execa";

/**
 * Makes `DIRECTORY/root`, a root file system like the image's. What is written to it lies beside, in `changes`: the
 * image is never touched, nothing is copied, and a machine takes the space of what it changes.
 */
export async function makeRoot(image: string, directory: string, signal?: AbortSignal): Promise<void> {
  const root = join(directory, "root");
  for (const name of ["root", "changes", "work"]) await mkdir(join(directory, name));
  // It gives / of the host its mode, which a strict umask would close to all but root.
  await chmod(join(directory, "changes"), 0o755);
  const layers = `lowerdir=${image},upperdir=${directory}/changes,workdir=${directory}/work`;
  const { failed } = await execa("mount", ["-t", "overlay", "overlay", "-o", layers, root], { reject: false });
  // An overlay can't stand on another one, as a container's file system is: the long way.
  if (failed) await execa("cp", ["-a", "--reflink=auto", `${image}/.`, root], signal ? { cancelSignal: signal } : {});
}

/** Takes the mount away; the directory can go then. */
export async function releaseRoot(directory: string): Promise<void> {
  await execa("umount", ["--lazy", join(directory, "root")], { reject: false });
}
