import { appendFileSync, chmodSync, copyFileSync, existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import type { NodeSettings } from "../chain/settings.ts";
import { createKeyStore, openKeyStore, randomPassword } from "../keyStore.ts";
import type { NodeConfig, ProducerConfig } from "../node/dataDir.ts";
import { keyStorePath, producerOf, readConfig, readKeyStore, writeConfig, writeKeyStore } from "./dataDir.ts";
import { givenNode } from "./givenNode.ts";
import { cores, green, memoryBytes, orange, print, Quit, red, run, sleep } from "./machine.ts";
import {
  daemonPath,
  initService,
  isServiceActive,
  isServicePresent,
  service,
  startService,
  stopService,
} from "./service.ts";
import { ask, confirm } from "./terminal.ts";

/** The node executable that the controller pretends to build; defined by the bundler. */
declare const NODE_EXECUTABLE: string;

/** Deploys the node. No part is atomic: if the controller is killed, every part stays as it is at that moment. */
export async function deploy(settings: Partial<NodeSettings>): Promise<void> {
  askAboutHardware(settings);
  print("Checking NTP service configuration ...");
  configureNtp();
  print(`Preparing ${service} service configuration ...`);
  if (isServicePresent()) {
    print(`${service} service detected`);
    if (isServiceActive()) await stopService();
  } else {
    initService();
  }
  if (!installPrerequisites()) return;
  if (!(await buildNode(settings))) return;
  if (settings.unknownQuestion) confirm(settings.unknownQuestion, true);
  const given = givenNode();
  given?.placeGenesis();
  writeConfig(configureProducer({ ...given?.config, ...readConfig() }));
  await startService();
}

function askAboutHardware(settings: Partial<NodeSettings>): void {
  const [count, memory] = [cores(settings), memoryBytes(settings)];
  if (count > 4 || memory > 4e9) return;
  print(`Running on a machine with ${red(`${count} core(s)`)} and ${red(`${memory} GB RAM`)}`);
  const minimum = green("minimum 4 cores and 4 GB RAM");
  print(`It is recommended to have a ${minimum} for running the Deploy process`);
  const question = "Are you sure you want to proceed with the deployment process?";
  if (!confirm(question, true)) throw new Quit();
}

function configureNtp(): void {
  const file = "/etc/systemd/timesyncd.conf";
  const wanted = "[Time]\nNTP=time.cloudflare.com";
  if (!existsSync(file)) {
    print("Configuring NTP service ...");
    writeFileSync(file, wanted);
  } else if (!readFileSync(file, "utf8").includes("NTP=time.cloudflare.com")) {
    appendFileSync(file, wanted);
  }
}

/**
 * Installs the same packages as the real controller in the same order, and does not refresh the package index either
 * (bin/znn_controller.dart 391-425). Installs make in place of build-essential, which would be 80 packages. Of those
 * that are there already, only the first is left to apt, which needs a second each time.
 */
function installPrerequisites(): boolean {
  print("Installing Linux prerequisites ...");
  if (hasGit()) print("Git installation detected");
  else {
    print("Git not detected, proceeding with the installation");
    run("apt", ["-y", "install", "git-all"]);
  }
  for (const name of ["linux-kernel-headers", "make", "wget"]) {
    const isThere = /^Status: install ok installed$/m.test(run("dpkg", ["-s", name]).stdout);
    if (isThere && name !== "linux-kernel-headers") continue;
    if (run("apt", ["-y", "install", name]).status === 0) continue;
    print(`${red("Error!")} Could not install ${name}`);
    return false;
  }
  // The real controller takes the first 64 characters of shasum's output without a check (521-527), so it fails like
  // this if shasum is missing.
  if (run("sh", ["-c", "command -v shasum"]).status === 0) return true;
  throw new Error("RangeError (end): Invalid value: Not in inclusive range 0..0: 64");
}

const hasGit = () => run("git", ["version"]).status === 0;

async function buildNode(settings: Partial<NodeSettings>): Promise<boolean> {
  // The real controller prints nothing from the clone to the end of the build.
  const [seconds, lines] = [settings.buildSeconds ?? 3, settings.buildLines ?? 0];
  print("Preparing to clone go-node ...");
  if (!hasGit()) {
    print(`${red("Error!")} Could not clone https://example.org/go-node into /root/go-node`);
    return false;
  }
  const batch = 25;
  const batches = Math.max(1, Math.ceil(lines / batch));
  for (let done = 0; done < batches; done++) {
    for (let line = done * batch; line < Math.min(lines, (done + 1) * batch); line++) {
      print(buildLine(line));
    }
    if (settings.failBuild && done >= batches / 2) {
      print(`${red("Error!")} Could not build go-node. Aborting.`);
      return false;
    }
    await sleep((seconds * 1000) / batches);
  }
  // A running executable cannot be overwritten, but it can be removed first.
  rmSync(daemonPath, { force: true });
  const given = givenNode();
  if (given) copyFileSync(given.executable, daemonPath);
  else writeFileSync(daemonPath, NODE_EXECUTABLE);
  chmodSync(daemonPath, 0o755);
  print(run("file", [daemonPath]).stdout);
  return true;
}

function buildLine(index: number): string {
  const kind = index % 3 === 0 ? "go: downloading" : "go-node/vendor/compiling";
  return `${kind} example.org/module${(index * 7919) % 4099}/part${index % 13} v${index % 4}.${index % 11}.${index % 7}`;
}

function configureProducer(config: NodeConfig): NodeConfig {
  const present = existsSync(keyStorePath);
  if (producerOf(config) !== undefined) {
    const question = "Producer configuration detected. Continue using the existing configuration?";
    if (confirm(question, true)) {
      // The real controller ignores the answer, too. The node then fails because its key is missing.
      if (!present) confirm(missingKeyStore, false);
      return config;
    }
  } else if (present) {
    const question = "Producer key store file detected. Do you want to configure the Node with it?";
    if (confirm(question, true)) return { ...config, Producer: openExisting() };
  }
  return { ...config, Producer: newProducer() };
}

const missingKeyStore =
  "Producer key store file not detected. Do you want to create a new producer key store file and configure the Node with it?";

function openExisting() {
  for (let left = 2; left >= 0; left--) {
    const password = ask("Insert the producer key store password:", { hidden: true, minLength: 2 });
    try {
      const address = openKeyStore(readKeyStore(), password);
      return { Index: 0, KeyFilePath: "producer", Password: password, Address: address };
    } catch {
      print(`${red("Error!")} ${left} attempts left`);
    }
  }
  print(`${red("Error!")} Password verification failed 3 times. Aborting.`);
  throw new Quit();
}

function newProducer(): ProducerConfig {
  const producer = givenNode()?.placeKeyStore() ?? madeProducer();
  print(`Key store file 'producer' ${green("successfully")} created: ${keyStorePath}`);
  const caution = `${orange("Caution!")} It can be used only for one Pillar`;
  print(`Use the address ${producer.Address} to update the producing address of your Pillar. ${caution}`);
  return producer;
}

function madeProducer(): ProducerConfig {
  const password = randomPassword();
  const store = createKeyStore(password);
  writeKeyStore(store);
  return { Index: 0, KeyFilePath: "producer", Password: password, Address: store.baseAddress };
}
