import { z } from "zod";
import type { SchemaFault } from "./configFaults";
import { duration } from "./duration";
import { loginRule, openableKey, otherHostShape, otherNodeShape } from "./loginSchema";
import { rpcUrl } from "./schemaParts";

/** The chain's own measures; other networks than the real one have others. */
export const networkSchema = z
  .strictObject({
    epoch: duration("1s").prefault("24h").meta({ description: "The chain's epoch, for which rewards are paid" }),
    momentum: duration("100ms").prefault("10s").meta({ description: "The time from one momentum to the next" }),
    tickMomentums: z
      .number()
      .int()
      .min(1)
      .default(30)
      .meta({
        description:
          "Momentums of a tick of the election, which is a span of time (5 minutes): an update in the wallet in one takes " +
          "effect in the next but one",
        unit: "momentums",
      }),
  })
  .prefault({})
  .meta({ description: "The chain's own measures; another chain than the real one may have others" });

export const cutoverSchema = z
  .strictObject({
    wait: z.boolean().default(false).meta({
      description: "`pulumi up` waits until momentums carry this host's producer address",
      see: "operating.md#the-cutover",
    }),
    deadline: duration("1m").prefault("12h").meta({ description: "How long one run waits for the switch" }),
  })
  .prefault({})
  .meta({ description: "How the program waits for the switch to this host's producer address" });

const successor = z
  .strictObject({
    ...otherHostShape,
    ...otherNodeShape,
  })
  .superRefine(openableKey)
  .meta({ description: `The host that produces after this one. ${loginRule}` });

export const retirementSchema = z
  .strictObject({
    successor: successor.optional(),
    references: z.array(rpcUrl).default([]).meta({
      description: "Independent nodes that are asked beside those of `sync.references`",
    }),
    afterwards: z.enum(["leave", "poweroff"]).default("leave").meta({
      description: "An existing host that was given up is left on, or powered off",
    }),
    keysAside: z.boolean().default(false).meta({
      description: "On an existing host that was given up, moves keys, configuration and the signer's directory aside",
    }),
  })
  .prefault({})
  .meta({ description: "How this host is retired", see: "retiring.md" });

export function retirementFaults({
  host,
  retirement,
}: {
  readonly host: { readonly provider: string };
  readonly retirement: z.output<typeof retirementSchema>;
}): SchemaFault[] {
  if (host.provider !== "existing" && retirement.afterwards !== "leave")
    return [
      [
        ["retirement", "afterwards"],
        "is for existing hosts: a server at a cloud provider is deleted",
        { remove: "retirement.afterwards" },
      ],
    ];
  return [];
}
