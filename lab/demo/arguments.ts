import { Command, Option } from "commander";
import { type CloudName, cloudNames } from "../clouds/names";

/** Options of `npm run demo --`. */
export interface DemoOptions {
  /** Cloud of the new host. Without it, the new host is a machine of the operator's own. */
  readonly provider?: CloudName;
}

/** Parses the command line. @throws CommanderError that says what is wrong and what the options are */
export function parseDemo(args: readonly string[]): DemoOptions {
  const program = new Command("npm run demo --")
    .description(
      "The whole journey of a Pillar and its signer on hosts of this machine's own; some four minutes, at a provider six.",
    )
    .addOption(
      new Option(
        "--provider <name>",
        "the new host is made at this provider; default: it is a machine of your own",
      ).choices([...cloudNames]),
    )
    .allowExcessArguments(false)
    .exitOverride()
    .configureOutput({ writeErr: () => undefined });
  return program.parse([...args], { from: "user" }).opts<DemoOptions>();
}
