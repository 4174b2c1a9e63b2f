import { Command } from "commander";
import { controllerExpectations, controllerSource } from "./controller.ts";
import { realNames } from "./controllerTalk.ts";
import { lookAtMachine, placeOf, refusals, shell } from "./scratchMachine.ts";

const program = new Command("npm run contract --").description(
  "Contracts of what cannot be had in the lab, for a person who has it. Exit code 1: something is not as expected; 2: not run.",
);

program
  .command("controller <path>")
  .description("what this program takes for granted of the node's controller, against the real one at this path")
  .option("--scratch-machine", "your word that nothing on this machine is needed any more", false)
  .action(async (controller: string, { scratchMachine }: { scratchMachine: boolean }) => {
    const reasons = refusals(await lookAtMachine(controller, scratchMachine));
    if (reasons.length > 0) {
      console.error(["The contract is not run here; nothing was touched.", ...reasons].join("\n- "));
      console.error(
        "To run it: a fresh Debian or Ubuntu machine with 4 cores and 4 GB, the controller's archive unpacked, this project beside it; then\n" +
          "  npm run contract -- controller /path/to/znn-controller --scratch-machine",
      );
      process.exitCode = 2;
      return;
    }
    const subject = { ...placeOf(controller), names: realNames, deploySeconds: 3600, sh: shell };
    let unmet = 0;
    for (const { name, lines, check } of controllerExpectations) {
      try {
        await check(subject);
        console.log(`met      ${name} (${lines})`);
      } catch (error) {
        unmet += 1;
        console.log(`NOT MET  ${name} (${lines})\n  ${(error as Error).message.replaceAll("\n", "\n  ")}`);
      }
    }
    const all = controllerExpectations.length;
    console.log(
      `controller: ${all - unmet} of ${all} expectations met. Lines: bin/znn_controller.dart, ${controllerSource}`,
    );
    if (unmet > 0) process.exitCode = 1;
  });

await program.parseAsync();
