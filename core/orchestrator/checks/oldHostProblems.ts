import path from "node:path";
import { formatMove } from "../../eventLog/moveId.ts";
import { formatShareFile, hasShareForKey } from "../../host/shareFileName.ts";
import type { Problem } from "../../util/problem.ts";
import { takeValue } from "../../util/result.ts";
import { checkMoveHistory } from "../rules/generation.ts";
import type { Journal } from "../rules/journal.ts";
import { describeUnknownHistory, formatManualMoveHint } from "../rules/obstacles.ts";
import { checkStatus } from "./stoppedState.ts";
import type { MoveSurvey, OldHost, Requirements } from "./survey.ts";

/** Finds on the old host what would stop a move, or make the orchestrator fail on the new host after the fence. */
export function findOldHostProblems(host: OldHost, survey: MoveSurvey, wanted: Requirements) {
  return [
    ...processProblems(host, wanted),
    ...answerProblems(host, wanted),
    historyProblem(host, wanted, takeValue(survey.new)?.facts.journal),
    ...(host.facts.directory === "there" ? fileProblems(host, survey, wanted) : []),
  ];
}

function processProblems({ facts }: OldHost, { old, run }: Requirements) {
  const { address, service, directory, executable } = old;
  const kinds: Readonly<Record<string, string>> = { link: `a link to ${facts.real}`, none: "nothing" };
  const isElsewhere = facts.works !== undefined && facts.works !== facts.real;
  return [
    facts.unit.active !== "active" && {
      what: `${address}: the orchestrator does not run (${service})`,
      found: `${facts.unit.load || "not-found"}, ${facts.unit.active}`,
      needed: "start the service, or name the one that runs the orchestrator",
      next: [
        `On the host: systemctl start ${service}; journalctl -u ${service} -n 50`,
        `Is it another service? ${run.set("oldHost.orchestrator.service", "NAME")}`,
      ],
    },
    facts.process !== undefined && {
      what: `${address}: the process of ${service} is not called ${executable}`,
      found: facts.process || "no process",
      needed: "name the process: by its name, too, this program sees that it has ended",
      next: run.set("oldHost.orchestrator.executable", facts.process || "NAME"),
    },
    facts.user !== undefined &&
      facts.user !== "root" && {
        what: `${address}: the orchestrator runs as another user than root`,
        found: facts.user,
        needed: "root: after a rollback, the orchestrator here must read files that root wrote",
        next: `On the host: systemctl stop ${service}; chown -R root: ${directory}; systemctl edit ${service} (lines [Service], User=root, Group=root, Environment=HOME=${path.posix.dirname(directory)}); systemctl start ${service}`,
      },
    (facts.directory !== "there" || isElsewhere) && {
      what: `${address}: ${directory} is not the orchestrator's directory`,
      found: [
        facts.directory !== "there" && (kinds[facts.directory] ?? "a file"),
        isElsewhere && `the orchestrator works in ${facts.works}`,
      ],
      needed: "the directory itself, no link to it",
      next:
        facts.directory === "link"
          ? `On the host: systemctl stop ${service}; rm ${directory} && mv ${facts.real} ${directory}; systemctl start ${service}`
          : run.set("oldHost.orchestrator.directory", facts.works ?? "DIRECTORY"),
    },
  ];
}

function answerProblems({ build, status }: OldHost, { old, run, haltedBridge }: Requirements) {
  const silent = [build, status].find((answer) => "problem" in answer);
  // The host's sshd, and not the orchestrator, gives no answer: the text names the cure.
  if (silent !== undefined && "problem" in silent && silent.kind === "forbidden") return [{ what: silent.problem }];
  const state = "value" in status ? checkStatus(status.value, haltedBridge) : undefined;
  return [
    silent !== undefined && {
      what: `${old.address}: the orchestrator gives no good answer on 127.0.0.1:${old.rpcPort}`,
      found: "problem" in silent && silent.problem,
      needed: "answers to getBuildInfo and getStatus; a build that lacks getStatus is accepted",
      next: [
        `On the host: journalctl -u ${old.service} -n 50`,
        `Is it another port? ${run.set("orchestrator.rpcPort", "PORT")}`,
      ],
    },
    state && { ...state, what: `${old.address}: ${state.what}` },
  ];
}

