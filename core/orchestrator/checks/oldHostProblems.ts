import { formatMove } from "../../eventLog/moveId";
import { findSshdFaults } from "../../ssh/sshdFaults";
import { commandsFor } from "../../util/commands";
import type { Problem } from "../../util/problem";
import { checkMoveHistory } from "../rules/generation";
import { parseCopyGeneration, parseGeneration } from "../rules/journal";
import { describeUnknownHistory, formatManualMoveHint } from "../rules/obstacles";
import { findMissingTools, listFailedChecks } from "./hostProblems";
import type { OldSide, Requirements } from "./moveSurvey";
import { mayStop, moveHalted, stuckHint } from "./stoppedState";

export function findOldHostProblems(side: OldSide, wanted: Requirements, newJournal: string | undefined): Problem[] {
  const run = commandsFor(wanted.stack);
  return [
    ...findMissingTools(wanted.old.address, side.facts, run),
    ...unitProblems(side, wanted),
    ...answerProblems(side, wanted),
    ...sshdProblems(side, wanted),
    ...pastProblems(side, wanted, newJournal),
    ...directoryProblems(side, wanted),
  ];
}

function unitProblems({ facts }: OldSide, wanted: Requirements): Problem[] {
  const { address, service, executable } = wanted.old;
  const run = commandsFor(wanted.stack);
  const isMissing = facts.load === "not-found" || facts.load === "";
  return listFailedChecks([
    isMissing && {
      what: `${address}: there is no service ${service}`,
      found: "no such unit",
      needed: "the orchestrator's service",
      next: `systemctl list-units --type=service on the host tells its name: ${run.set("orchestrator.migrateFrom.service", "NAME")}`,
    },
    !isMissing &&
      facts.active !== "active" && {
        what: `${address}: the orchestrator does not run (${service})`,
        found: facts.load === "masked" ? "masked" : facts.active,
        needed: "active",
        next: `On the host: systemctl start ${service}; journalctl -u ${service} -n 50. Then run ${run.up} again.`,
      },
    facts.process !== undefined && {
      what: `${address}: the process of ${service} is not called ${executable}`,
      found: facts.process || "no process",
      needed: "the name of the orchestrator's process: by that name, too, this program sees that it has ended",
      next: `On the host: systemctl status ${service} tells the process's name. Then: ${run.set("orchestrator.migrateFrom.executable", "NAME")}`,
    },
  ]);
}

function answerProblems({ build, status }: OldSide, wanted: Requirements): Problem[] {
  const { address, service } = wanted.old;
  const run = commandsFor(wanted.stack);
  const state = "value" in status ? status.value?.state : undefined;
  const mayNotStop = "value" in status && !mayStop(status.value, wanted.haltedBridge);
  return listFailedChecks([
    "problem" in build && {
      what: `${address}: the orchestrator gives no good answer to getBuildInfo on 127.0.0.1:${wanted.old.rpcPort}`,
      found: build.problem,
      needed: "version, gitCommit and goVersion",
      next: `On the host: journalctl -u ${service} -n 50. Is it another port? ${run.set("orchestrator.rpcPort", "PORT")}`,
    },
    mayNotStop && {
      what: `${address}: ${state === 1 ? "a key generation is at work" : "the orchestrator is not live"}`,
      found: `state ${state} (${status.value?.stateName})`,
      needed:
        state === 1
          ? "wait until the key generation has finished: stopping now would lose the key share"
          : "state 0 (live)",
      next: `Run ${run.up} again when the state is live.${state === 2 ? ` ${moveHalted(run)}` : ""}${state === 1 ? ` ${stuckHint}.` : ""}`,
    },
    "problem" in status &&
      "value" in build && {
        what: `${address}: the orchestrator does not say whether a key generation is at work`,
        found: status.problem,
        needed: "an answer to getStatus; a build that lacks this method is accepted",
        next: `Run ${run.up} again.`,
      },
  ]);
}

