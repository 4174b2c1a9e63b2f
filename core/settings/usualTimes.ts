import type { StackConfig } from "../config/config";

/** The parts of a configuration on which the length of a stand-up depends. */
export type Lengthy = Pick<StackConfig, "lifecycle"> & {
  readonly host: Pick<StackConfig["host"], "provider">;
  readonly sync: Pick<StackConfig["sync"], "from" | "wait">;
  readonly orchestrator?: { readonly migrateFrom?: unknown } | undefined;
};

/** How long the steps that are still to come usually take, a line each, for a person (pure). */
export function usualTimes({ lifecycle, host, sync, orchestrator }: Lengthy): string[] {
  if (lifecycle !== "active") return ["a minute: it is looked at, nothing on it is changed"];
  return [
    host.provider === "existing" ? [] : ["the server, until it can be logged in to: 1 to 3 minutes"],
    ["packages: 1 to 5 minutes", "controller and deploy: 2 to 10 minutes"],
    sync.from === "oldHost"
      ? ["the old host's chain: a quarter of an hour at 100 Mbit/s; then the sync of what came meanwhile: minutes"]
      : ["the sync: hours or days"],
    orchestrator?.migrateFrom === undefined ? [] : ["the signer's move: minutes, without it for seconds"],
  ].flat();
}
