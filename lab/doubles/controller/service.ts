import { existsSync, writeFileSync } from "node:fs";
import { basename } from "node:path";
import { print, Quit, red, run, sleep } from "./machine.ts";

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

export function isServicePresent(): boolean {
  return existsSync(unitPath);
}

export function isServiceActive(): boolean {
  return run("systemctl", ["is-active", service]).stdout.startsWith("active");
}

export async function stopService(): Promise<void> {
  if (!isServiceActive()) return;
  print(`Stopping ${service} ...`);
  run("systemctl", ["stop", service]);
  await sleep(pauseMs);
}

export async function startService(): Promise<void> {
  if (isServiceActive()) return;
  print(`Starting ${service} ...`);
  run("systemctl", ["enable", service]);
  run("systemctl", ["start", service]);
  await sleep(pauseMs);
}

/** Writes the unit if there is none. First kills a node that runs without a unit. */
export function initService(): void {
  print(`${service} service not detected`);
  const pid = run("pgrep", ["-x", daemon]).stdout.trim();
  if (pid !== "") {
    print(`${daemon} is running, stopping it`);
    if (run("kill", ["-9", ...pid.split("\n")]).status !== 0) {
      print(`${red("Error!")} Kill failed. Aborting.`);
      throw new Quit();
    }
  }
  print(`Configuring ${service} ...`);
  writeFileSync(unitPath, unitText);
}

/**
 * Prints systemd's status of the service, then the node's version. The status includes the last journal lines, whatever
 * they contain.
 */
export function printServiceStatus(): void {
  print(`${service} status:\n`);
  const status = run("systemctl", ["status", "--no-pager", "--lines=50", service]);
  print(status.stdout);
  const version = run(daemonPath, ["version"]);
  if (version.status !== 0) {
    print(`${red("Error!")} ${daemon} unavailable. Aborting.`);
    throw new Quit();
  }
  print(version.stdout);
}
