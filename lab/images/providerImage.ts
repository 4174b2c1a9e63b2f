import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { Progress } from "../util/progress.ts";
import type { Distribution } from "./baseImage.ts";
import { runInImage } from "./baseImage.ts";
import { ensurePackagedImage } from "./packagedImage.ts";

/** The user of a provider's image, with sudo. Root can't log in there. */
export const providerUser = "debian";

/** Increase this when the recipe below changes. */
const version = "1";

const packages = ["cloud-init", "needrestart", "systemd-timesyncd", "ufw", "unattended-upgrades"];

/** Files that cloud-init's first boot and a provider's hardening leave. */
const files: Readonly<Record<string, string>> = {
  "etc/sudoers.d/90-cloud-init-users": `# Created by cloud-init\n\n# User rules for ${providerUser}\n${providerUser} ALL=(ALL) NOPASSWD:ALL\n`,
  "etc/sudoers.d/10-use-pty": "Defaults use_pty\n",
  "etc/ssh/sshd_config.d/50-cloud-init.conf": "PasswordAuthentication no\n",
  "etc/ssh/sshd_config.d/60-hardening.conf":
    "PermitRootLogin no\nMaxAuthTries 3\nX11Forwarding no\nAllowAgentForwarding no\nClientAliveInterval 300\n",
  "etc/apt/apt.conf.d/20auto-upgrades":
    'APT::Periodic::Update-Package-Lists "1";\nAPT::Periodic::Unattended-Upgrade "1";\n',
  // A second boot finds nothing to do, and each stage of cloud-init would start Python.
  "etc/cloud/cloud-init.disabled": "",
};

/**
 * Builds the image of a host as a provider hands it over: cloud-init, its user, no login of root, a firewall, and
 * services that upgrade and restart by themselves. It has the packages of the packages step, too.
 * @returns the directory of the root file system, read-only by convention
 */
export const ensureProviderImage = (distribution: Distribution): Promise<string> =>
  ensurePackagedImage(distribution, { name: "provider-image", version, build });

async function build(root: string, progress: Progress): Promise<void> {
  const run = (...argv: readonly string[]) => runInImage(root, argv, progress);
  await run("apt-get", "-q", "-y", "install", "--no-install-recommends", ...packages);
  await run("useradd", "-m", "-s", "/bin/bash", providerUser);
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), text, { mode: path.includes("sudoers") ? 0o440 : 0o644 });
  }
  for (const port of ["22/tcp", "35995"]) await run("ufw", "allow", port);
  await run("sed", "-i", "s/^ENABLED=.*/ENABLED=yes/", "/etc/ufw/ufw.conf");
}