function sshdProblems({ sshd }: OldSide, wanted: Requirements): Problem[] {
  if (!sshd) return [];
  return findSshdFaults(sshd, `127.0.0.1:${wanted.old.rpcPort}`).map(({ found, needed }) => ({
    what: `${wanted.old.address}: its sshd refuses what a move asks of it`,
    found,
    needed,
    next: `Change sshd's settings there (for ${sshd.from} alone: Match Address ${sshd.from}), then: systemctl reload ssh. Then run ${commandsFor(wanted.stack).up} again.`,
  }));
}

/** Checks generations as the move itself does, but before anything is copied. */
function pastProblems({ facts }: OldSide, wanted: Requirements, newJournal: string | undefined): Problem[] {
  const { known, laterThanMove: laterThan, firstMove: isFirst, move, old } = wanted;
  if (known === undefined) return [];
  const source = parseGeneration(facts.journal);
  const highest = Math.max(source, parseGeneration(newJournal));
  const why = checkMoveHistory({ source, copied: parseCopyGeneration(newJournal, move), highest }, known, {
    laterThan,
    isFirst,
  });
  if (why === undefined) return [];
  const run = commandsFor(wanted.stack);
  if (why !== "later start") {
    const found = `generation ${highest} on a host, ${known.generation} in the event log`;
    return [{ ...describeUnknownHistory(why, run, highest), found }];
  }
  return [
    {
      what: `${old.address}: this host does not know of this orchestrator's last start`,
      found: facts.journal === undefined ? "no journal" : `generation ${source}`,
      needed: `the host that the orchestrator is on now, with generation ${known.started} (${formatMove(known.move ?? move)}). Was this one restored from a snapshot, or installed anew?`,
      next: formatManualMoveHint(run, known.started),
    },
  ];
}

function directoryProblems(side: OldSide, wanted: Requirements): Problem[] {
  const { facts } = side;
  if (facts.directory === "there") return fileProblems(side, wanted);
  const { address, directory, service } = wanted.old;
  const run = commandsFor(wanted.stack);
  const found: Record<string, string> = { none: "nothing", link: `a link to ${facts.real}`, "no directory": "a file" };
  return [
    {
      what: `${address}: ${directory} is not the orchestrator's directory`,
      found: found[facts.directory] ?? facts.directory,
      needed: "the directory itself, with producer, config.json and tss",
      next:
        facts.directory === "link"
          ? `On the host: systemctl stop ${service}; rm ${directory} && mv ${facts.real} ${directory}; systemctl start ${service}. Is it on another disk? mount --bind instead of mv. Then run ${run.up} again.`
          : run.set("orchestrator.migrateFrom.directory", facts.works ?? "DIRECTORY"),
    },
  ];
}

function fileProblems({ facts, damaged, hasKeyStore }: OldSide, wanted: Requirements): Problem[] {
  const { address, directory, service } = wanted.old;
  const run = commandsFor(wanted.stack);
  return listFailedChecks([
    ...damaged.map((file) => ({
      what: `${address}: ${directory}/${file} is not whole`,
      found: "it is missing, or no JSON",
      needed: "whole JSON (show the file to nobody: it holds secrets)",
      next: `On the host: ls -la ${directory}; journalctl -u ${service} -n 50. Then run ${run.up} again.`,
    })),
    facts.special !== undefined && {
      what: `${address}: files in ${directory} have modes that are not copied to another host`,
      found: `${facts.special} with setuid, setgid or the sticky bit, or that everybody may write`,
      needed: "take these modes away: the orchestrator needs none of them",
      next: `On the host: chmod -R ug-s,-t,o-w ${directory}. Then run ${run.up} again.`,
    },
    !hasKeyStore && {
      what: `${address}: the orchestrator's producer key store is not in ${directory}`,
      found: "none under the name that config.json tells",
      needed: "the key store by whose key the bridge knows this orchestrator",
      next: `On the host: ls -la ${directory}. Then run ${run.up} again.`,
    },
    facts.shares === 0 &&
      !wanted.noKeyShare && {
        what: `${address}: there is no key share (tss/localstate-*.json) in ${directory}`,
        found: "none",
        needed:
          "the share, or your word that this orchestrator has none: it then signs only after the next key generation",
        next: `Has it none? ${run.set("orchestrator.migrateFrom.noKeyShare", "acknowledged")}`,
      },
  ]);
}
