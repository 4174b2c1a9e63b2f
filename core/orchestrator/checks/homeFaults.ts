import path from "node:path";
import { commandsFor } from "../../util/commands";
import { hasShareOf, shareFile } from "../backup/keyShare";
import { fault } from "./faultText";
import type { MoveSurvey, OldSide, Requirements } from "./findings";

/**
 * What of the old host's orchestrator would not be so on the new one: its home, its user and environment, and what
 * config.json says of places. The new one would be started after the fence, and end at once.
 */
export function homeFaults(side: OldSide, survey: MoveSurvey, wanted: Requirements): string[] {
  return [...processFaults(side, survey, wanted), ...configFaults(side, wanted), ...shareFaults(side, survey, wanted)];
}

function processFaults({ facts }: OldSide, survey: MoveSurvey, wanted: Requirements): string[] {
  const { address, service, directory } = wanted.old;
  const run = commandsFor(wanted.stack);
  const faults: string[] = [];
  if (facts.user !== undefined && facts.user !== "root")
    faults.push(
      fault(
        `${address}: the orchestrator runs as another user than root`,
        facts.user,
        "root, as on the new host: what it writes there must be readable here after a way back",
        `On the host: systemctl stop ${service}; chown -R root: ${directory}; systemctl edit ${service} (lines [Service], User=root, Group=root, Environment=HOME=${path.posix.dirname(directory)}); systemctl start ${service}. Then run ${run.up} again.`,
      ),
    );
  if (facts.directory === "there" && facts.works !== undefined && facts.works !== facts.real)
    faults.push(
      fault(
        `${address}: the orchestrator works in another directory than ${directory}`,
        `${facts.works}, the folder .orchestrator of its home`,
        directory,
        `${run.set("orchestrator.migrateFrom.directory", facts.works)}`,
      ),
    );
  const there = "value" in survey.new ? survey.new.value.facts.environment : facts.environment;
  const missing = facts.environment.filter((name) => !there.includes(name));
  if (missing.length > 0)
    faults.push(
      fault(
        `${wanted.new.address}: the orchestrator's unit lacks what the old host's has in its environment`,
        `no ${missing.join(", no ")}`,
        "the same variables, which only you may carry over: they may hold secrets",
        `On ${wanted.new.address}: install -d -m 700 /etc/systemd/system/${wanted.new.service}.service.d, and write there, into environment.conf, the lines [Service] and Environment="${missing[0]}=…". Then run ${run.up} again.`,
      ),
    );
  return faults;
}

/** The arriving side has these set to its own directory; elsewhere nothing is copied, and nothing would be found. */
function configFaults({ facts, config, damaged }: OldSide, wanted: Requirements): string[] {
  if (facts.directory !== "there" || damaged.includes("config.json")) return [];
  const { address, service, directory } = wanted.old;
  const run = commandsFor(wanted.stack);
  const at = `${directory}/config.json`;
  const isOwn = (place: string | undefined, below: string) =>
    place === undefined || [directory, facts.real].some((own) => path.posix.join(own, below) === plain(place));
  const stopFirst = (what: string) =>
    `On the host: systemctl stop ${service}; ${what}; systemctl start ${service}. Then run ${run.up} again.`;
  const faults: string[] = [];
  if (!isOwn(config.dataPath, "."))
    faults.push(
      fault(
        `${address}: the orchestrator's files lie in two places`,
        `DataPath ${config.dataPath} in ${at}`,
        `${directory}: nothing else is copied`,
        stopFirst(`move ${config.keyStore} from there to ${directory}; set DataPath to ${directory} in ${at}`),
      ),
    );
  if (!isOwn(config.tssDir, "tss"))
    faults.push(
      fault(
        `${address}: the key shares lie outside of the orchestrator's directory`,
        `TssConfig.BaseDir ${config.tssDir} in ${at}`,
        `${directory}/tss: nothing else is copied, and a signer that finds no share says nothing and signs nothing`,
        stopFirst(
          `move what lies in ${config.tssDir} to ${directory}/tss; set BaseDir in TssConfig to ${directory}/tss`,
        ),
      ),
    );
  if (!/^[A-Za-z0-9_][A-Za-z0-9._-]*$/.test(config.keyStore))
    faults.push(
      fault(
        `${address}: the producer's key store can't be fenced under its name`,
        `ProducerKeyFileName ${JSON.stringify(config.keyStore)} in ${at}`,
        `a plain name of a file in ${directory}`,
        stopFirst(`give the file a plain name, such as producer, in ${directory}, and set ProducerKeyFileName to it`),
      ),
    );
  if (!config.hasPassphrase && !facts.environment.some((name) => /pass/i.test(name)))
    faults.push(
      fault(
        `${address}: the pass phrase of the producer's key store is not in ${at}`,
        "no ProducerKeyFilePassphrase",
        "it there, or in the unit's environment: nobody types it on the new host",
        `On the host: set it in that file (chmod 600), then systemctl restart ${service}. Then run ${run.up} again.`,
      ),
    );
  return faults;
}

/** A share of another key signs nothing, and may be of a restored snapshot. Where the chain's key is not told, config.json decides. */
function shareFaults({ facts, config, damaged, shares }: OldSide, { bridge }: MoveSurvey, wanted: Requirements) {
  if (facts.shares === 0 || wanted.noKeyShare || damaged.includes("config.json")) return [];
  if (config.hasShare && (!bridge.known || hasShareOf(bridge.key, shares))) return [];
  const { set } = commandsFor(wanted.stack);
  const empty = config.hasShare ? "" : `an empty TssConfig.PublicKey in ${wanted.old.directory}/config.json, and `;
  const needed = bridge.known ? `${shareFile(bridge.key)}, of the key ${bridge.key} that the chain names` : "the share";
  return [
    fault(
      `${wanted.old.address}: the orchestrator has no share of the bridge's present key, and signs nothing`,
      `${empty}${shares.join(", ")}`,
      `${needed}: bring the host whose orchestrator took part in the last key generation, or wait for the next one`,
      `Is this signer to move without a share? ${set("orchestrator.migrateFrom.noKeyShare", "acknowledged")}`,
    ),
  ];
}

function plain(place: string): string {
  return path.posix.normalize(place).replace(/(?<=.)\/$/, "");
}
