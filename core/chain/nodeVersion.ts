import type { Connection } from "../ssh/connection";
import { isPrintable } from "../util/printable";
import { openNodeChain } from "./chain";
import { parseForm } from "./chainAnswers";
import { createNodeCalls, type NodeTarget, parseNodeResult } from "./node";
import { findApplicableRows, findVersionGaps, type VersionGap } from "./requiredVersions";

const callTimeout = 20_000;

/** @throws if the node does not give a version */
export async function readNodeVersion(target: NodeTarget, connection: Connection): Promise<string> {
  const answer = await createNodeCalls(target, connection, callTimeout)("stats.processInfo");
  return parseForm("stats.processInfo", parseNodeResult(answer), { version: isPrintable }).version;
}

/**
 * Reads which required versions a node lacks. Never throws: an unknown version counts as a gap. `due`: the requirements
 * that apply at this height (without any, the node is not asked). `all`: future ones, too.
 */
export async function readVersionGaps(
  target: NodeTarget,
  height: number,
  connection: Connection,
  which: "due" | "all" = "due",
): Promise<VersionGap[]> {
  const { versions: rules } = target;
  if (rules === undefined || (which === "due" && findApplicableRows(rules, height).length === 0)) return [];
  const version = await readNodeVersion(target, connection).catch(() => undefined);
  const gapsOf = (genesis?: string) =>
    findVersionGaps({ version, genesis }, rules, height, Date.now()).filter(
      ({ expectedAt }) => which === "all" || expectedAt === undefined,
    );
  const gaps = gapsOf();
  // Requirements from height 0 on apply to every network, so the first momentum does not matter for them.
  if (gaps.every(({ fromHeight }) => fromHeight === 0)) return gaps;
  const [first] = await openNodeChain("the node", target, connection)
    .momentums(1, 1)
    .catch(() => []);
  return gapsOf(first?.hash);
}
