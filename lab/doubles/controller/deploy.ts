import {
  appendFileSync,
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { dirname } from "node:path";
import { createKeyStore, openKeyStore, randomPassword } from "../keyStore";
import type { NodeConfig, ProducerConfig } from "../node/dataDir";
import type { ControllerBuild } from "./build";
import { green, orange, red } from "./colour";
import { keyStorePath, producerOf, readConfig, readKeyStore, writeConfig, writeKeyStore } from "./dataDir";
import { givenNode } from "./givenNode";
import { type Machine, print, Quit } from "./machine";
import {
  daemonPath,
  initService,
  isServiceActive,
  isServicePresent,
  service,
  startService,
  stopService,
} from "./service";
import { ask, confirm } from "./terminal";

/** Deploys the node. No part is atomic: if the controller is killed, every part stays as it is at that moment. */
export async function deploy(machine: Machine, build: ControllerBuild): Promise<void> {
  askAboutHardware(machine);
  print(machine, "Checking NTP service configuration ...");
  configureNtp(machine);
  print(machine, `Preparing ${service} service configuration ...`);
  if (isServicePresent(machine)) {
    print(machine, `${service} service detected`);
    if (isServiceActive(machine)) await stopService(machine);
  } else {
    initService(machine);
  }
  if (!installPrerequisites(machine)) return;
  if (!(await buildNode(machine, build))) return;
  if (build.unknownQuestion !== null) confirm(machine.terminal, build.unknownQuestion, true);
  const given = givenNode(machine);
  given?.placeGenesis();
  writeConfig(machine, configureProducer(machine, { ...given?.config, ...readConfig(machine) }));
  await startService(machine);
}

function askAboutHardware(machine: Machine): void {
  const cores = machine.cores();
  const memory = machine.memoryBytes();
  if (cores > 4 || memory > 4e9) return;
  print(machine, `Running on a machine with ${red(`${cores} core(s)`)} and ${red(`${memory} GB RAM`)}`);
  const minimum = green("minimum 4 cores and 4 GB RAM");
  print(machine, `It is recommended to have a ${minimum} for running the Deploy process`);
  const question = "Are you sure you want to proceed with the deployment process?";
  if (!confirm(machine.terminal, question, true)) throw new Quit();
}

function configureNtp(machine: Machine): void {
  const file = `${machine.root}/etc/systemd/timesyncd.conf`;
  const wanted = "[Time]\nNTP=time.cloudflare.com";
  if (!existsSync(file)) {
    print(machine, "Configuring NTP service ...");
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, wanted);
  } else if (!readFileSync(file, "utf8").includes("NTP=time.cloudflare.com")) {
    appendFileSync(file, wanted);
  }
}

/**
 * Installs the same packages as the real controller in the same order, and does not refresh the package index either
 * (bin/znn_controller.dart 391-425). Installs make in place of build-essential, which would be 80 packages.
 */
function installPrerequisites(machine: Machine): boolean {
  print(machine, "Installing Linux prerequisites ...");
  if (hasGit(machine)) print(machine, "Git installation detected");
  else {
    print(machine, "Git not detected, proceeding with the installation");
    machine.run("apt", ["-y", "install", "git-all"]);
  }
  for (const name of ["linux-kernel-headers", "make", "wget"]) {
    if (machine.run("apt", ["-y", "install", name]).status === 0) continue;
    print(machine, `${red("Error!")} Could not install ${name}`);
    return false;
  }
  // The real controller takes the first 64 characters of shasum's output without a check (521-527), so it fails like
  // this if shasum is missing.
  if (machine.run("sh", ["-c", "command -v shasum"]).status === 0) return true;
  throw new Error("RangeError (end): Invalid value: Not in inclusive range 0..0: 64");
}

const hasGit = (machine: Machine) => machine.run("git", ["version"]).status === 0;

async function buildNode(machine: Machine, build: ControllerBuild): Promise<boolean> {
  const target = `${machine.root}${daemonPath}`;
  print(machine, "Preparing to clone go-node ...");
  if (!hasGit(machine)) {
    print(machine, `${red("Error!")} Could not clone https://example.org/go-node into /root/go-node`);
    return false;
  }
  const batch = 25;
  const batches = Math.max(1, Math.ceil(build.buildLines / batch));
  for (let done = 0; done < batches; done++) {
    for (let line = done * batch; line < Math.min(build.buildLines, (done + 1) * batch); line++) {
      print(machine, buildLine(line));
    }
    if (build.failBuild && done >= batches / 2) {
      print(machine, `${red("Error!")} Could not build go-node. Aborting.`);
      return false;
    }
    await machine.sleep((build.buildSeconds * 1000) / batches);
  }
  mkdirSync(dirname(target), { recursive: true });
  // A running executable cannot be overwritten, but it can be removed first.
  rmSync(target, { force: true });
  const given = givenNode(machine);
  if (given) copyFileSync(given.executable, target);
  else writeFileSync(target, machine.nodeExecutable);
  chmodSync(target, 0o755);
  print(machine, machine.run("file", [daemonPath]).stdout);
  return true;
}

function buildLine(index: number): string {
  const kind = index % 3 === 0 ? "go: downloading" : "go-node/vendor/compiling";
  return `${kind} example.org/module${(index * 7919) % 4099}/part${index % 13} v${index % 4}.${index % 11}.${index % 7}`;
}

function configureProducer(machine: Machine, config: NodeConfig): NodeConfig {
  const { terminal } = machine;
  const present = existsSync(keyStorePath(machine));
  if (producerOf(config) !== undefined) {
    const question = "Producer configuration detected. Continue using the existing configuration?";
    if (confirm(terminal, question, true)) {
      // The real controller ignores the answer, too. The node then fails because its key is missing.
      if (!present) confirm(terminal, missingKeyStore, false);
      return config;
    }
  } else if (present) {
    const question = "Producer key store file detected. Do you want to configure the Node with it?";
    if (confirm(terminal, question, true)) return { ...config, Producer: openExisting(machine) };
  }
  return { ...config, Producer: newProducer(machine) };
}

const missingKeyStore =
  "Producer key store file not detected. Do you want to create a new producer key store file and configure the Node with it?";

function openExisting(machine: Machine) {
  for (let left = 2; left >= 0; left--) {
    const password = ask(machine.terminal, "Insert the producer key store password:", { hidden: true, minLength: 2 });
    try {
      const address = openKeyStore(readKeyStore(machine), password);
      return { Index: 0, KeyFilePath: "producer", Password: password, Address: address };
    } catch {
      print(machine, `${red("Error!")} ${left} attempts left`);
    }
  }
  print(machine, `${red("Error!")} Password verification failed 3 times. Aborting.`);
  throw new Quit();
}

function newProducer(machine: Machine): ProducerConfig {
  const producer = givenNode(machine)?.placeKeyStore() ?? madeProducer(machine);
  print(machine, `Key store file 'producer' ${green("successfully")} created: ${keyStorePath(machine)}`);
  const caution = `${orange("Caution!")} It can be used only for one Pillar`;
  print(machine, `Use the address ${producer.Address} to update the producing address of your Pillar. ${caution}`);
  return producer;
}

function madeProducer(machine: Machine): ProducerConfig {
  const password = randomPassword();
  const store = createKeyStore(password);
  writeKeyStore(machine, store);
  return { Index: 0, KeyFilePath: "producer", Password: password, Address: store.baseAddress };
}
