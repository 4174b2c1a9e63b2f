import type { Command } from "commander";
import type { Lab } from "../lab";

/** Adds `reference`: independent nodes for the configuration's sync.references. */
export function addReferenceCommand(
  program: Command,
  labOption: readonly [string, string, string],
  open: (lab: string) => Promise<Lab>,
): void {
  program
    .command("reference [names...]")
    .description("start independent nodes, synced, for sync.references (default: ref1 and ref2)")
    .option(...labOption)
    .action(async (names: string[], options: { lab: string }) => {
      const lab = await open(options.lab);
      for (const name of names.length > 0 ? names : ["ref1", "ref2"]) {
        if (lab.referenceNames.includes(name)) console.log(`${name} is there already: ${lab.referenceUrl(name)}`);
        else console.log(`${name} is up: ${await lab.addReference(name)}`);
      }
    });
}
