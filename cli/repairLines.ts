import { isOurs, type Registration } from "../core/registration/registration";
import { type Judged, judgeExits, type RepairSeen } from "../core/steps/database/judgement";
import { commandsFor } from "../core/util/commands";
import type { Part } from "./parts/part";

/** Whose node it is. */
export interface RepairPlace {
  readonly stack: string;
  readonly address: string;
  readonly pillar: string;
  readonly service: string;
  readonly dataDir: string;
}

const short = (hash: string) => hash.slice(0, 12);

function judgedText(judged: Judged): string {
  const { name } = judged;
  switch (judged.state) {
    case "sound":
      return judged.frontier
        ? `${name} is sound; its newest momentum is ${judged.frontier.height} (${short(judged.frontier.hash)})`
        : `${name} is sound`;
    case "unreadable":
      return `${name} cannot be read: ${judged.why}`;
    case "torn": {
      const { cure, frontier } = judged;
      const what = cure.kind === "undo" ? "written" : "taken back";
      return `${name} is torn: momentum ${cure.height} was being ${what} when the node was killed (${cure.differing} of the ${cure.touched} keys that it touches); its newest momentum is ${frontier.height} (${short(frontier.hash)})`;
    }
  }
}

/** What a look found (pure). */
export function foundLines({ stack, address, service }: RepairPlace, seen: RepairSeen): string[] {
  return [
    `${address}, the host of ${stack}: ${service} is ${seen.node}`,
    ...seen.judged.map((judged) => `  database: ${judgedText(judged)}`),
    ...(seen.exit === judgeExits.inUse
      ? ["  database: not judged: the node runs, or something else has it open; that takes a node that is stopped"]
      : seen.why === undefined
        ? []
        : [`  database: ${seen.why}`]),
  ];
}

/** What stands still while the node is stopped (pure). @param hasSigner whether an orchestrator on this host needs it */
export function meanwhileLines(
  { pillar }: RepairPlace,
  registration: Part<Registration>,
  hasSigner: boolean,
): readonly string[] {
  const signer = hasSigner ? ["The orchestrator on this host has no node meanwhile, and signs nothing."] : [];
  if ("why" in registration || registration.value.kind === "unknown") {
    const why = "why" in registration ? registration.why : "the nodes that were asked do not agree";
    return [
      `Whether ${pillar} is registered with this host's producer address is not known (${why}). If it is, it produces nothing while the node is stopped.`,
      ...signer,
    ];
  }
  if (!isOurs(registration.value)) return signer;
  return [
    `${pillar} is registered with this host's producer address: while the node is stopped, some minutes at most, it produces nothing and misses its slots.`,
    ...signer,
  ];
}

/** What to do about a database that no rollback makes whole (pure). */
export function unreadableLines({ stack, service, dataDir }: RepairPlace): readonly string[] {
  const aside = ["nom", "consensus"].map((name) => `mv ${dataDir}/${name} ${dataDir}/${name}.unreadable`);
  return [
    "This is not what a killed node leaves, so nothing was changed.",
    "Is the disk full or failing? journalctl -k on the host tells. Is it well, let the node sync anew, on the host as root:",
    `  systemctl stop ${service} && ${aside.join(" && ")} && systemctl start ${service}`,
    `Then: ${commandsFor(stack).up}`,
  ];
}

/** What became of a repair (pure). */
export function repairedLines(place: RepairPlace, seen: RepairSeen): string[] {
  const { stack, address, service } = place;
  const run = commandsFor(stack);
  const lines = seen.judged.map((judged) => `  database: ${judgedText(judged)}`);
  if (seen.copy !== undefined)
    lines.unshift(
      `repaired: the node takes that momentum in anew. What its keys had before is kept on ${address}, for root alone: ${seen.copy}`,
    );
  else if (seen.exit === 0) lines.unshift("nothing was to be repaired");
  else lines.unshift(`not repaired${seen.why === undefined ? "" : `: ${seen.why}`}`);
  if (seen.exit === judgeExits.unreadable) lines.push(...unreadableLines(place));
  if (seen.started === true) lines.push(`${service} runs, and answers. How far it is: ${run.status()}`);
  else if (seen.started === undefined)
    lines.push(
      `${service} was not started${seen.enabled ? "" : ": its unit is not enabled"}. Its look: ${run.status()}`,
    );
  else
    lines.push(
      `${service} was started, and does not answer yet. How it is: ${run.status()}`,
      ...seen.facts.map((fact) => `  ${fact}`),
    );
  return lines;
}
