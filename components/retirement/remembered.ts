import * as pulumi from "@pulumi/pulumi";
import type { StackConfig } from "../../core/config/config";
import { storeOf } from "../../core/config/stackStore";
import { readEvents } from "../../core/eventLog/eventLog";
import type { RegistrationShown } from "../../core/registration/registrationShown";
import { type KnownOfHost, knownToGuard, type Remembered, rememberedBy } from "../../core/retirement/guardMemory";
import { type RetirementSettings, retirementSettings } from "../../core/retirement/retirementInputs";
import type { RetirementGuard } from "../../providers/retirementGuard";
import type { LastRun } from "../lastRun";

/** Reads from the state what the last run left for the guards. */
export function inLastRun({ remembered = {}, producerAddress, registration }: LastRun): Remembered {
  const producer = producerAddress ?? remembered.producer;
  return {
    ...remembered,
    producer,
    produced: registration?.producing === true ? "seen" : remembered.produced,
  };
}

/** What this machine's record, and the stack's state, know of the host. @throws where the record can't be read */
export async function knownOfHost(config: StackConfig, last: LastRun): Promise<KnownOfHost> {
  const events = await readEvents(storeOf(config), config.pillar.name);
  return rememberedBy(events, pulumi.getStack(), inLastRun(last));
}

/**
 * What a stack's configuration means for its guards; where the host is to go, they are told what is known of it, and keep that
 * in the state. Not before: each run would tell them more, and an `up` with nothing new would not be unchanged.
 */
export async function guardSettings(config: StackConfig, last: LastRun): Promise<RetirementSettings> {
  const settings = retirementSettings(config, pulumi.getStack());
  return config.lifecycle === "retiring" ? { ...settings, ...knownToGuard(await knownOfHost(config, last)) } : settings;
}

/** The output `remembered`: what the guards remember, where the next run finds it before it registers anything. */
export function rememberedShown(
  first: RetirementGuard,
  guard: RetirementGuard,
  last: LastRun,
  registration?: pulumi.Output<RegistrationShown>,
): pulumi.Output<Remembered> {
  const { producer, produced } = inLastRun(last);
  const before = last.remembered?.since;
  return pulumi
    .all([first.createdAt, first.isReached, first.isOwnWork, first.produced, guard.recorded, registration])
    .apply(([since, isReached, isOwnWork, told, recorded, now]) => {
      // Of another server what the last one did says nothing.
      const isSame = before === undefined || before === since;
      const hasProduced = told === "seen" || now?.producing === true || (isSame && produced === "seen");
      return {
        since,
        isReached,
        isOwnWork,
        produced: hasProduced ? ("seen" as const) : ("unknown" as const),
        recorded,
        // A run that shows the address itself has it there.
        producer: isSame && registration === undefined && producer !== undefined ? producer : undefined,
      };
    });
}
