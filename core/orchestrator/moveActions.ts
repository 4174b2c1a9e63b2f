import { isIP } from "node:net";
import type { OrchestratorStatus } from "../chain/orchestrator";
import type { Backup } from "../eventLog/events";
import { base64, jsonWords, own } from "../ssh/foreign";
import type { CallError } from "../ssh/root";
import { allEnded } from "../util/allEnded";
import { commandsFor } from "../util/commands";
import { takeBackup } from "./backup";
import { placed } from "./backupPlace";
import { createCopier, stagingOf } from "./copyKey";
import type { MoveStep } from "./decide";
import type { HostPair } from "./hostPair";
import { type Saga, type SideName, sidesOf } from "./journal";
import { movedConfig } from "./movedConfig";
import type { MoveInputs } from "./moveInputs";
import { createProvedCopy } from "./provedCopy";
import type { SagaActions } from "./saga";
import type { Looks } from "./sagaLooks";
import { bridgeShown } from "./shown";
import { waitForSignings } from "./signings";
import { bridgeHinders, notLive, stoppedFault } from "./stoppedState";
import { clientOf, type Verified, type VerifyDeps, verify } from "./verify";

/** What was seen on the way, for outputs and record. */
export interface MoveObservations {
  verified?: Verified;
  lastBackup?: Backup;
  /** Number of the move whose target was started. */
  generation?: number | undefined;
  /** Clock milliseconds. */
  stoppedAt?: number;
  startedAt?: number;
}

export interface MoveActions extends Omit<SagaActions, "record"> {
  readonly seen: MoveObservations;
  /** Takes away what this run, or a killed one, left of the copy's right. */
  end(saga: Saga, looks: Looks): Promise<void>;
}

/** What a move depends on. */
export interface MoveDeps extends VerifyDeps {
  /** Whether somebody watches this run (core/util/unattended.ts). */
  readonly isWatched: boolean;
}

/** Milliseconds for which a host does not trust the hash of a file that changed (orchestrator/manifest.sh). */
const young = 3100;

/** Exit code of signer_read (orchestrator/archive.sh). */
const noSuchFile = 66;

