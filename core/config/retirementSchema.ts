import { z } from "zod";
import { loginRule, otherHostShape, otherNodeShape, readPrivateKey } from "./loginSchema";
import { block, duration, rpcUrl } from "./schemaParts";

export const networkSchema = block({
  epoch: duration("1s").prefault("24h").describe("The length of an epoch, for which rewards are paid"),
  momentum: duration("100ms").prefault("10s").describe("The time between two momentums"),
  tickMomentums: z
    .number()
    .int()
    .min(1)
    .default(30)
    .meta({
      description:
        "Momentums in a tick, the time (5 minutes) for which producers are elected. An update in the wallet takes effect in the second tick " +
        "after its own",
      unit: "momentums",
    }),
}).describe("The chain's own times; a chain other than the real one may have others");

const successor = z
  .strictObject({ ...otherHostShape, ...otherNodeShape })
  .transform(readPrivateKey)
  .describe(`The host that produces after this one. ${loginRule}`);

export const retirementSchema = block({
  successor: successor.optional(),
  references: z.array(rpcUrl).default([]).describe("Independent nodes to ask beside those of `sync.references`"),
}).meta({ description: "How this host is retired", see: "retiring.md" });
