import { existsSync } from "node:fs";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { execa } from "execa";
import { ownRootFileSystem } from "../images/baseImage.ts";
import { findMirror, type Mirror, sourcesOf } from "../images/mirror.ts";
import { providerUser } from "../images/providerImage.ts";
import { writeFiles } from "./machine.ts";
import { aptPort, chainPort, operatorAddress, releaseHost } from "./network.ts";

let mirror: Promise<Mirror> | undefined;

/** Returns the user that logs in on a host with this root file system. */
export const loginUserOf = (root: string): string =>
  existsSync(join(root, "home", providerUser)) ? providerUser : "root";

/**
 * Writes a host's individual files into a copy of the base image before it boots.
 * @param publicKeyFile the operator's key
 */
export async function personalize(
  name: string,
  root: string,
  publicKeyFile: string,
  certificateFile: string,
): Promise<void> {
  await settle(name, root, certificateFile);
  const hostKey = join(root, "etc/ssh/ssh_host_ed25519_key");
  await execa("ssh-keygen", ["-q", "-t", "ed25519", "-N", "", "-C", name, "-f", hostKey]);
  const publicKey = await readFile(publicKeyFile, "utf8");
  const user = loginUserOf(root);
  // As cloud-init does it.
  const said = `Please login as the user "${user}" rather than the user "root".`;
  const refusing = `no-port-forwarding,command="echo '${said.replaceAll('"', '\\"')}';echo;sleep 1;exit 142" `;
  await mkdir(join(root, "root/.ssh"), { recursive: true, mode: 0o700 });
  await writeFiles(root, { "root/.ssh/authorized_keys": `${user === "root" ? "" : refusing}${publicKey}` });
  if (user === "root") return;
  await mkdir(join(root, "home", user, ".ssh"), { mode: 0o700 });
  await writeFiles(root, { [`home/${user}/.ssh/authorized_keys`]: publicKey });
  await execa("chroot", [root, "chown", "-R", `${user}:`, `/home/${user}`]);
}

/**
 * Writes the lab's settings into a host: its name, the apt proxy, the release server, and the chain double. They let
 * nobody log in.
 */
export async function settle(name: string, root: string, certificateFile: string): Promise<void> {
  mirror ??= findMirror();
  const { debian } = await mirror;
  const certificate = await readFile(certificateFile, "utf8");
  const sources = [debian, ...(ownRootFileSystem() ? await sourcesOf(root) : [])];
  const schemes = new Set(sources.map((uri) => new URL(uri).protocol.slice(0, -1)));
  const lines = [...schemes].map((scheme) => `Acquire::${scheme}::Proxy "http://${operatorAddress}:${aptPort}";\n`);
  const chain = `http://${operatorAddress}:${chainPort}`;
  await writeFiles(root, {
    // sudo looks up the host's own name. The nodes of other chains in an orchestrator's configuration get a local
    // address that refuses connections at once. A lookup of their names would wait for a name server.
    "etc/hostname": `${name}\n`,
    "etc/hosts": `127.0.0.1 localhost ${name}\n${operatorAddress} ${releaseHost}\n127.0.0.2 bnb-node.example eth-node.example\n`,
    "etc/apt/apt.conf.d/01proxy": lines.join(""),
    "etc/pillar-lab.json": JSON.stringify({ name, chain, release: `http://${operatorAddress}` }),
    "usr/local/share/ca-certificates/lab.crt": certificate,
  });
  await writeFile(join(root, "etc/ssl/certs/ca-certificates.crt"), certificate, { flag: "a" });
}
