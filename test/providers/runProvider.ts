import { createRequire } from "node:module";
import type { DynamicType } from "../../core/util/resourceTypes.ts";
import { HourlyRestartOff } from "../../providers/hourlyRestartOff.ts";
import { NodeShutdown } from "../../providers/nodeShutdown.ts";
import { NodeUpgrade } from "../../providers/nodeUpgrade.ts";
import { OrchestratorBackup } from "../../providers/orchestratorBackup.ts";
import { RetirementGuard } from "../../providers/retirementGuard.ts";
import { createProvider, type ResourceTable, stateVersion } from "../../providers/runtime/provider.ts";
import { findProvider } from "../../providers/runtime/providerTable.ts";
import { SyncGate } from "../../providers/syncGate.ts";

/** Outcome of a provider's method, as the engine gets it, and its output. */
export interface Outcome {
  readonly result?: { id?: string; changes?: boolean; outs: Record<string, unknown> };
  readonly error?: { message: string; id?: string; reasons?: string[]; properties?: Record<string, unknown> };
  readonly log: string[];
}

type Provider = Record<string, (...args: unknown[]) => Promise<unknown>>;

const { Struct } = createRequire(import.meta.url)("google-protobuf/google/protobuf/struct_pb");

/** Passes a value as the engine gets it. The engine would wait for ever for a value that can't be sent. */
const send = (value: object | undefined) => value && Struct.fromJavaScript(value).toJavaScript();

const tables = { HourlyRestartOff, NodeShutdown, NodeUpgrade, OrchestratorBackup, RetirementGuard, SyncGate };

/** A type whose work gets these values in place of those that its `prepare` makes of the configuration. */
export type Prepared = readonly [type: keyof typeof tables, prepared: object];

/** Runs a provider's method by its name. Inputs and state have the program's version by default. */
export function runProvider(of: DynamicType | Prepared, method: string, ...args: unknown[]): Promise<Outcome> {
  const given = args.map((each) => (typeof each === "object" ? { stateVersion, ...each } : each));
  const provider = (typeof of === "string" ? findProvider(`pillar-host:${of}`) : withPrepared(of)) as Provider;
  return outcomeOf(() => provider[method]?.(...JSON.parse(JSON.stringify(given))));
}

function withPrepared([type, prepared]: Prepared): unknown {
  return createProvider(tables[type].table as ResourceTable<object, object>, () => prepared);
}

/** Runs work as a provider's method, and returns its outcome and what it printed. */
export async function outcomeOf(work: () => Promise<unknown> | undefined): Promise<Outcome> {
  const { log: print } = console;
  const log: string[] = [];
  console.log = (line: string) => void log.push(line);
  try {
    const result = (await work()) as Outcome["result"];
    return { log, ...(result && { result: { ...result, ...("outs" in result && { outs: send(result.outs) }) } }) };
  } catch (error) {
    const { message, id, reasons, properties } = error as NonNullable<Outcome["error"]>;
    return { log, error: { message, id, reasons, properties: send(properties) } };
  } finally {
    console.log = print;
  }
}
