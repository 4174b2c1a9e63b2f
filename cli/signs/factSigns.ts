import type { NodeHostFacts } from "../../core/ssh/hostFacts";
import type { Check } from "./sign";

/** A disk with less than this share free has to be looked at while there is time. */
const leastFree = 0.1;

const gb = (kib: number) => (kib / 1e6).toFixed(1);

/** What a host's own facts give a sign of (pure). */
export function factChecks({ disk, node, clock }: Partial<NodeHostFacts> = {}): Check[] {
  const none: Check[1] = [];
  const told = (isWrong: boolean, key: string, text: string): Check[1] => (isWrong ? [{ key, text }] : none);
  return [
    [
      "disk",
      disk &&
        told(
          disk.free < disk.size * leastFree,
          "disk",
          `its disk is nearly full: ${gb(disk.free)} of ${gb(disk.size)} GB are free at ${disk.at}`,
        ),
    ],
    ["peers", node?.peers === undefined ? undefined : told(node.peers === 0, "peers", "its node has no peers")],
    [
      "clock",
      clock &&
        told(!clock.isKept, "clock", "nothing keeps its clock right: a node whose clock is wrong misses momentums"),
    ],
  ];
}
