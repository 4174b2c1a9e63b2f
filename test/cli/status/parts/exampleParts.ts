import type { StatusParts, UnmetCondition } from "../../../../cli/status/parts/statusParts";
import type { Registration } from "../../../../core/registration/registration";

export const clock = Date.parse("2026-11-21T15:05:20Z");
export const old = "z1qzlytaqdahg5t02nz5096frflfv7dm3y7yxmg7";
export const ours = "z1qqjnwjjpnue8xmmpanz6csze6tcmtzzdtfsww7";

const own = { address: ours, since: clock - 600_000, earlier: old, notes: [] };
const wait = { from: clock - 60_000, standing: "one of 3 Pillars" };
export const registrations = {
  earlier: { kind: "earlier", address: old, earlier: old, wasOurs: false, notes: [] },
  wentBack: { kind: "earlier", address: old, earlier: old, wasOurs: true, notes: [] },
  foreign: {
    kind: "foreign",
    address: old,
    wasOurs: false,
    notes: [],
    last: { height: 90, at: clock - 60_000, isOurs: false },
  },
  nobody: { kind: "unknownPillar", notes: [] },
  unknown: { kind: "unknown", why: { key: "nobodyAsked", text: "no node was asked" }, notes: [] },
  registered: { kind: "registered", ...own, wait, isLate: false },
  late: { kind: "registered", ...own, wait, isLate: true },
  producing: {
    kind: "producing",
    ...own,
    switched: { height: 77, at: clock - 60_000 },
    figures: { expected: 10, produced: 9 },
  },
  tooEarly: { kind: "tooEarly", why: "syncing", ...own },
} as const satisfies Record<string, Registration>;

export const unmet: UnmetCondition = {
  loss: "rewards",
  what: "the rewards since the switch are not collected",
  saidBy: ["the successor's node (203.0.113.9)"],
  found: ["paid since epoch 5, and not collected: 8.8 ZNN and 0 QSR wait (collect them in the wallet)"],
  needed: "collect them in the wallet",
};

/**
 * Returns the parts of an active stack whose node is synced and whose Pillar has the old address, with these changes.
 */
export function partsOf(
  registration: Registration = registrations.earlier,
  changes: Partial<StatusParts> = {},
): StatusParts {
  return {
    node: { value: { active: true, masked: false } },
    registration: { value: registration },
    orchestrator: { value: { kind: "none", text: "none on this host", isWrong: false } },
    ports: undefined,
    rewards: { value: { text: "8.8 ZNN and 0 QSR are not collected; paid last: epoch 5" } },
    destroy: undefined,
    hourlyRestart: { value: "off" },
    sporks: { value: { version: "v0.0.8", unknown: [] } },
    versions: { value: [] },
    ...changes,
  };
}
