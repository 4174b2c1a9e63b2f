import type { StackConfig } from "../../config/config";
import { type Step, scriptOf } from "../step";
import { databaseProgram } from "./program";

function place({ node }: Pick<StackConfig, "node">) {
  return {
    service: node.service,
    data_dir: node.dataDir,
    rpc_address: node.rpcAddress,
    rpc_port: node.rpcPort,
    rpc_seconds: 300,
    database_program: databaseProgram(),
  };
}

/** How the node is, and where it does not run how its database is: lines for `readRepair`. Changes nothing. */
export function databaseLook(config: Pick<StackConfig, "node">): Step {
  return {
    name: "databaseLook",
    limitSeconds: 1200,
    looksOnly: true,
    quiet: true,
    script: scriptOf({ ...place(config), what: "look" }, "nodeStop", "database/database", "database/repair"),
  };
}

/** Stops the node, judges its database, cures it where it is torn, and starts the node: lines for `readRepair`. */
export function databaseRepair(config: Pick<StackConfig, "node">): Step {
  return {
    name: "databaseRepair",
    limitSeconds: 3600,
    quiet: true,
    isAsked: true,
    script: scriptOf({ ...place(config), what: "repair" }, "nodeStop", "database/database", "database/repair"),
  };
}
