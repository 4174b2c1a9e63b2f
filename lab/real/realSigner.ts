import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { execa } from "execa";
import { onHost } from "../hosts/onHost.ts";
import type { LabHost } from "../lab.ts";
import { orchestratorUnit } from "../oldHost/runningOrchestrator.ts";
import { noteSecret } from "../testRun/printed.ts";
import { neededReal, type RealProgram } from "./realPrograms.ts";

/**
 * Programs of real signers: the orchestrator, the state of three that have made a key together, and the world that they
 * see.
 */
export const realSignerPrograms = [
  "orchestrator",
  "signer-world/signer-world",
  "signer-world/after-keygen.tar",
] as const satisfies readonly RealProgram[];

/** Addresses of the other signers, by number. */
export type Peers = Readonly<Partial<Record<1 | 2 | 3, string>>>;

async function unpacked<T>(use: (directory: string) => T | Promise<T>): Promise<T> {
  const directory = fs.mkdtempSync(path.join(os.tmpdir(), "signers-"));
  try {
    await execa("tar", ["-xf", await neededReal("signer-world/after-keygen.tar"), "-C", directory]);
    return await use(directory);
  } finally {
    fs.rmSync(directory, { recursive: true });
  }
}

const install = (host: LabHost, file: string, name: string) => {
  fs.copyFileSync(file, path.join(host.root, "usr/local/bin", name));
  fs.chmodSync(path.join(host.root, "usr/local/bin", name), 0o755);
};

/** Changes the state of the world: `halted=1`, `wraps=…`; see the stand-in's /set. */
export async function setWorld(host: LabHost, values: Readonly<Record<string, string>>): Promise<void> {
  await onHost(host, `curl -sf 'http://${host.address}:46000/set?${new URLSearchParams(values)}' > /dev/null`);
}

/** Reads the state of the world, above all the bridge's key in base64. */
export async function worldOf(host: LabHost): Promise<{ readonly Comp: string }> {
  return JSON.parse(await onHost(host, `curl -sf http://${host.address}:46000/set`));
}

const began = Date.now();
/**
 * Returns the seconds since the start. A restarted world must not fall behind: a signer ends if a chain is behind the
 * height that it has seen.
 */
const passed = () => Math.floor((Date.now() - began) / 1000);

/**
 * Starts a node and another chain's node on a host, as they were when the signers made their key.
 * @returns what the signers would sign
 */
export async function setUpWorld(host: LabHost): Promise<{ wraps: string }> {
  install(host, await neededReal("signer-world/signer-world"), "signer-world");
  await onHost(
    host,
    `systemd-run -q --unit=signer-world signer-world -host ${host.address} -znn 35998 -evm 8545
     for i in $(seq 100); do curl -sf http://${host.address}:46000/set > /dev/null && exit 0; sleep 0.1; done; exit 1`,
  );
  const world = await unpacked((directory) => JSON.parse(fs.readFileSync(path.join(directory, "world.json"), "utf8")));
  const { Comp, Decomp, Pubs, Pillars, Tss, Height, KGHeight, EvmBlock, Threshold, Window, Wraps } = world;
  await setWorld(host, {
    comp: Comp,
    decomp: Decomp,
    pubs: Pubs.join("|"),
    pillars: Pillars.join("|"),
    tss: Tss,
    wraps: "[]",
    height: String(Height + passed()),
    kgheight: String(KGHeight),
    evmblock: String(EvmBlock + passed()),
    momms: "2000",
    threshold: String(Threshold),
    window: String(Window),
  });
  return { wraps: Wraps };
}

/** Sets up one of the three signers on a host: executable, unit and directory, not started. @returns its pass phrase */
export async function setUpRealSigner(host: LabHost, number: 1 | 2 | 3, world: string, peers: Peers): Promise<string> {
  install(host, await neededReal("orchestrator"), "orchestrator");
  const home = path.join(host.root, "root/.orchestrator");
  const passphrase = await unpacked(async (directory) => {
    const own = path.join(directory, `h${number}/.orchestrator`);
    const book = fs.readFileSync(path.join(own, "tss/address_book.seed"), "utf8");
    // Signer 1 had moved to .14 when its address book was written.
    const ids = new Map(
      [...book.matchAll(/10\.99\.0\.1(\d)\/tcp\/55055\/p2p\/(\w+)/g)].map(([, at, id]) => [at === "4" ? "1" : at, id]),
    );
    await execa("cp", ["-rT", "--preserve=mode", own, home]);
    const lines = Object.entries(peers).map(([each, at]) => `/ip4/${at}/tcp/55055/p2p/${ids.get(each)}\n`);
    if (lines.length === 0) fs.rmSync(path.join(home, "tss/address_book.seed"));
    else fs.writeFileSync(path.join(home, "tss/address_book.seed"), lines.join(""));
    const text = fs.readFileSync(path.join(home, "config.json"), "utf8");
    const config = JSON.parse(text.replaceAll("@HOME@", "/root").replaceAll("10.99.0.1:", `${world}:`));
    fs.writeFileSync(path.join(home, "config.json"), JSON.stringify(config, undefined, 4));
    return config.ProducerKeyFilePassphrase as string;
  });
  noteSecret("a signer's pass phrase", passphrase);
  fs.writeFileSync(path.join(host.root, "etc/systemd/system/orchestrator.service"), orchestratorUnit);
  await onHost(host, "chown -R root: /root/.orchestrator; systemctl daemon-reload; systemctl enable -q orchestrator");
  return passphrase;
}
