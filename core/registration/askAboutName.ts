import { type ChainNodes, openChainView } from "../chain/chainView.ts";
import { createNodeTarget } from "../chain/configuredNode.ts";
import { isAnswered, listLeftOut, type Reading, readNode } from "../chain/reading.ts";
import type { StackConfig } from "../config/config.ts";
import { createWitnessSources } from "../sync/gateSettings.ts";
import { commandsFor } from "../util/commands.ts";
import { hostTimeoutMs, referenceTimeoutMs } from "./agreeOnRegistration.ts";

/** `unknown`: every node that answered is up to date, and has no such Pillar. `unasked`: no node could tell. */
export type NameAnswer =
  | { readonly kind: "known"; readonly by: readonly string[] }
  | {
      readonly kind: "unknown";
      readonly by: readonly string[];
      readonly height: number;
      /** At most 3 similar names of Pillars, the most similar first. */
      readonly nearest: readonly string[];
    }
  | { readonly kind: "unasked"; readonly why: string };

type NameReading = Reading<{ readonly isRegistered: boolean }>;

/** Asks a stack's references and old host about its Pillar's name, and the node of its host, if that is given. */
export function askAboutOwnName(
  config: StackConfig,
  { address, hostKey }: { readonly address?: string | undefined; readonly hostKey?: string | undefined },
): Promise<NameAnswer> {
  const { references, witnessHost } = createWitnessSources(config);
  const isKnown = address !== undefined && hostKey !== undefined;
  const own = isKnown ? createNodeTarget(config, address, hostKey) : undefined;
  return askAboutName(config.pillar.name, { own, oldHost: witnessHost, references });
}

/**
 * Asks nodes whether a Pillar has this name. Never throws. A node that is behind its network may lack a registration,
 * so its answer does not count.
 */
export async function askAboutName(name: string, nodes: ChainNodes): Promise<NameAnswer> {
  const view = openChainView({ ssh: { address: "", hostKey: "" } }, nodes);
  try {
    const readings = await view.read((client, role) =>
      readNode(
        client,
        async () => ({ isRegistered: (await client.pillar(name)) !== null }),
        role === "reference" ? referenceTimeoutMs : hostTimeoutMs,
      ),
    );
    const answer = decideName(readings);
    const [first] = readings.filter(isAnswered);
    if (answer.kind !== "unknown" || first === undefined) return answer;
    return { ...answer, nearest: findNearestNames(name, await first.client.pillarNames().catch(() => [])) };
  } finally {
    view.close();
  }
}

/** Decides what nodes say about a name. One that knows it is enough: another network's node must not refuse it. */
export function decideName(readings: readonly NameReading[]): NameAnswer {
  const answered = readings.filter(isAnswered);
  const namesOf = (those: typeof answered) => those.map(({ client }) => client.name);
  const knowing = answered.filter(({ isRegistered }) => isRegistered);
  if (knowing.length > 0) return { kind: "known", by: namesOf(knowing) };
  const [first] = answered;
  if (first === undefined)
    return { kind: "unasked", why: listLeftOut(readings, "").join("; ") || "no reference is configured" };
  return { kind: "unknown", by: namesOf(answered), height: first.newest.height, nearest: [] };
}

/** Returns at most 3 names that a slip of the keyboard turns into `name`, the most similar first. */
export function findNearestNames(name: string, names: readonly string[]): string[] {
  const maxEdits = Math.ceil(name.length / 3);
  return names
    .map((each) => ({ each, edits: countEdits(name.toLowerCase(), each.toLowerCase()) }))
    .filter(({ edits }) => edits <= maxEdits)
    .sort((one, other) => one.edits - other.edits)
    .slice(0, 3)
    .map(({ each }) => each);
}

/** Returns how many letters have to be added, removed or exchanged to turn one text into another. */
function countEdits(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, at) => at);
  for (const [line, letter] of [...from].entries()) {
    const next = [line + 1];
    for (const [at, other] of [...to].entries()) {
      const exchange = (row[at] ?? 0) + (letter === other ? 0 : 1);
      next.push(Math.min(exchange, (row[at + 1] ?? 0) + 1, (next[at] ?? 0) + 1));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}

/** Formats an unknown name as a problem. */
export function describeUnknownName(
  { stack, pillar: { name } }: { readonly stack: string; readonly pillar: { readonly name: string } },
  { by, height, nearest }: NameAnswer & { kind: "unknown" },
) {
  const { setText, up } = commandsFor(stack);
  return {
    what: `no Pillar "${name}" on the chain of ${by.join(", ")} (height ${height})`,
    found: nearest.length > 0 ? `its nearest names: ${nearest.join(", ")}` : "no registered name is similar",
    needed: "use the name as the wallet shows it under Pillars; upper and lower case count",
    next: `${setText("pillar.name", nearest[0] ?? "NAME")} && ${up}`,
  };
}
