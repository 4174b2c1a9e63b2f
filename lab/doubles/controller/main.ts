import { type ControllerBuild, runController } from "./controller.ts";

/** Options of this build; defined by the bundler. */
declare const CONTROLLER_BUILD: ControllerBuild;

void runController(CONTROLLER_BUILD).then(() => process.exit(0));
