import { defaultNodeSettings, type NodeSettings } from "../doubles/chain/index.ts";
import type { Lab } from "../lab.ts";
import * as scripts from "./hostScripts.ts";
import { type FaultKind, milliseconds, oneOf } from "./kind.ts";

/** Runs a script on a host. @throws with its errors if it fails */
export async function runOn(lab: Lab, host: string, script: string): Promise<void> {
  const { exitCode, stderr } = await lab.host(host).run(`set -eu\n${script}`);
  if (exitCode !== 0) throw new Error(`${host}: ${String(stderr).trim() || `exit ${exitCode}`}`);
}

/** True if a condition holds on a host. False if the host is down or boots: no fault is active there. */
export async function holdsOn(lab: Lab, host: string, condition: string): Promise<boolean> {
  if (!lab.hostNames.includes(host) || !(await lab.isUp(host))) return false;
  const result = await lab
    .host(host)
    .run(condition)
    .catch(() => undefined);
  return result?.exitCode === 0;
}

interface Scripts {
  readonly does: string;
  readonly value?: FaultKind["value"];
  readonly set: (value: string) => string;
  readonly heal: string;
  readonly isOn: string;
}

function onHost({ does, value, ...script }: Scripts): FaultKind {
  return {
    does,
    ...(value === undefined ? {} : { value }),
    set: (lab, host, given) => runOn(lab, host, script.set(given || (value?.byDefault ?? ""))),
    heal: async (lab, host) => {
      if (await holdsOn(lab, host, script.isOn)) await runOn(lab, host, script.heal);
    },
    isOn: (lab, host) => holdsOn(lab, host, script.isOn),
  };
}

const crashLoop: FaultKind = {
  does: "the node panics so long after each start; under 2s systemd gives it up",
  value: { form: "DURATION", byDefault: "5s" },
  set: async (lab, host, value) => {
    await lab.chain("PATCH", `/nodes/${host}`, { crashAfterMs: milliseconds(value || "5s") });
    await runOn(lab, host, scripts.restartNode);
  },
  heal: async (lab, host) => {
    if (!(await crashLoop.isOn(lab, host))) return;
    await lab.chain("PATCH", `/nodes/${host}`, { crashAfterMs: defaultNodeSettings.crashAfterMs });
    if (await holdsOn(lab, host, "true")) await runOn(lab, host, scripts.startNode);
  },
  isOn: async (lab, host) => {
    const { settings } = await lab.chain<{ settings: NodeSettings }>("GET", `/nodes/${host}`);
    return settings.crashAfterMs !== null;
  },
};

const reboot: FaultKind = {
  does: "the host reboots in order, or loses its power and boots; over when its sshd answers",
  value: { form: "orderly|power-cut", byDefault: "orderly" },
  set: (lab, host, value) =>
    lab.host(host).reboot({ powerCut: oneOf(value || "orderly", "orderly", "power-cut") === "power-cut" }),
  heal: async () => {},
  isOn: async () => false,
};

/** Real faults of a host's processes and disk. */
export const hostFaults = {
  frozen: onHost({
    does: "the node's process is stopped: it accepts connections and never answers",
    set: () => scripts.freeze,
    heal: scripts.thaw,
    isOn: scripts.isFrozen,
  }),
  "wrong-service": onHost({
    does: "another service has taken the RPC's port, and the node can't start",
    value: { form: Object.keys(scripts.otherServices).join("|"), byDefault: "web" },
    set: (value) => scripts.takePort(oneOf(value, "web", "json", "mail")),
    heal: scripts.givePortBack,
    isOn: scripts.isUnitOn("wrong-service"),
  }),
  "crash-loop": crashLoop,
  restart: onHost({
    does: "the node is restarted again and again, so far apart",
    value: { form: "DURATION", byDefault: "10s" },
    set: (value) => scripts.restartEach(milliseconds(value) / 1000),
    heal: scripts.endUnit("restart"),
    isOn: scripts.isUnitOn("restart"),
  }),
  "full-disk": onHost({
    does: "the file system of the node's data directory is full (a small one, mounted there)",
    set: () => scripts.fillDisk,
    heal: scripts.freeDisk,
    isOn: scripts.isDiskFull,
  }),
  reboot,
  "package-lock": onHost({
    does: "dpkg's lock is held",
    set: () => scripts.holdPackageLock,
    heal: scripts.givePackageLockBack,
    isOn: scripts.isUnitOn("package-lock"),
  }),
} as const satisfies Record<string, FaultKind>;
