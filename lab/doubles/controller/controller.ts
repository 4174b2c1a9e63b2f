import { existsSync } from "node:fs";
import { join } from "node:path";
import { type ControllerBuild, menuOptions } from "./build";
import { green, red } from "./colour";
import { ensureDataDir, resync } from "./dataDir";
import { deploy } from "./deploy";
import { type Machine, print, Quit } from "./machine";
import { migrate } from "./migrate";
import { isServiceActive, printServiceStatus, service, startService, stopService } from "./service";
import { status } from "./status";
import { confirm, menu } from "./terminal";

/** Library that must exist in the directory in which the controller is started. */
export const libraryName = "libargon2_ffi_plugin.so";

/** Runs the controller once. It always exits with code 0, so only its output shows what happened. */
export async function runController(machine: Machine, build: ControllerBuild): Promise<void> {
  try {
    await run(machine, build);
  } catch (error) {
    if (error instanceof Quit) return;
    print(machine, `${red("Error!")} ${error instanceof Error ? error.message : error}. Aborting.`);
  }
}

async function run(machine: Machine, build: ControllerBuild): Promise<void> {
  requireSuperuser(machine);
  print(machine, green(`Node Controller v${build.version.replace(/^v/, "")}`));
  print(machine, "Gathering system information ...");
  printSystem(machine);
  const address = await machine.publicAddress();
  if (address === undefined) {
    print(machine, `${red("Error!")} Not connected to the Internet. Please retry.`);
    throw new Quit();
  }
  print(machine, `IP address: ${green(address)}`);
  const selected = menu(machine.terminal, "Select an option from the ones listed above\n", menuOptions(build.menu));
  if (selected === "Quit") return;
  requireLibrary(machine);
  ensureDataDir(machine);
  const commanded = await machine.labSettings();
  await act(selected, machine, {
    ...build,
    buildSeconds: commanded.buildSeconds ?? build.buildSeconds,
    buildLines: commanded.buildLines ?? build.buildLines,
    failBuild: commanded.failBuild ?? build.failBuild,
    unknownQuestion: commanded.unknownQuestion ?? build.unknownQuestion,
  });
}

async function act(selected: string, machine: Machine, build: ControllerBuild): Promise<void> {
  switch (selected) {
    case "Migrate":
      return migrate(machine);
    case "Deploy":
      return deploy(machine, build);
    case "Status":
      return status(machine);
    case "Start service":
      if (isServiceActive(machine)) return print(machine, `${service} is already active`);
      await startService(machine);
      printServiceStatus(machine);
      return print(machine, "Done");
    case "Stop service":
      if (!isServiceActive(machine)) return print(machine, `${service} is not active`);
      await stopService(machine);
      printServiceStatus(machine);
      return print(machine, "Done");
    case "Resync":
      return resyncAndRestart(machine);
    default:
      return printHelp(machine, build);
  }
}

/** Shells that dcli 3.0.2 knows (shell_detection.dart 40-50). */
const knownShells = ["ash", "bash", "cmd", "dash", "docker", "fish", "powershell", "sh", "zsh"];

/**
 * Refuses to run without root, or in a shell that dcli does not know: such a shell counts as unprivileged even for root
 * (dcli 3.0.2, unknown_shell.dart 162).
 */
function requireSuperuser(machine: Machine): void {
  const privileges = green("superuser privileges");
  if (machine.euid === 0 && knownShells.includes(machine.shell.toLowerCase())) {
    print(machine, `Running Node Controller with ${privileges}`);
    return;
  }
  const end = "in order to successfully complete. Please run again using superuser privileges";
  print(machine, `Cannot start Node Controller. Some commands require ${privileges} ${end}`);
  throw new Quit();
}

function printSystem(machine: Machine): void {
  print(machine, "System info:");
  print(machine, `Shell: ${green(machine.shell)}`);
  print(machine, `User: ${green(machine.user)}`);
  print(machine, `Host: ${green(machine.hostName)}`);
  print(machine, `Operating system: ${green("linux")}`);
  print(machine, `OS version: ${green(machine.osVersion)}`);
  print(machine, `Available CPU cores: ${green(String(machine.cores()))}`);
  print(machine, `Dart runtime: ${green('2.19.6 (stable) on "linux_x64"')}`);
}

function requireLibrary(machine: Machine): void {
  if (existsSync(join(machine.workingDirectory, libraryName))) return;
  const reason = "cannot open shared object file: No such file or directory";
  throw new Error(
    `Invalid argument(s): Failed to load dynamic library './${libraryName}': ./${libraryName}: ${reason}`,
  );
}

async function resyncAndRestart(machine: Machine): Promise<void> {
  const question = "This option will resync the Node starting from genesis. Do you want to continue?";
  if (!confirm(machine.terminal, question, true)) return;
  const running = isServiceActive(machine);
  if (running) await stopService(machine);
  resync(machine);
  if (!running) return;
  await startService(machine);
  printServiceStatus(machine);
}

function printHelp(machine: Machine, build: ControllerBuild): void {
  const help: Record<string, string> = {
    Migrate: "Migrate - will download Alphanet genesis and initial peers",
    Deploy: "Deploy - will deploy a Node with a producing key file configured",
    Status: "Status - will print the status of the Node",
    "Start service": "Start service - will start the service",
    "Stop service": "Stop service - will stop the service",
    Resync: "Resync - will resync the Node from genesis",
  };
  for (const option of menuOptions(build.menu)) print(machine, help[option] ?? option);
}
