import { moveText } from "../../eventLog/moveId";
import { sshdFaults } from "../../ssh/sshdFaults";
import { commandsFor } from "../../util/commands";
import { unknownPast } from "../rules/generation";
import { copiedIn, generationIn } from "../rules/journal";
import { broughtByHand, unknownPastText } from "../rules/moveMessages";
import { fault, lacking } from "./faultText";
import type { OldSide, Requirements } from "./findings";
import { mayStop, moveHalted, stuckHint } from "./stoppedState";

/** What stands against a move on the old host. */
export function oldFaults(side: OldSide, wanted: Requirements, newJournal: string | undefined): string[] {
  const { facts, build, status } = side;
  const { address, service, executable } = wanted.old;
  const at = (what: string) => `${address}: ${what}`;
  const run = commandsFor(wanted.stack);
  const faults = lacking(address, facts, run);
  if (facts.load === "not-found" || facts.load === "")
    faults.push(
      fault(
        at(`there is no service ${service}`),
        "no such unit",
        "the orchestrator's",
        `systemctl list-units --type=service on the host tells its name: ${run.set("orchestrator.migrateFrom.service", "NAME")}`,
      ),
    );
  else if (facts.active !== "active")
    faults.push(
      fault(
        at(`the orchestrator does not run (${service})`),
        facts.load === "masked" ? "masked" : facts.active,
        "active",
        `On the host: systemctl start ${service}; journalctl -u ${service} -n 50. Then run ${run.up} again.`,
      ),
    );
  if (facts.process !== undefined)
    faults.push(
      fault(
        at(`the process of ${service} is not called ${executable}`),
        facts.process || "no process",
        "its name: that the signer has ended is seen by it, too",
        `On the host: systemctl status ${service} tells its name. Then: ${run.set("orchestrator.migrateFrom.executable", "NAME")}`,
      ),
    );
  if ("problem" in build)
    faults.push(
      fault(
        at(`the orchestrator gives no good answer to getBuildInfo on 127.0.0.1:${wanted.rpcPort}`),
        build.problem,
        "version, gitCommit and goVersion",
        `On the host: journalctl -u ${service} -n 50. Is it another port? ${run.set("orchestrator.rpcPort", "PORT")}`,
      ),
    );
  const state = "value" in status ? status.value?.state : undefined;
  if ("value" in status && !mayStop(status.value, wanted.haltedBridge))
    faults.push(
      fault(
        at(state === 1 ? "a key generation is at work" : "the orchestrator is not live"),
        `state ${state} (${status.value?.stateName})`,
        state === 1 ? "its end: stopping now would lose the key share" : "state 0 (live)",
        `Run ${run.up} again when it is live.${state === 2 ? ` ${moveHalted(run)}` : ""}${state === 1 ? ` ${stuckHint}.` : ""}`,
      ),
    );
  else if ("problem" in status && "value" in build)
    faults.push(
      fault(
        at("the orchestrator does not say whether a key generation is at work"),
        status.problem,
        "an answer to getStatus, or that the build has no such method",
        `Run ${run.up} again.`,
      ),
    );
  const { sshd } = side;
  for (const { found, needed } of sshd ? sshdFaults(sshd, `127.0.0.1:${wanted.rpcPort}`) : [])
    faults.push(
      fault(
        at("its sshd refuses what a move asks of it"),
        found,
        needed,
        `Change it there (for ${sshd?.from} alone: Match Address ${sshd?.from}), then: systemctl reload ssh. Then run ${run.up} again.`,
      ),
    );
  return [...faults, ...pastFaults(side, wanted, newJournal), ...directoryFaults(side, wanted)];
}

/** As the move itself would refuse: before anything was copied. */
function pastFaults({ facts }: OldSide, wanted: Requirements, newJournal: string | undefined): string[] {
  const { known, laterThanMove: laterThan, firstMove: isFirst, move, old } = wanted;
  if (known === undefined) return [];
  const source = generationIn(facts.journal);
  const highest = Math.max(source, generationIn(newJournal));
  const why = unknownPast({ source, copied: copiedIn(newJournal, move), highest }, known, { laterThan, isFirst });
  if (why === undefined) return [];
  const run = commandsFor(wanted.stack);
  if (why !== "later start") {
    const [what = "", needed = "", next = ""] = unknownPastText(why, run, highest);
    return [fault(what, `generation ${highest} on a host, ${known.generation} in the record`, needed, next)];
  }
  return [
    fault(
      `${old.address}: this host has not heard of the last start of this signer`,
      facts.journal === undefined ? "no journal" : `generation ${source}`,
      `generation ${known.started}, ${moveText(known.move ?? move)}: the host that the signer is on now. Was this one restored from a snapshot, or installed anew?`,
      broughtByHand(run, known.started),
    ),
  ];
}

function directoryFaults({ facts, damaged, hasKeyStore }: OldSide, wanted: Requirements): string[] {
  const { address, directory } = wanted.old;
  const run = commandsFor(wanted.stack);
  const found: Record<string, string> = { none: "nothing", link: `a link to ${facts.real}`, "no directory": "a file" };
  if (facts.directory !== "there") {
    const { service } = wanted.old;
    const next =
      facts.directory === "link"
        ? `On the host: systemctl stop ${service}; rm ${directory} && mv ${facts.real} ${directory}; systemctl start ${service}. Is it on another disk? mount --bind instead of mv. Then run ${run.up} again.`
        : `${run.set("orchestrator.migrateFrom.directory", facts.works ?? "DIRECTORY")}`;
    return [
      fault(
        `${address}: ${directory} is not the orchestrator's directory`,
        found[facts.directory] ?? facts.directory,
        "the directory itself, with producer, config.json and tss",
        next,
      ),
    ];
  }
  const faults = damaged.map((file) =>
    fault(
      `${address}: ${directory}/${file} is not whole`,
      "it is missing, or no JSON",
      "whole JSON (it may be read by nobody but you)",
      `On the host: ls -la ${directory}; journalctl -u ${wanted.old.service} -n 50. Then run ${run.up} again.`,
    ),
  );
  if (facts.special !== undefined)
    faults.push(
      fault(
        `${address}: files in ${directory} have modes that are not copied to another host`,
        `${facts.special} with setuid, setgid or the sticky bit, or that everybody may write`,
        "take these modes away: the orchestrator needs none of them",
        `On the host: chmod -R ug-s,-t,o-w ${directory}. Then run ${run.up} again.`,
      ),
    );
  if (!hasKeyStore)
    faults.push(
      fault(
        `${address}: the orchestrator's producer key store is not in ${directory}`,
        "none under the name that config.json tells",
        "the key store that makes this signer what it is",
        `On the host: ls -la ${directory}. Then run ${run.up} again.`,
      ),
    );
  if (facts.shares === 0 && !wanted.noKeyShare)
    faults.push(
      fault(
        `${address}: there is no key share (tss/localstate-*.json) in ${directory}`,
        "none",
        "the share, or your word that this signer has none: it then takes part again after the next key generation",
        `Where it is so: ${run.set("orchestrator.migrateFrom.noKeyShare", "acknowledged")}`,
      ),
    );
  return faults;
}
