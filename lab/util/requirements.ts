import { existsSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { execa } from "execa";
import { findMachineFault } from "./machine.cjs";
import { step } from "./progress.ts";

/** A command that the lab calls, and the Debian package that brings it. */
const commands: ReadonlyArray<readonly [command: string, debianPackage: string]> = [
  ["debootstrap", "debootstrap"],
  ["systemd-nspawn", "systemd-container"],
  ["ip", "iproute2"],
  ["nft", "nftables"],
  ["nsenter", "util-linux"],
  ["ssh", "openssh-client"],
  ["ssh-keygen", "openssh-client"],
  ["ssh-agent", "openssh-client"],
  ["openssl", "openssl"],
  ["xz", "xz-utils"],
  ["/usr/share/keyrings/debian-archive-bullseye-stable.gpg", "debian-archive-keyring"],
];

async function isThere(command: string): Promise<boolean> {
  if (command.startsWith("/")) return existsSync(command);
  return (await execa("sh", ["-c", `command -v ${command}`], { reject: false })).exitCode === 0;
}

async function missingPackages(): Promise<string[]> {
  const found = await Promise.all(commands.map(async ([command, name]) => ((await isThere(command)) ? [] : [name])));
  return [...new Set(found.flat())];
}

/** The processes of a host take six of these; Linux gives all of root's 128, so the 21st host would not boot. */
const inotifyLimit = { file: "/proc/sys/fs/inotify/max_user_instances", least: 1024 };

async function raiseInotifyLimit({ file, least } = inotifyLimit): Promise<void> {
  if (Number(await readFile(file, "utf8")) >= least) return;
  // In a container that forbids it, fewer hosts still work.
  await writeFile(file, String(least)).catch(() => undefined);
}

/**
 * Checks that this machine can run the lab: Linux, root, and the tools above. Installs missing tools with apt, and
 * raises the machine's limit of inotify instances until its next boot.
 * @throws with the problem and what to do
 */
export async function ensureRequirements(): Promise<void> {
  const fault = findMachineFault("the lab");
  if (fault) throw new Error(fault);
  await raiseInotifyLimit();
  const missing = await missingPackages();
  if (missing.length === 0) return;
  if (!(await isThere("apt-get"))) {
    throw new Error(`the lab needs ${missing.join(", ")}, and this machine has no apt-get: install them and try again`);
  }
  await step(`installing ${missing.join(", ")} on this machine`, async (progress) => {
    const env = { DEBIAN_FRONTEND: "noninteractive" };
    const run = (args: string[]) => {
      const child = execa("apt-get", args, { env, all: true });
      progress.follow(child.all);
      return child;
    };
    await run(["update"]);
    await run(["install", "-y", "--no-install-recommends", ...missing]);
  });
  const still = await missingPackages();
  if (still.length > 0)
    throw new Error(`apt-get installed ${missing.join(", ")}, but ${still.join(", ")} is still missing`);
}