export function createMoveActions(
  inputs: MoveInputs,
  sides: HostPair,
  wanted: Saga,
  deps: MoveDeps,
  isWanted: () => boolean,
): MoveActions {
  const seen: MoveObservations = {};
  const copier = createCopier(inputs, sides, deps.say);
  const copy = createProvedCopy(inputs, sides, copier, deps.say);
  let identity: Readonly<Record<string, string>> | undefined;
  let stoppedConfig: string | undefined;
  /** What the source's machine is called; asked while the signer still signs. */
  const names = new Map<SideName, string[]>();

  const askStatus = async (side: SideName): Promise<OrchestratorStatus | undefined> => {
    const client = clientOf(inputs, sides, side, deps);
    const status = await client.status();
    const why = notLive(side, status, inputs);
    if (why !== undefined) throw new Error(why);
    const who = await client.identity();
    if (who) identity = { producer: who.producer, tssPeerId: who.tssPeerId, evmAddress: who.evmAddress };
    return status;
  };

  const askNode = async (): Promise<void> => {
    const node = await deps.lookAtNode();
    if (node.synced) return;
    throw new Error(
      [
        `the node of the new side (${sides.roots.new.address}) is not synced now: the orchestrator there would wait for it`,
        `  found: ${node.why}`,
        "  needed: a synced node, asked again right before the old side stops",
      ].join("\n"),
    );
  };

  /** Of the chain, since the orchestrator's own word may be older than a halt; and of it after what takes its time. */
  const askBridge = async (side: SideName): Promise<void> => {
    const bridge = await deps.lookAtBridge();
    const hindrance = bridgeHinders(bridge, inputs.haltedBridge, commandsFor(inputs.stack));
    if (hindrance === undefined) {
      for (const line of bridgeShown(bridge)) deps.say(line);
      return;
    }
    const { what, found, needed, next } = hindrance;
    throw new Error(
      [
        `${what}: the orchestrator of the ${side} side (${sides.roots[side].address}) is not stopped`,
        `  found: ${found}`,
        `  needed: ${needed}`,
        `  ${next}`,
      ].join("\n"),
    );
  };

  /** The pass phrase is in it: it stays in here. */
  const configOf = (side: SideName, saga: Saga, directory: string): Promise<string | undefined> =>
    sides.call(side, "signer_read", saga, own({ file: `${directory}/config.json` })).catch((error: CallError) => {
      if (error.exitCode !== noSuchFile) throw error;
      return undefined;
    });

  const addressesOf = async (side: SideName, saga: Saga, looks: Looks): Promise<string[]> => {
    const known = names.get(side);
    if (known || looks[side] === "outOfSight") return known ?? [];
    const found = (await sides.call(side, "signer_addresses", saga)).split(/\s+/).filter((each) => isIP(each) !== 0);
    names.set(side, found);
    return found;
  };

  const perform = async (step: MoveStep, saga: Saga, looks: Looks): Promise<Looks> => {
    const { source, target } = sidesOf(saga);
    const name = (side: SideName) => `the ${side} side (${sides.roots[side].address})`;
    switch (step) {
      case "bulk": {
        deps.say(`bulk copy to ${name(target)}: ${name(source)} holds the key and signs on`);
        if (saga.direction === "forward") await askStatus(source);
        const known = identity ? { identity: jsonWords(identity) } : undefined;
        const after = await sides.step(target, "signer_staging", saga, looks, known);
        if (saga.direction === "back")
          await sides.call(target, "signer_copy_local", saga, own({ receive_into: stagingOf(inputs, saga) }), {
            limitSeconds: 3600,
          });
        await copier.run(saga, after, { progress: true });
        // Both sides hash what is there now, so that after the stop only what changed is hashed, and written to the disk.
        await allEnded([deps.sleep(young), copy.flush(saga), addressesOf(source, saga, after)]);
        await copy.list(saga, after);
        return after;
      }
      case "stop": {
        if (saga.direction === "forward" && looks[source] !== "outOfSight" && looks[source].active)
          await waitForSignings(() => askStatus(source), deps)
            .then(askNode)
            .then(() => askBridge(source));
        deps.say(`stopping ${name(source)}, which still holds the key`);
        seen.stoppedAt = deps.now();
        copy.forget();
        const stopped = await sides.step(source, "signer_stop", saga, looks, {}, { limitSeconds: 240 });
        stoppedConfig = await configOf(source, saga, inputs[source].directory);
        const fault = stoppedFault(stoppedConfig, saga, inputs);
        if (fault !== undefined) throw new Error(fault);
        return stopped;
      }
      case "backup": {
        // Both only read the source: done at once, since nobody signs now. What arrived is compared while it is fenced.
        const place = { base: inputs[source].directory, paths: ["config.json", "tss"] };
        const what = { label: "last", place, changing: [], isJson: (path: string) => path.endsWith(".json") };
        const [backup] = await allEnded([
          takeBackup(sides.roots[source], what, placed(inputs.backup), deps),
          copy.make(saga, looks),
        ]);
        seen.lastBackup = backup;
        return looks;
      }
      case "fence":
        deps.say(`fencing ${name(source)}: stopped, masked, its key store moved aside`);
        return sides.step(source, "signer_fence", saga, looks);
      case "copy":
      case "arrive": {
        if (step === "copy") {
          const staged = copy.isMade() ? looks : await sides.step(target, "signer_staging", saga, looks);
          await copy.prove(saga, staged);
        }
        const addresses = [
          sides.roots[source].address,
          inputs.copy.address,
          ...(await addressesOf(source, saga, looks)),
        ];
        // The config that this run read at the stop was copied and compared.
        const text = stoppedConfig ?? (await configOf(target, saga, stagingOf(inputs, saga)));
        if (text === undefined) return sides.step(target, "signer_arrive", saga, looks, own({ config: "" }));
        const { config, changed } = movedConfig(text, inputs[target].directory, addresses);
        for (const each of changed)
          deps.say(
            `${target} side: config.json: node address ${each} becomes ${each.replace(/^(\[.*\]|[^:]*)/, "127.0.0.1")}`,
          );
        const placed = base64(config);
        return sides.step(target, "signer_arrive", saga, looks, { config: placed }, { secrets: [placed] });
      }
      case "start": {
        deps.say(`starting ${name(target)}: from here on it holds the key and may sign; ${name(source)} is fenced`);
        seen.startedAt = deps.now();
        seen.generation = saga.generation;
        const started = await sides.step(target, "signer_start", saga, looks);
        const journal = started[target] === "outOfSight" ? undefined : started[target].journal;
        seen.verified = await verify(
          inputs,
          sides,
          target,
          saga,
          identity ?? journal?.identity ?? null,
          seen.startedAt,
          deps,
        );
        return sides.step(target, "signer_settle", saga, started, own({ stage: "running" }));
      }
      case "close":
        return sides.step(source, "signer_settle", saga, looks, own({ stage: "moved" }));
      case "seal":
        deps.say(`going back: making sure that nothing starts on ${name(target)}`);
        return sides.step(target, "signer_seal", saga, looks, {}, { limitSeconds: 240 });
      case "restore": {
        deps.say(`going back: starting ${name(source)}, which holds the key`);
        const startedAt = deps.now();
        const started = await sides.step(source, "signer_restore", saga, looks);
        await verify(inputs, sides, source, saga, identity ?? null, startedAt, deps);
        return sides.step(source, "signer_settle", saga, started, own({ stage: "restored" }));
      }
    }
  };

  return {
    seen,
    look: () => sides.look(wanted),
    perform,
    say: deps.say,
    isWanted,
    isWatched: () => deps.isWatched,
    end: async (saga, looks) => {
      for (const line of await copier.end(saga, looks)) deps.say(line);
    },
  };
}
