import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { execa } from "execa";

/**
 * Returns the reasons not to run the contract here. Deploy installs packages, a unit and keys, and the last
 * expectations destroy them.
 */
export function refusals(facts: MachineFacts): string[] {
  const { controller, nodeSigns } = facts;
  const says = (is: boolean, text: string) => (is ? [] : [text]);
  return [
    ...says(facts.isLinux && facts.hasSystemd, "needed: Linux with a running systemd"),
    ...says(facts.isRoot, "needed: root, as the controller itself needs it"),
    ...says(facts.hasApt, "needed: apt, with which the controller installs its packages"),
    ...says(facts.executable, `there is no executable controller at ${controller}`),
    ...nodeSigns.map(
      (sign) => `this machine has a node, or had one: ${sign}. The contract overwrites its keys; take another machine`,
    ),
    ...says(
      facts.isScratch,
      "needed: --scratch-machine, your word that nothing on this machine is needed any more: a node is deployed on it, with packages, unit and keys",
    ),
  ];
}

const services = ["go-zenon", "go-node"];
const places = [
  ...["/root/.znn", "/root/.orchestrator", "/root/go-zenon", "/usr/local/bin/znnd", "/usr/local/bin/go-node"],
  ...services.map((service) => `/etc/systemd/system/${service}.service`),
];

/** Reads the facts about this machine; changes nothing. */
export async function lookAtMachine(controller: string, isScratch: boolean) {
  const processes = await execa("ps", ["-eo", "comm="], { reject: false });
  const names = processes.stdout.split("\n").map((name) => name.trim());
  const listening = await execa("ss", ["-Hltn"], { reject: false });
  return {
    isLinux: os.platform() === "linux",
    isRoot: process.geteuid?.() === 0,
    hasSystemd: fs.existsSync("/run/systemd/system"),
    hasApt: fs.existsSync("/usr/bin/apt"),
    /** Signs of a node, or of a Pillar's keys, on this machine. */
    nodeSigns: [
      ...places.filter((place) => fs.existsSync(place)),
      ...["znnd", "go-node", "orchestrator"].filter((name) => names.includes(name)).map((name) => `process ${name}`),
      ...[35995, 35997, 35998].filter((port) => listening.stdout.includes(`:${port} `)).map((port) => `port ${port}`),
    ],
    executable: isExecutable(controller),
    controller,
    /** True if --scratch-machine was given. */
    isScratch,
  };
}

/** Facts about a machine, read before anything runs there. */
export type MachineFacts = Awaited<ReturnType<typeof lookAtMachine>>;

function isExecutable(file: string): boolean {
  try {
    fs.accessSync(file, fs.constants.X_OK);
    return fs.statSync(file).isFile();
  } catch {
    return false;
  }
}

/** Runs a script on this machine as root. @returns its output */
export async function shell(script: string): Promise<string> {
  const { stdout } = await execa("bash", ["-s"], { input: script, reject: false, stripFinalNewline: false });
  return stdout;
}

/** Returns directory and name of an executable. */
export function placeOf(file: string): { readonly directory: string; readonly executable: string } {
  return { directory: path.dirname(path.resolve(file)), executable: path.basename(file) };
}
