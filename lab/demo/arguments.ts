import { Command, Option } from "commander";
import { type CloudName, cloudNames } from "../clouds/names";

/** What `npm run demo --` was asked for. */
export interface DemoOptions {
  /** Where both hosts stand; without one the new host is a machine of the operator's own, and the old one at Hetzner. */
  readonly provider?: CloudName;
}

/** @throws CommanderError, whose message says what is wrong and what there is */
export function parseDemo(args: readonly string[]): DemoOptions {
  const program = new Command("npm run demo --")
    .description(
      "The whole journey of a Pillar and its signer on hosts of this machine's own; some four minutes, at a provider six.",
    )
    .addOption(
      new Option(
        "--provider <name>",
        "the new host is made at this provider, and the old one adopted there and deleted; default: the new one is a machine of your own",
      ).choices([...cloudNames]),
    )
    .allowExcessArguments(false)
    .exitOverride()
    .configureOutput({ writeErr: () => undefined });
  return program.parse([...args], { from: "user" }).opts<DemoOptions>();
}
