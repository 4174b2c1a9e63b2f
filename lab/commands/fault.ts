import { setTimeout as sleep } from "node:timers/promises";
import type { Command } from "commander";
import { type FaultName, faultName, faultNames, faults, faultsOn, healFaults, setFault } from "../faults/index.ts";
import { type FaultKind, milliseconds } from "../faults/kind.ts";
import type { Lab } from "../lab.ts";

interface FaultOptions {
  readonly lab: string;
  readonly for?: string;
}

/** Returns a help line for each kind of fault, with its value. */
export function faultHelp(): string {
  const rows = faultNames.map((name) => {
    const { value, does }: FaultKind = faults[name];
    return [`${name} ${value ? `[${value.form}]` : ""}`, `${does}${value ? ` (default: ${value.byDefault})` : ""}`];
  });
  const width = Math.max(...rows.map(([left = ""]) => left.length));
  return [
    "Kinds:",
    ...rows.map(([left = "", right = ""]) => `  ${left.padEnd(width)}  ${right}`),
    "",
    "Examples:",
    "  fault host1 full-disk          until it is healed",
    "  fault host1 ssh-cut refused --for 30s",
    "  fault ref1 lying-height        a reference lies",
    "  fault host1 list               what is on",
    "  fault host1 heal [kind]        ends it, or all of them; of a host that is down too",
  ].join("\n");
}

/** Adds `fault`, which breaks something on a host. */
export function addFaultCommand(
  program: Command,
  labOption: readonly [string, string, string],
  open: (lab: string) => Promise<Lab>,
): void {
  program
    .command("fault <host> <kind> [value]")
    .description("let something go wrong on a host or a reference; `heal [kind]` and `list` in place of a kind")
    .option(...labOption)
    .option("--for <duration>", "heal it after that, and return then (such as 30s)")
    .addHelpText("after", `\n${faultHelp()}`)
    .action(async (host: string, kind: string, value: string | undefined, options: FaultOptions) => {
      const lab = await open(options.lab);
      if (kind === "list") return list(lab, host);
      if (kind === "heal") return heal(lab, host, value === undefined ? undefined : faultName(value));
      const name = faultName(kind);
      const time = options.for === undefined ? undefined : milliseconds(options.for);
      await setFault(lab, host, name, value);
      const on = await faults[name].isOn(lab, host);
      if (!on) return console.log(`${host}: ${name}, done`);
      if (time === undefined) return console.log(`${host}: ${name} is on (npm run lab -- fault ${host} heal ${name})`);
      console.log(`${host}: ${name} is on, for ${options.for}`);
      await untilInterrupted(time);
      return heal(lab, host, name);
    });
}

async function list(lab: Lab, host: string): Promise<void> {
  const on = await faultsOn(lab, host);
  console.log(`${host}: ${on.join(", ") || "nothing is wrong"}`);
}

async function heal(lab: Lab, host: string, only?: FaultName): Promise<void> {
  const healed = await healFaults(lab, host, only);
  console.log(`${host}: ${healed.length > 0 ? `healed ${healed.join(", ")}` : "nothing was wrong"}`);
}

/** Waits for the time or for Ctrl-C, which ends the fault, not only the command. */
async function untilInterrupted(time: number): Promise<void> {
  const interrupted = new AbortController();
  process.once("SIGINT", () => interrupted.abort());
  await sleep(time, undefined, { signal: interrupted.signal }).catch(() => undefined);
}
