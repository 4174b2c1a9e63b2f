import { type ChainNodes, noHost, openChainView } from "../chain/chainView.ts";
import { createNodeTarget } from "../chain/configuredNode.ts";
import { isAnswered, listLeftOut, readNode } from "../chain/reading.ts";
import type { StackConfig } from "../config/config.ts";
import { createWitnessSources } from "../sync/gateSettings.ts";
import { commandsFor } from "../util/commands.ts";
import { getNodeTimeoutMs } from "./agreeOnRegistration.ts";

/** `unknown`: every node that answered is up to date, and has no such Pillar. `unasked`: no node could tell. */
export type NameAnswer =
  | { readonly kind: "known" }
  | {
      readonly kind: "unknown";
      readonly by: readonly string[];
      readonly height: number;
      /** At most 3 similar names of Pillars, the most similar first. */
      readonly nearest: readonly string[];
    }
  | { readonly kind: "unasked"; readonly why: string };

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
  const view = openChainView(noHost, nodes);
  const readings = await view.read((client, role) =>
    readNode(client, async () => ({ pillar: await client.pillar(name) }), getNodeTimeoutMs(role)),
  );
  const answered = readings.filter(isAnswered);
  const [first] = answered;
  // A single node that knows it is enough: a node of another network must not refuse a right name.
  const isKnown = answered.some(({ pillar }) => pillar !== null);
  const names = first === undefined || isKnown ? [] : await first.client.pillarNames().catch(() => []);
  view.close();
  if (isKnown) return { kind: "known" };
  if (first === undefined)
    return { kind: "unasked", why: listLeftOut(readings, "").join("; ") || "no reference is configured" };
  const by = answered.map(({ client }) => client.name);
  return { kind: "unknown", by, height: first.newest.height, nearest: findNearestNames(name, names) };
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
    const before = row;
    let left = line;
    row = before.map((above, at) => {
      const exchanged = (before[at - 1] ?? 0) + (letter === to[at - 1] ? 0 : 1);
      left = at === 0 ? line + 1 : Math.min(exchanged, above + 1, left + 1);
      return left;
    });
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
