import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { basename, dirname } from "node:path";
import { red } from "./colour";
import { type Machine, print, Quit } from "./machine";

/**
 * If the double is named znn-controller, it uses the real service and executable names (bin/znn_controller.dart 9-15).
 */
const [unit, executable] =
  basename(process.argv[1] ?? "") === "znn-controller" ? ["go-zenon", "znnd"] : ["go-node", "go-node"];

export const daemon = executable;

export const service = `${unit}.service`;

export const daemonPath = `/usr/local/bin/${daemon}`;

const unitPath = `/etc/systemd/system/${service}`;
const pauseMs = 500;

/** Text of the systemd unit, indented as the real controller writes it. */
export const unitText = `    [Unit]
    Description=${unit} service
    After=network.target
    [Service]
    LimitNOFILE=32768
    User=root
    Group=root
    Type=simple
    SuccessExitStatus=SIGKILL 9
    ExecStart=${daemonPath}
    ExecStop=/usr/bin/pkill -9 ${daemon}
    Restart=on-failure
    TimeoutStopSec=10s
    TimeoutStartSec=10s
    [Install]
    WantedBy=multi-user.target
    `;

export function isServicePresent(machine: Machine): boolean {
  return existsSync(`${machine.root}${unitPath}`);
}

export function isServiceActive(machine: Machine): boolean {
  return machine.run("systemctl", ["is-active", service]).stdout.startsWith("active");
}

export async function stopService(machine: Machine): Promise<void> {
  if (!isServiceActive(machine)) return;
  print(machine, `Stopping ${service} ...`);
  machine.run("systemctl", ["stop", service]);
  await machine.sleep(pauseMs);
}

export async function startService(machine: Machine): Promise<void> {
  if (isServiceActive(machine)) return;
  print(machine, `Starting ${service} ...`);
  machine.run("systemctl", ["enable", service]);
  machine.run("systemctl", ["start", service]);
  await machine.sleep(pauseMs);
}

/** Writes the unit if there is none. First kills a node that runs without a unit. */
export function initService(machine: Machine): void {
  print(machine, `${service} service not detected`);
  const pid = machine.run("pgrep", ["-x", daemon]).stdout.trim();
  if (pid !== "") {
    print(machine, `${daemon} is running, stopping it`);
    if (machine.run("kill", ["-9", ...pid.split("\n")]).status !== 0) {
      print(machine, `${red("Error!")} Kill failed. Aborting.`);
      throw new Quit();
    }
  }
  print(machine, `Configuring ${service} ...`);
  const file = `${machine.root}${unitPath}`;
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, unitText);
}

/**
 * Prints systemd's status of the service, then the node's version. The status includes the last journal lines, whatever
 * they contain.
 */
export function printServiceStatus(machine: Machine): void {
  print(machine, `${service} status:\n`);
  const status = machine.run("systemctl", ["status", "--no-pager", "--lines=50", service]);
  print(machine, status.stdout);
  const version = machine.run(`${machine.root}${daemonPath}`, ["version"]);
  if (version.status !== 0) {
    print(machine, `${red("Error!")} ${daemon} unavailable. Aborting.`);
    throw new Quit();
  }
  print(machine, version.stdout);
}
