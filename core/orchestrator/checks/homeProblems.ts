import path from "node:path";
import { commandsFor } from "../../util/commands";
import type { Problem } from "../../util/problem";
import { formatShareFile, hasShareForKey } from "../backup/keyShare";
import { listFailedChecks } from "./hostProblems";
import type { MoveSurvey, OldSide, Requirements } from "./moveSurvey";

/** Finds what would make the orchestrator fail on the new host, when the old host is already fenced. */
export function findHomeProblems(side: OldSide, survey: MoveSurvey, wanted: Requirements): Problem[] {
  return [
    ...processProblems(side, survey, wanted),
    ...configProblems(side, wanted),
    ...shareProblems(side, survey, wanted),
  ];
}

function processProblems({ facts }: OldSide, survey: MoveSurvey, wanted: Requirements): Problem[] {
  const { address, service, directory } = wanted.old;
  const { address: newAddress, service: newService } = wanted.new;
  const run = commandsFor(wanted.stack);
  const newEnvironment = "value" in survey.new ? survey.new.value.facts.environment : facts.environment;
  const missing = facts.environment.filter((name) => !newEnvironment.includes(name));
  return listFailedChecks([
    facts.user !== undefined &&
      facts.user !== "root" && {
        what: `${address}: the orchestrator runs as another user than root`,
        found: facts.user,
        needed:
          "root, as on the new host: after a rollback, the orchestrator here must read files that root wrote there",
        next: `On the host: systemctl stop ${service}; chown -R root: ${directory}; systemctl edit ${service} (lines [Service], User=root, Group=root, Environment=HOME=${path.posix.dirname(directory)}); systemctl start ${service}. Then run ${run.up} again.`,
      },
    facts.directory === "there" &&
      facts.works !== undefined &&
      facts.works !== facts.real && {
        what: `${address}: the orchestrator works in another directory than ${directory}`,
        found: `${facts.works}, the folder .orchestrator of its home`,
        needed: directory,
        next: run.set("orchestrator.migrateFrom.directory", facts.works),
      },
    missing.length > 0 && {
      what: `${newAddress}: the orchestrator's unit lacks environment variables of the old host's unit`,
      found: `no ${missing.join(", no ")}`,
      needed: "the same variables. Copy them yourself: this program does not copy them, because they may hold secrets",
      next: `On ${newAddress}: install -d -m 700 /etc/systemd/system/${newService}.service.d, and write there, into environment.conf, the lines [Service] and Environment="${missing[0]}=…". Then run ${run.up} again.`,
    },
  ]);
}

/** Checks paths, key store name and pass phrase in config.json: a move copies the orchestrator's directory only. */
function configProblems({ facts, config, damaged }: OldSide, wanted: Requirements): Problem[] {
  if (facts.directory !== "there" || damaged.includes("config.json")) return [];
  const { address, service, directory } = wanted.old;
  const run = commandsFor(wanted.stack);
  const file = `${directory}/config.json`;
  const isBelow = (place: string | undefined, below: string) =>
    place === undefined || [directory, facts.real].some((own) => path.posix.join(own, below) === normalize(place));
  const stopFirst = (what: string) =>
    `On the host: systemctl stop ${service}; ${what}; systemctl start ${service}. Then run ${run.up} again.`;
  return listFailedChecks([
    !isBelow(config.dataPath, ".") && {
      what: `${address}: the orchestrator's files lie in two places`,
      found: `DataPath ${config.dataPath} in ${file}`,
      needed: `${directory}: nothing else is copied`,
      next: stopFirst(`move ${config.keyStore} from there to ${directory}; set DataPath to ${directory} in ${file}`),
    },
    !isBelow(config.tssDir, "tss") && {
      what: `${address}: the key shares lie outside of the orchestrator's directory`,
      found: `TssConfig.BaseDir ${config.tssDir} in ${file}`,
      needed: `${directory}/tss: only ${directory} is copied, and an orchestrator that finds no share says nothing and signs nothing`,
      next: stopFirst(
        `move what lies in ${config.tssDir} to ${directory}/tss; set BaseDir in TssConfig to ${directory}/tss`,
      ),
    },
    !/^[A-Za-z0-9_][A-Za-z0-9._-]*$/.test(config.keyStore) && {
      what: `${address}: the producer's key store can't be fenced under its name`,
      found: `ProducerKeyFileName ${JSON.stringify(config.keyStore)} in ${file}`,
      needed: `a name of letters, digits, _ . and -, of a file in ${directory}`,
      next: stopFirst(
        `give the file such a name in ${directory}, for example producer, and set ProducerKeyFileName to it`,
      ),
    },
    !config.hasPassphrase &&
      !facts.environment.some((name) => /pass/i.test(name)) && {
        what: `${address}: the pass phrase of the producer's key store is not in ${file}`,
        found: "no ProducerKeyFilePassphrase",
        needed: "the pass phrase in that file or in the unit's environment, because nobody can type it on the new host",
        next: `On the host: set it in that file (chmod 600), then systemctl restart ${service}. Then run ${run.up} again.`,
      },
  ]);
}

/** Checks for a share of the bridge's key: others sign nothing. If the chain's key is unknown, config.json decides. */
function shareProblems({ facts, config, damaged, shares }: OldSide, { bridge }: MoveSurvey, wanted: Requirements) {
  if (facts.shares === 0 || wanted.noKeyShare || damaged.includes("config.json")) return [];
  if (config.hasShare && (!bridge.known || hasShareForKey(bridge.key, shares))) return [];
  const { set } = commandsFor(wanted.stack);
  const empty = config.hasShare ? "" : `an empty TssConfig.PublicKey in ${wanted.old.directory}/config.json, and `;
  const share = bridge.known
    ? `${formatShareFile(bridge.key)}, of the key ${bridge.key} that the chain names`
    : "the share";
  return [
    {
      what: `${wanted.old.address}: the orchestrator has no share of the bridge's present key, and signs nothing`,
      found: `${empty}${shares.join(", ")}`,
      needed: `${share}. Set pillar-host:orchestrator.migrateFrom to the host whose orchestrator took part in the last key generation, or wait for the next key generation`,
      next: `Is this orchestrator to move without a share? ${set("orchestrator.migrateFrom.noKeyShare", "acknowledged")}`,
    },
  ];
}

function normalize(place: string): string {
  return path.posix.normalize(place).replace(/(?<=.)\/$/, "");
}
