import { printable } from "../util/printable.ts";
import { isBoolean, isCount, isText, parseForm, parseList } from "./chainAnswers.ts";
import { releaseNumber } from "./versions.ts";

/** A change of the network's rules (go-zenon, vm/embedded/definition/spork.go). */
export interface Spork {
  readonly id: string;
  readonly name: string;
  /** Height from which on the spork is enforced. A node without code for it ends itself minutes after that height. */
  readonly enforcedFrom?: number;
}

const accelerator = "6d2b1e6cb4025f2f45533f0fe22e9b7ce2014d91cc960471045fa64eee5a6ba3";
const htlc = "ceb7e3808ef17ea910adda2f3ab547be4cdfb54de8400ce3683258d06be1354b";
const bridgeAndLiquidity = "ddd43466769461c5b5d109c639da0f50a7eeb96ad6e7274b1928a35c431d7b1b";

/** Sporks that each version of the node supports (go-zenon, common/types/spork.go). */
const supportedSporks: Readonly<Record<string, readonly string[]>> = {
  "v0.0.4": [accelerator],
  "v0.0.5": [accelerator, htlc, bridgeAndLiquidity],
  "v0.0.6": [accelerator, htlc, bridgeAndLiquidity],
  "v0.0.7": [accelerator, htlc, bridgeAndLiquidity],
  "v0.0.8": [accelerator, htlc, bridgeAndLiquidity],
};

/** A spork that a node lacks, or may lack if this program does not know the sporks of the node's version. */
export interface UnknownSpork extends Spork {
  readonly isSure: boolean;
}

/** Finds the network's sporks that a version of the node has no code for. @param version undefined if unknown */
export function findUnknownSporks(sporks: readonly Spork[], version: string | undefined): UnknownSpork[] {
  const own = version === undefined ? undefined : supportedSporks[releaseNumber(version) ?? ""];
  // This program does not know newer versions. Assume that they support at least the sporks of the older ones.
  const known = own ?? Object.values(supportedSporks).flat();
  return sporks.filter(({ id }) => !known.includes(id)).map((spork) => ({ ...spork, isSure: own !== undefined }));
}

export function formatSpork({ id, name, enforcedFrom, isSure }: UnknownSpork, version: string | undefined): string {
  const title = `spork ${printable(name).slice(0, 60) || "without a name"} (${id.slice(0, 8)}…)`;
  const node = version === undefined ? "the node here" : `the node here, ${printable(version).slice(0, 40)},`;
  const lack = isSure ? `${node} does not support it` : `this program does not know whether ${node} supports it`;
  return enforcedFrom === undefined
    ? `${title} is announced, and ${lack}: a release that supports it is needed before the spork is enforced`
    : `${title} is enforced from height ${enforcedFrom} on, and ${lack}: a node without support stops at that height`;
}

const isHash = (value: unknown): value is string => isText(value) && /^[0-9a-f]{64}$/.test(value);

/** Parses an `embedded.spork.getAll` result. @throws if it has another form */
export function parseSporks(result: unknown): Spork[] {
  const checks = { id: isHash, name: isText, activated: isBoolean, enforcementHeight: isCount };
  return parseList(result, "embedded.spork.getAll").map((each) => {
    const { id, name, activated, enforcementHeight } = parseForm("spork", each, checks);
    return { id, name, enforcedFrom: activated ? enforcementHeight : undefined };
  });
}
