import { nodeTarget } from "../components/login";
import { gateSettings } from "../components/node/gateSettings";
import { envelope } from "../components/scripts/step";
import { facts } from "../components/scripts/steps";
import { readReference } from "../providers/gate/references";
import type { WaitOptions, World } from "../providers/gate/waitForSync";
import { type Connection, createConnection } from "../providers/rpc/connection";
import { readHostFacts } from "../providers/rpc/hostFacts";
import { createNodeClient } from "../providers/rpc/node";
import type { Source } from "./source";

/** The ways to look at a host: its node and its facts, over one ssh connection. */
export interface HostLook {
  readonly world: Pick<World, "client" | "readReferences" | "now" | "ticks" | "sleep">;
  readFacts(): Promise<readonly string[]>;
  /** The one way to the host; closed with the world's client. */
  readonly connection: Connection;
}

export function openHost({ config, address }: Source, hostKey: string): HostLook {
  const target = nodeTarget(config, address, hostKey);
  const connection = createConnection(target.ssh);
  const step = facts(config, { logLines: 10, withStages: config.lifecycle === "active" });
  const script = envelope(step, address, config.ssh.sudoPassword);
  return {
    connection,
    world: {
      client: createNodeClient(target, connection),
      readReferences: () => Promise.all(config.sync.references.map((url) => readReference(url))),
      now: () => Date.now(),
      ticks: () => performance.now(),
      sleep: (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds)),
    },
    readFacts: () => readHostFacts(connection, script),
  };
}

/** The gate's own way to decide, with the stack's settings; it never gives up but where `check` is set. */
export function gateOptions({ config, address, state: { wait } }: Source, check: boolean): WaitOptions {
  return {
    ...gateSettings(config),
    deadline: Number.POSITIVE_INFINITY,
    check,
    address,
    startedAt: wait === undefined ? Date.now() : Date.parse(wait.startedAt),
    startHeight: wait?.startHeight,
  };
}
