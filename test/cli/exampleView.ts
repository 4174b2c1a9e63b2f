import type { Held } from "../../cli/lockTexts";
import type { View } from "../../cli/view";

/** What core/steps/facts.sh prints of a host that syncs. */
export const facts = [
  "done so far: packages 2026-11-21T15:04:01Z, deployed 2026-11-21T15:04:09Z",
  "service: go-node is active (running) since 2026-11-21 15:04:09 UTC",
  "peers: 8",
  "disk: 75.0 of 264.2 GB free at /root/.znn",
  'log: 2026-11-21T15:05:11+0000 host1 go-node[7423]: t=16318 lvl=info msg="insert momentum" module=chain height=16318',
  'log: 2026-11-21T15:05:16+0000 host1 go-node[7423]: t=16343 lvl=info msg="insert momentum" module=chain height=16343',
];

export const lives: Held = {
  lock: { user: "ada", host: "desk", pid: 4242, since: Date.parse("2026-11-21T15:02:54Z") },
  holder: "lives",
};

/** A host that syncs while a run waits for it, with these things instead. */
export function viewOf(changes: Partial<View> = {}): View {
  return {
    stack: "prod",
    pillar: "Anvil",
    address: "203.0.113.7",
    lifecycle: "active",
    state: { begun: true, pending: [] },
    held: [lives],
    sync: "sync: 81.7 %, height 16365 of 20021, 4.9 momentums/s, about 13 min left",
    synced: false,
    facts,
    ...changes,
  };
}
