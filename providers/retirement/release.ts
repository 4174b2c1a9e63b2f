import { addToJourney, type JourneyDetails, type JourneyEvent, lastEvent, readJourney } from "../journey";
import { type BackupOf, takeBackup } from "../signer/backup";
import { openRoot, type RootHost } from "../signer/root";
import { placeOf } from "../signer/secure";
import type { RetirementFacts } from "./facts";
import { type HostFacts, type HostPlaces, lookAtHost, placeVariables } from "./host";
import type { GuardMemory, RetirementInputs } from "./inputs";
import { powerOff, powerState } from "./power";
import { type SurveyWorld, surveyRetirement } from "./survey";
import { overrideSentence, overrideVariable, refusalText } from "./words";

/** The world, as a release sees it. */
export interface ReleaseWorld extends SurveyWorld {
  /** What the operator typed to go on in spite of all. */
  readonly override: string | undefined;
}

const patience = 30_000;
/** The other guard of this stack looked at everything so shortly before; milliseconds. */
const sameDestroy = 24 * 3_600_000;

/** What is written down, and where. */
interface Book {
  readonly directory: string;
  write<E extends JourneyEvent>(event: E, details: JourneyDetails[E]): void;
}

/**
 * Lets a host go, or refuses: the one place that destruction passes through (design.md). Asks host, successor and chain
 * with live calls; takes a last backup; stops the node so that it stays off. Safe to be killed and run again anywhere.
 *
 * @throws Error with every condition that is not met, and what to type
 */
export async function release(inputs: RetirementInputs, memory: GuardMemory, world: ReleaseWorld): Promise<void> {
  const book = bookOf(inputs, world);
  const { server, stack } = inputs;
  if (server && (await powerState(server, world)) === "gone") {
    world.say(`retirement: server ${server.id} is not at ${server.provider} any more: nothing is left to guard`);
    return;
  }
  const before = lastEvent(readJourney(book.directory), stack, "released");
  if (before && before.details.serverId === server?.id && world.now() - Date.parse(before.at) < sameDestroy) {
    // The other guard let it go and shut it down: the chain alone may have changed since.
    await permit(inputs, memory, { released: before.at }, book, world);
    return;
  }
  const root = openRoot(inputs.host, inputs.library);
  try {
    world.say(`retirement: looking at ${inputs.host.ssh.address}, its successor and the chain`);
    const seen: RetirementFacts["host"] = await lookAtHost(root, inputs.places, patience, world);
    const { host, evidence } = await permit(inputs, memory, seen, book, world);
    if ("facts" in host) await shutDown(root, inputs, host.facts, book, world);
    book.write("released", { evidence, ...(server ? { serverId: server.id } : {}) });
    if ("facts" in host && inputs.afterwards === "poweroff") await root.call("retire_poweroff", {});
  } finally {
    root.close();
  }
}

/** The verdict, with a host that does not answer switched off first; the operator's sentence stands above it. */
async function permit(
  inputs: RetirementInputs,
  memory: GuardMemory,
  seen: RetirementFacts["host"],
  book: Book,
  world: ReleaseWorld,
): Promise<{ host: RetirementFacts["host"]; evidence: readonly string[] }> {
  const { server, pillar } = inputs;
  const survey = (host: RetirementFacts["host"]) =>
    surveyRetirement("destroy", inputs, memory, host, book.directory, world);
  let host = seen;
  // As if it were off: what else stands in the way is known before anything is switched off.
  let { facts, verdict } = await survey("silent" in host && server ? { off: "not yet" } : host);
  if ("silent" in host && server && verdict.unmet.length === 0) {
    world.say(
      `retirement: ${inputs.host.ssh.address} does not answer (${host.silent}); switching it off at ${server.provider}`,
    );
    host = { off: `${server.provider} says that it is ${await powerOff(server, world)}` };
    // It may have produced until a moment ago.
    ({ facts, verdict } = await survey(host));
  }
  const { unmet, evidence } = verdict;
  for (const line of evidence) world.say(`retirement: ${line}`);
  if (!("released" in seen)) noteRewards(facts, book);
  if (unmet.length === 0) return { host, evidence };
  const reasons = unmet.map(({ what }) => what);
  const sentence = overrideSentence(pillar, unmet);
  // Typed once for both guards, and the other one has met more.
  const typedBefore =
    "released" in seen && lastEvent(readJourney(book.directory), inputs.stack, "override")?.details.sentence;
  if (world.override !== undefined && [sentence, typedBefore].includes(world.override)) {
    world.say(`retirement: going on all the same, as typed: ${world.override}`);
    book.write("override", { sentence: world.override, reasons });
    // What is not seen is at least not left running, where that can be had.
    if ("silent" in seen && server)
      host = { off: `${server.provider} says that it is ${await powerOff(server, world)}` };
    return { host, evidence: [`typed by the operator: ${world.override}`, ...evidence] };
  }
  book.write("refused", { reasons });
  const other =
    world.override === undefined ? "" : `\n  ${overrideVariable} is set, and says something else than this sentence.`;
  throw new Error(`${refusalText(facts, verdict)}${other}`);
}

function noteRewards({ rewards, saysCollected, pillar }: RetirementFacts, book: Book): void {
  const evidence = rewards.flatMap((reading) => (reading.says === "collected" ? [reading.evidence] : []));
  if (evidence.length > 0) book.write("rewards", { evidence });
  else if (saysCollected && rewards.length > 0)
    book.write("rewards", { evidence: [`the rewards of ${pillar} were collected`], saidBy: "operator" });
}

async function shutDown(
  root: RootHost,
  inputs: RetirementInputs,
  { hasKeyStore, signer, node }: HostFacts,
  book: Book,
  world: ReleaseWorld,
): Promise<void> {
  const { places, backup, stack, pillar } = inputs;
  const variables = placeVariables(places);
  await root.call("retire_stop", variables);
  world.say(`retirement: the node of ${root.address} is stopped, and stays off`);
  const { directory, identityFile } = backup;
  const settings = {
    directory: placeOf(directory),
    move: `pillar-host/${stack}/${pillar}`,
    identityFile: identityFile === undefined ? undefined : placeOf(identityFile),
  };
  if (hasKeyStore || signer.hasDirectory)
    await takeBackup(root, lastBackupOf(places), settings, { ...world, now: () => new Date(world.now()) });
  if (inputs.keysAside) for (const line of linesOf(await root.call("retire_keys_aside", variables))) world.say(line);
  if (node.active) book.write("shutDown", { address: root.address, evidence: ["stopped, disabled and masked"] });
}

const linesOf = (text: string) => text.split("\n").filter((line) => line.trim() !== "");

/** Keys and configuration of the node, and the fenced signer's directory (pure). */
function lastBackupOf({ dataDir, signer }: HostPlaces): BackupOf {
  const below = (file: string) => file.replace(/^\/+/, "");
  const [node, orchestrator] = [below(dataDir), below(signer.directory)];
  return {
    label: "retired",
    place: {
      base: "/",
      paths: [`${node}/wallet`, `${node}/config.json`, `${node}/network-private-key`, orchestrator],
    },
    changing: [],
    isJson: (file) => file === `${node}/config.json`,
  };
}

function bookOf({ backup, stack, pillar }: RetirementInputs, world: ReleaseWorld): Book {
  const directory = placeOf(backup.directory);
  return {
    directory,
    write: (event, details) =>
      addToJourney(directory, {
        ...{ at: new Date(world.now()).toISOString(), stack, pillar, event, details },
      } as Parameters<typeof addToJourney>[1]),
  };
}
