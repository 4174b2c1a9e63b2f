import * as pulumi from "@pulumi/pulumi";
import type { StackConfig } from "../../core/config/config.ts";
import { createStackLogRef } from "../../core/config/stackStore.ts";
import { openEventLog } from "../../core/eventLog/eventLog.ts";
import { decideNextStep, isMoveLater } from "../../core/journey/decideNextStep.ts";
import type { LastRun, OrchestratorOutput } from "../../core/journey/outputs.ts";
import type { MoveTiming } from "../../core/journey/stackFacts.ts";
import { createRegistrationOutput, mayShowAddress, type Registration } from "../../core/registration/registration.ts";
import {
  judgeRegistration,
  noteRegistration,
  readRegistrationMemory,
} from "../../core/registration/registrationLookup.ts";
import { findRegistrationNotices, formatRegistration } from "../../core/registration/registrationMessages.ts";
import { formatWaysBack } from "../../core/sync/damagedDatabase.ts";
import { systemClock } from "../../core/util/clock.ts";
import { HourlyRestartOff } from "../../providers/hourlyRestartOff.ts";
import type { Host } from "../host/host.ts";
import { notifyOperator, warn } from "../log.ts";
import { createHostIdentity } from "../remote.ts";
import type { HostReading, NodeHostReader } from "./nodeReading.ts";
import type { PillarNode } from "./pillarNode.ts";

interface CutoverArgs {
  readonly host: Host;
  readonly pillar: PillarNode;
  readonly look: NodeHostReader;
  readonly last: LastRun;
  readonly timing: MoveTiming;
}

/** Registers what follows the producer address (docs/specification.md, 1.1, 13 and 14); keeps the hourly restart off. */
export function registerCutover({ host, pillar, look, last, timing }: CutoverArgs) {
  const { config, access } = host;
  let reading: Promise<HostReading> | undefined;
  const once: NodeHostReader = (at, key) => {
    reading ??= look(at, key);
    return reading;
  };
  const { address, hostKey } = access;
  const synced = pulumi.all([address, hostKey, pillar.producerAddress, pillar.gate.syncedAt]);

  new HourlyRestartOff("hourly-restart-kept-off", {
    ...createHostIdentity(access),
    found: synced.apply(async ([at, key]) => {
      const state = await (await once(at, key)).hourlyRestart;
      return state === "on" ? new Date().toISOString() : undefined;
    }),
  });
  const facts = synced.apply(async ([at, key, producerAddress]) => {
    const reading = await once(at, key);
    const registration = await readRegistration(config, last, producerAddress, reading);
    if (registration.kind === "tooEarly" || registration.kind === "foreign")
      void warn(formatRegistration(registration, config.pillar.name));
    const [node, restart] = [await reading.node, await reading.hourlyRestart];
    return {
      stack: pulumi.getStack(),
      pillar: config.pillar.name,
      lifecycle: config.lifecycle,
      node,
      waysBack: formatWaysBack(config, at, node, (await reading.setUp)?.marks.synced),
      parts: {
        registration: { value: registration },
        hourlyRestart: restart === undefined ? { problem: "not read" } : { value: restart },
      },
      run: {
        timing,
        producerAddress,
        last,
      },
    };
  });
  return {
    registration: facts.apply(({ pillar, parts }) => ({
      pillar,
      ...createRegistrationOutput(parts.registration.value),
    })),
    /** Undefined while the address is not registered, and the node not synced or the orchestrator not moved. */
    producerAddress: facts.apply(({ node, parts, run }) =>
      mayShowAddress(node, parts.registration.value, isMoveLater(timing)) ? run.producerAddress : undefined,
    ),
    /** Formats the next step, with the orchestrator as this run leaves it. */
    formatNextStep: (moved: pulumi.Output<OrchestratorOutput | undefined>): pulumi.Output<string[]> =>
      pulumi
        .all([facts, moved])
        .apply(([known, orchestrator]) => [...decideNextStep({ ...known, run: { ...known.run, orchestrator } }).lines]),
  };
}

/** Reads the registration. Except in a preview, logs its changes, and notifies the operator of them. Never throws. */
async function readRegistration(
  config: StackConfig,
  last: LastRun,
  ours: string,
  { node, agreement, closed, close }: HostReading,
): Promise<Registration> {
  const place = createStackLogRef(config);
  const { earlier, pillar: seen } = last.registration ?? {};
  const memory = await readRegistrationMemory(
    place,
    ours,
    (seen ?? place.pillar) === place.pillar ? earlier : undefined,
  );
  await closed;
  const registration = await judgeRegistration({
    ours,
    agreement: await agreement,
    memory,
    node: await node,
    now: Date.now(),
  });
  close();
  if (pulumi.runtime.isDryRun()) return registration;
  // Notifies only of changes that are new in the event log. Otherwise every run would send the notifications again.
  const log = openEventLog(place, { ...systemClock, say: (line) => void warn(line) });
  const news = await noteRegistration(log, registration, { stack: place.stack, ours, memory });
  for (const { event, message } of findRegistrationNotices(news, registration, place))
    await notifyOperator(config, event, message);
  return registration;
}
