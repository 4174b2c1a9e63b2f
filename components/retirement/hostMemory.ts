import * as pulumi from "@pulumi/pulumi";
import type { StackConfig } from "../../core/config/config";
import type { RegistrationOutput } from "../../core/registration/registration";
import { type HostMemory, mergeHostMemory, type Remembered } from "../../core/retirement/guardMemory";
import { createRetirementSettings, type RetirementSettings } from "../../core/retirement/retirementInputs";
import type { RetirementGuard } from "../../providers/retirementGuard";
import type { LastRun } from "../lastRun";
import { readStackEvents } from "../stackLog";

/** Returns the facts for the guards from the last run's outputs. */
export function readLastRunMemory({ remembered = {}, producerAddress, registration }: LastRun): Remembered {
  return {
    ...remembered,
    producer: producerAddress ?? remembered.producer,
    produced: registration?.producing === true ? "seen" : remembered.produced,
  };
}

/** Reads the facts about the host from the event log and the state. @throws if the event log can't be read */
export async function readHostMemory(config: StackConfig, last: LastRun): Promise<HostMemory> {
  return mergeHostMemory(await readStackEvents(config), pulumi.getStack(), readLastRunMemory(last));
}

/** Returns the guards' inputs. For a retiring host they include the known facts about it. */
export async function createGuardInputs(config: StackConfig, last: LastRun): Promise<RetirementSettings> {
  const settings = createRetirementSettings(config);
  if (config.lifecycle !== "retiring") return settings;
  const { isReached, recorded, knownProducer, produced } = await readHostMemory(config, last);
  return { ...settings, remembered: { isReached: isReached || undefined, recorded, produced }, knownProducer };
}

/** Returns the output `remembered`: the guards' facts, which the next run reads before it registers anything. */
export function createRememberedOutput(
  first: RetirementGuard,
  guard: RetirementGuard,
  last: LastRun,
  registration?: pulumi.Output<RegistrationOutput>,
): pulumi.Output<Remembered> {
  const { producer, produced } = readLastRunMemory(last);
  const before = last.remembered?.since;
  return pulumi
    .all([first.createdAt, first.isReached, first.isOwnWork, first.produced, guard.recorded, registration])
    .apply(([since, isReached, isOwnWork, told, recorded, now]) => {
      // The last run's facts do not count if they are about another server.
      const isSame = before === undefined || before === since;
      const hasProduced = told === "seen" || now?.producing === true || (isSame && produced === "seen");
      return {
        since,
        isReached,
        isOwnWork,
        produced: hasProduced ? ("seen" as const) : ("unknown" as const),
        recorded,
        // An active stack's run has the address in the output `producerAddress`.
        producer: isSame && registration === undefined && producer !== undefined ? producer : undefined,
      };
    });
}