/** Checks generations as the move itself does, but before anything is copied. */
function historyProblem({ facts }: OldHost, wanted: Requirements, fresh: Journal | undefined): Problem | undefined {
  const { known, laterThanMove: laterThan, firstMove: isFirst, move, old, run } = wanted;
  const look = (journal: Journal | undefined) => ({ journal, active: false, masked: false });
  const states = { old: look(facts.journal), new: look(fresh) };
  const why = checkMoveHistory({ move, direction: "forward", known, laterThan, isFirst }, states);
  if (why === undefined) return undefined;
  const { generation: source = 0 } = facts.journal ?? {};
  const highest = Math.max(source, fresh?.generation ?? 0);
  if (why !== "later start") {
    const found = `generation ${highest} on a host, ${known.generation} in the event log`;
    return { ...describeUnknownHistory(why, run, highest), found };
  }
  return {
    what: `${old.address}: this host does not know of this orchestrator's last start`,
    found: facts.journal === undefined ? "no journal" : `generation ${source}`,
    needed: `the host that the orchestrator is on now, with generation ${known.started} (${formatMove(known.move ?? move)}). Was this one restored from a snapshot, or installed anew?`,
    next: formatManualMoveHint(run, known.started),
  };
}

function fileProblems(host: OldHost, survey: MoveSurvey, { old, noKeyShare }: Requirements) {
  const { facts, config, hasConfig } = host;
  const { address, service, directory } = old;
  const strayed = hasConfig ? listStrayedPlaces(host, directory) : [];
  const shareFault = noKeyShare.isGiven ? undefined : describeShareFault(host, survey);
  const isTyped = hasConfig && !config.hasPassphrase;
  return [
    !(hasConfig && host.hasKeyStore) && {
      what: `${address}: files in ${directory} are missing or damaged`,
      found: [
        !hasConfig && "config.json: missing, or not whole JSON",
        !host.hasKeyStore && `no producer key store ${config.keyStore}`,
      ],
      needed: "the orchestrator's own files, whole (show them to nobody: they hold secrets)",
      next: `On the host: ls -la ${directory}; journalctl -u ${service} -n 50`,
    },
    facts.special > 0 && {
      what: `${address}: files in ${directory} have modes that are not copied to another host`,
      found: `${facts.special} with setuid, setgid or the sticky bit, or that everybody may write`,
      needed: "take these modes away: the orchestrator needs none of them",
      next: `On the host: chmod -R ug-s,-t,o-w ${directory}`,
    },
    shareFault !== undefined && {
      what: `${address}: the orchestrator has no share of the bridge's present key, and signs nothing`,
      ...shareFault,
      next: `Is this orchestrator to move without a share? ${noKeyShare.command}`,
    },
    strayed.length > 0 && {
      what: `${address}: config.json names places outside of ${directory}, and only that directory is copied`,
      found: strayed,
      needed: `DataPath ${directory}, BaseDir ${directory}/tss, and a plain file name for ProducerKeyFileName`,
      next: `On the host: systemctl stop ${service}; move what lies at these places there, and mend ${directory}/config.json; systemctl start ${service}`,
    },
    isTyped && {
      what: `${address}: the pass phrase of the producer's key store is not in ${directory}/config.json`,
      found: "no ProducerKeyFilePassphrase",
      needed: "the pass phrase in that file, because nobody can type it on the new host",
      next: `On the host: systemctl stop ${service}; set it in that file (chmod 600); systemctl start ${service}`,
    },
  ];
}

/** Lists what config.json names outside of the directory, or the fence can't rename: a move copies the directory only. */
function listStrayedPlaces({ facts, config }: OldHost, directory: string): string[] {
  const normalize = (place: string) => path.posix.join(place, "/");
  const isBelow = (place: string | undefined, below: string) =>
    place === undefined || [directory, facts.real].some((own) => normalize(`${own}/${below}`) === normalize(place));
  const { dataPath, tssDir, keyStore } = config;
  const isPlainName = /^[A-Za-z0-9_][A-Za-z0-9._-]*$/.test(keyStore);
  return [
    !isBelow(dataPath, ".") && `DataPath ${dataPath}`,
    !isBelow(tssDir, "tss") && `TssConfig.BaseDir ${tssDir}`,
    !isPlainName && `ProducerKeyFileName ${JSON.stringify(keyStore)}`,
  ].filter((line) => line !== false);
}

/** Checks for a share of the bridge's key: others sign nothing. If the chain's key is unknown, config.json decides. */
function describeShareFault({ facts, config, hasConfig }: OldHost, { bridge }: MoveSurvey) {
  const loadsShare = !hasConfig || config.hasShare;
  const isPresent = !bridge.known || hasShareForKey(bridge.key, facts.shares);
  if (facts.shares.length > 0 && loadsShare && isPresent) return undefined;
  const share = bridge.known
    ? `${formatShareFile(bridge.key)}, of the key ${bridge.key} that the chain names`
    : "the share";
  return {
    found: [facts.shares.join(", ") || "no tss/localstate-*.json", !config.hasShare && "an empty TssConfig.PublicKey"],
    needed: `${share}. Set pillar-host:oldHost to the host whose orchestrator took part in the last key generation, or wait for the next one`,
  };
}
