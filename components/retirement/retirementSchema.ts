import { z } from "zod";
import { duration } from "../duration";
import { openableKey, otherHostShape } from "../loginSchema";
import { directory, port, rpcUrl, word } from "../schemaParts";

/** The chain's own measures; other networks than the real one have others. */
export const networkSchema = z
  .strictObject({
    /** Rewards are paid for it. */
    epoch: duration("1s").prefault("24h"),
    /** From one momentum to the next. */
    momentum: duration("100ms").prefault("10s"),
    /** Momentums of a tick of the election; an update in the wallet in one takes effect in the next but one. */
    tickMomentums: z.number().int().min(1).default(30),
  })
  .prefault({});

/** How the switch to this host's producer address is followed. */
export const cutoverSchema = z
  .strictObject({
    wait: z.boolean().default(false),
    deadline: duration("1m").prefault("12h"),
  })
  .prefault({});

/** The host that produces after this one. What is left out of the login is pillar-host:ssh's. */
const successor = z
  .strictObject({
    ...otherHostShape,
    service: word.optional(),
    dataDir: directory.optional(),
    rpcPort: port.optional(),
  })
  .superRefine(openableKey("retirement.successor"));

/** How this host is retired (docs/specification.md, 1.1, step 15). */
export const retirementSchema = z
  .strictObject({
    successor: successor.optional(),
    references: z.array(rpcUrl).default([]),
    afterwards: z.enum(["leave", "poweroff"]).default("leave"),
    keysAside: z.boolean().default(false),
  })
  .prefault({});

/** What the block says that does not fit to the rest (pure). */
export function retirementFaults({
  host,
  retirement,
}: {
  readonly host: { readonly provider: string; readonly address?: string };
  readonly retirement: z.output<typeof retirementSchema>;
}): (readonly [path: readonly string[], message: string])[] {
  const faults: (readonly [string[], string])[] = [];
  if (host.provider === "existing" && retirement.successor?.address === host.address)
    faults.push([
      ["retirement", "successor", "address"],
      "is this stack's own host: needed the one that produces after it",
    ]);
  if (host.provider !== "existing" && retirement.afterwards !== "leave")
    faults.push([["retirement", "afterwards"], "is for existing hosts: a server at a cloud provider is deleted"]);
  return faults;
}
