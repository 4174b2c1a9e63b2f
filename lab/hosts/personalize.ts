import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { execa } from "execa";
import { findMirror, type Mirror } from "../images/mirror.ts";
import { writeFiles } from "./machine.ts";
import { aptPort, chainPort, operatorAddress, releaseHost } from "./network.ts";

let mirror: Promise<Mirror> | undefined;

/**
 * Writes a host's individual files into a copy of the base image before it boots.
 * @param publicKeyFile the operator's key, which logs in as root
 */
export async function personalize(
  name: string,
  root: string,
  publicKeyFile: string,
  certificateFile: string,
): Promise<void> {
  await settle(name, root, certificateFile);
  const hostKey = join(root, "etc/ssh/ssh_host_ed25519_key");
  await mkdir(join(root, "root/.ssh"), { recursive: true, mode: 0o700 });
  await execa("ssh-keygen", ["-q", "-t", "ed25519", "-N", "", "-C", name, "-f", hostKey]);
  await writeFiles(root, { "root/.ssh/authorized_keys": await readFile(publicKeyFile, "utf8") });
}

/**
 * Writes the lab's settings into a host: its name, the apt proxy, the release server, and the chain double. They let
 * nobody log in.
 */
export async function settle(name: string, root: string, certificateFile: string): Promise<void> {
  mirror ??= findMirror();
  const { debian } = await mirror;
  const certificate = await readFile(certificateFile, "utf8");
  const proxy = `Acquire::${new URL(debian).protocol.slice(0, -1)}::Proxy "http://${operatorAddress}:${aptPort}";\n`;
  const chain = `http://${operatorAddress}:${chainPort}`;
  await writeFiles(root, {
    // sudo looks up the host's own name. The nodes of other chains in an orchestrator's configuration get a local
    // address that refuses connections at once. A lookup of their names would wait for a name server.
    "etc/hostname": `${name}\n`,
    "etc/hosts": `127.0.0.1 localhost ${name}\n${operatorAddress} ${releaseHost}\n127.0.0.2 bnb-node.example eth-node.example\n`,
    "etc/apt/apt.conf.d/01proxy": proxy,
    "etc/pillar-lab.json": JSON.stringify({ name, chain, release: `http://${operatorAddress}` }),
    "usr/local/share/ca-certificates/lab.crt": certificate,
  });
  await writeFile(join(root, "etc/ssl/certs/ca-certificates.crt"), certificate, { flag: "a" });
}
