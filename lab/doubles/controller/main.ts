import type { ControllerBuild } from "./build";
import { runController } from "./controller";
import { hostMachine } from "./hostMachine";

// Defined by the bundler: the options of this build, and the node executable that it pretends to build.
declare const CONTROLLER_BUILD: ControllerBuild;
declare const NODE_EXECUTABLE: string;

async function main(): Promise<void> {
  await runController(await hostMachine(NODE_EXECUTABLE), CONTROLLER_BUILD);
  process.exit(0);
}

void main();
