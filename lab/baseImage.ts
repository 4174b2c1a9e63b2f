import { appendFile, mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { execa } from "execa";
import { cached } from "./cache";
import { findMirror } from "./mirror";
import { step } from "./progress";

/** Raise it when the recipe below changes: it keys the cache. */
export const baseImageVersion = "debian11-3";

const packages = [
  ...["systemd", "systemd-sysv", "dbus", "openssh-server", "cron", "sudo"],
  ...["iproute2", "procps", "ca-certificates", "curl", "netbase"],
];

/**
 * A bootable Debian 11 with systemd, sshd and cron, as an operator gets it from a provider: no unzip, no wget, no
 * host key. Each host is a copy.
 *
 * @returns the directory of the root file system, read-only by convention
 */
export async function ensureBaseImage(): Promise<string> {
  return join(await cached("base-image", baseImageVersion, build), "root");
}

async function build(dir: string): Promise<void> {
  const { debian, security } = await findMirror();
  const root = join(dir, "root");
  await step("building the base image of the test hosts (Debian 11, about a minute)", async (progress) => {
    const child = execa(
      "debootstrap",
      ["--variant=minbase", `--include=${packages.join(",")}`, "bullseye", root, debian],
      { all: true },
    );
    progress.follow(child.all);
    await child;
  });
  const write = (path: string, text: string) => writeFile(join(root, path), text);
  await write("etc/apt/sources.list", `deb ${debian} bullseye main\ndeb ${security} bullseye-security main\n`);
  await mkdir(join(root, "etc/ssh/sshd_config.d"), { recursive: true });
  await write("etc/ssh/sshd_config.d/lab.conf", "UseDNS no\n");
  await appendFile(join(root, "etc/default/locale"), "LANG=C.UTF-8\n");
  // The machine below is shared, and a lab host's disk need not survive its power: dpkg waits for no disk.
  await write("etc/dpkg/dpkg.cfg.d/lab", "force-unsafe-io\n");
  await forgetIdentity(root);
}

/** Takes away what must be a host's alone: with one key for all, a pinned key would prove nothing. And packages. */
export async function forgetIdentity(root: string): Promise<void> {
  await execa("sh", ["-c", `rm -f ${root}/etc/ssh/ssh_host_* ${root}/var/cache/apt/archives/*.deb`]);
  await writeFile(join(root, "etc/machine-id"), "");
}
