import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { execa } from "execa";
import { findMirror, type Mirror } from "../images/mirror";
import { writeFiles } from "./machine";
import { aptPort, chainPort, operatorAddress, releaseHost } from "./network";

let mirror: Promise<Mirror> | undefined;

/** What a host is told of its lab. */
export interface Surroundings {
  /** The operator's public key: root's. */
  readonly publicKeyFile: string;
  /** Of the release server. */
  readonly certificateFile: string;
}

/** Writes what differs from host to host into a copy of the base image, before it boots. */
export async function personalize(name: string, root: string, surroundings: Surroundings): Promise<void> {
  await settle(name, root, surroundings.certificateFile);
  const hostKey = join(root, "etc/ssh/ssh_host_ed25519_key");
  await mkdir(join(root, "root/.ssh"), { recursive: true, mode: 0o700 });
  await execa("ssh-keygen", ["-q", "-t", "ed25519", "-N", "", "-C", name, "-f", hostKey]);
  await writeFiles(root, { "root/.ssh/authorized_keys": await readFile(surroundings.publicKeyFile, "utf8") });
}

/** Tells a host of its lab: its name, the apt proxy, the release server, the chain. Nobody can log in to it by that. */
export async function settle(name: string, root: string, certificateFile: string): Promise<void> {
  mirror ??= findMirror();
  const { debian } = await mirror;
  const certificate = await readFile(certificateFile, "utf8");
  const proxy = `Acquire::${new URL(debian).protocol.slice(0, -1)}::Proxy "http://${operatorAddress}:${aptPort}";\n`;
  const chain = `http://${operatorAddress}:${chainPort}`;
  await writeFiles(root, {
    // sudo looks its own host's name up. The chains' nodes that a signer's configuration names are refused at once, where a
    // look would wait for a name server.
    "etc/hostname": `${name}\n`,
    "etc/hosts": `127.0.0.1 localhost ${name}\n${operatorAddress} ${releaseHost}\n127.0.0.2 bnb-node.example eth-node.example\n`,
    "etc/apt/apt.conf.d/01proxy": proxy,
    "etc/pillar-lab.json": JSON.stringify({ name, chain, release: `http://${operatorAddress}` }),
    "usr/local/share/ca-certificates/lab.crt": certificate,
  });
  await writeFile(join(root, "etc/ssl/certs/ca-certificates.crt"), certificate, { flag: "a" });
}
