import { existsSync } from "node:fs";
import { hostname, userInfo } from "node:os";
import { ensureDataDir } from "./dataDir.ts";
import { deploy } from "./deploy.ts";
import { cores, green, labSettings, print, publicAddress, Quit, red, shellName, textOf } from "./machine.ts";
import { status } from "./status.ts";
import { menu } from "./terminal.ts";

/** Library that must exist in the directory in which the controller is started. */
export const libraryName = "libargon2_ffi_plugin.so";

/** Options of a controller build. */
export interface ControllerBuild {
  version: string;
  /** Version whose menu order is used: v0.0.1 has Migrate first. */
  menu: "v0.0.1" | "v0.0.4";
}

/** Runs the controller once. It always exits with code 0, so only its output shows what happened. */
export async function runController(build: ControllerBuild): Promise<void> {
  try {
    await runMenu(build);
  } catch (error) {
    if (error instanceof Quit) return;
    print(`${red("Error!")} ${error instanceof Error ? error.message : error}. Aborting.`);
  }
}

async function runMenu(build: ControllerBuild): Promise<void> {
  requireSuperuser();
  print(green(`Node Controller v${build.version}`));
  print("Gathering system information ...");
  const settings = await labSettings();
  printSystem(cores(settings));
  const address = await publicAddress();
  if (address === undefined) {
    print(`${red("Error!")} Not connected to the Internet. Please retry.`);
    throw new Quit();
  }
  print(`IP address: ${green(address)}`);
  // An entry's number is its position.
  const rest = ["Deploy", "Status", "Start service", "Stop service", "Resync", "Help", "Quit"];
  const options = build.menu === "v0.0.1" ? ["Migrate", ...rest] : rest;
  const selected = menu("Select an option from the ones listed above\n", options);
  if (selected === "Quit") return;
  requireLibrary();
  ensureDataDir();
  if (selected === "Deploy") return deploy(settings);
  if (selected === "Status") return status();
  throw new Error(`the lab's double has no ${selected}`);
}

/** Shells that dcli 3.0.2 knows (shell_detection.dart 40-50). */
const knownShells = ["ash", "bash", "cmd", "dash", "docker", "fish", "powershell", "sh", "zsh"];

/**
 * Refuses to run without root, or in a shell that dcli does not know: such a shell counts as unprivileged even for root
 * (dcli 3.0.2, unknown_shell.dart 162).
 */
function requireSuperuser(): void {
  const privileges = green("superuser privileges");
  if (process.geteuid?.() === 0 && knownShells.includes(shellName().toLowerCase())) {
    print(`Running Node Controller with ${privileges}`);
    return;
  }
  const end = "in order to successfully complete. Please run again using superuser privileges";
  print(`Cannot start Node Controller. Some commands require ${privileges} ${end}`);
  throw new Quit();
}

function printSystem(cores: number): void {
  print("System info:");
  print(`Shell: ${green(shellName())}`);
  print(`User: ${green(userInfo().username)}`);
  print(`Host: ${green(hostname())}`);
  print(`Operating system: ${green("linux")}`);
  print(`OS version: ${green(/PRETTY_NAME="(.*)"/.exec(textOf("/etc/os-release"))?.[1] ?? "Linux")}`);
  print(`Available CPU cores: ${green(String(cores))}`);
  print(`Dart runtime: ${green('2.19.6 (stable) on "linux_x64"')}`);
}

function requireLibrary(): void {
  if (existsSync(libraryName)) return;
  const reason = "cannot open shared object file: No such file or directory";
  throw new Error(
    `Invalid argument(s): Failed to load dynamic library './${libraryName}': ./${libraryName}: ${reason}`,
  );
}
