import type { Lab } from "../lab.ts";
import { hostFaults } from "./hostFaults.ts";
import type { FaultKind } from "./kind.ts";
import { networkFaults } from "./networkFaults.ts";
import { asKind, nodeFaults } from "./nodeFaults.ts";

type NodeFaultName = keyof typeof nodeFaults;

const playedByNode = Object.fromEntries(
  Object.entries(nodeFaults).map(([name, fault]) => [name, asKind(fault)]),
) as Record<NodeFaultName, FaultKind>;

/** Every fault of a lab host, by name. */
export const faults = { ...playedByNode, ...hostFaults, ...networkFaults } satisfies Record<string, FaultKind>;

export type FaultName = keyof typeof faults;

export const faultNames = Object.keys(faults) as FaultName[];

/** Checks a fault's name. @throws with the list if there is no such fault */
export function faultName(text: string): FaultName {
  const found = faultNames.find((name) => name === text);
  if (found !== undefined) return found;
  throw new Error(`there is no fault ${text}\n  faults: ${faultNames.join(", ")}`);
}

/** Checks that the lab has such a host, or such a reference if one is allowed. @throws if not */
function demand(lab: Lab, host: string, referenceToo: boolean): void {
  if (!(referenceToo && lab.referenceNames.includes(host))) lab.host(host);
}

/** Sets a fault on a host, or on a reference if the fault concerns only its node. */
export async function setFault(lab: Lab, host: string, name: FaultName, value = ""): Promise<void> {
  const kind: FaultKind = faults[name];
  if (value !== "" && kind.value === undefined) throw new Error(`${name} takes no value: found ${value}`);
  demand(lab, host, name in nodeFaults);
  await kind.set(lab, host, value).catch((error: Error) => {
    throw new Error(`${name}: ${error.message}`);
  });
}

/** Returns the faults that are on. */
export async function faultsOn(lab: Lab, host: string): Promise<FaultName[]> {
  demand(lab, host, true);
  const on: FaultName[] = [];
  for (const name of faultNames) if (await faults[name].isOn(lab, host)) on.push(name);
  return on;
}

/** Ends a fault, or all that are on. @returns those that were on */
export async function healFaults(lab: Lab, host: string, only?: FaultName): Promise<FaultName[]> {
  const on = (await faultsOn(lab, host)).filter((name) => (only ?? name) === name);
  for (const name of on) await faults[name].heal(lab, host);
  return on;
}
