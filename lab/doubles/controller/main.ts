import type { ControllerBuild } from "./build";
import { runController } from "./controller";
import { hostMachine } from "./hostMachine";

// Put in by the bundler: what this build is, and the node that it "builds".
declare const CONTROLLER_BUILD: ControllerBuild;
declare const NODE_EXECUTABLE: string;

async function main(): Promise<void> {
  await runController(await hostMachine(NODE_EXECUTABLE), CONTROLLER_BUILD);
  process.exit(0);
}

void main();
