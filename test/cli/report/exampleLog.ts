const producer = { old: "z1qold0000000000000000000000000000000000", new: "z1qnew0000000000000000000000000000000000" };
const move = "pillar-host/prod-2/Anvil/1";
const backup = {
  manifestFile: "/home/ada/pillar-host/backups/Anvil/first.manifest.json",
  bytes: 91_234,
  identityFile: "/home/ada/pillar-host/backups/identity.txt",
  sealedBytes: 95_000,
  files: 14,
};
const file = (label: string) => `/home/ada/pillar-host/backups/Anvil/pillar-host-prod-2-Anvil-1-${label}.tar.age`;

const on = (stack: string) => (time: string, event: string, details: unknown) =>
  ({ at: `2026-11-${time}Z`, stack, pillar: "Anvil", event, details }) as const;
const [old, next] = [on("prod"), on("prod-2")];
const moved = (at: string, event: string, details: unknown) => ({ at: `2026-11-${at}Z`, move, event, details });

/** The lines of a migration from prod to prod-2 that took three days, with most of what may happen. */
export const wholeWay: readonly object[] = [
  old("02T08:00:00", "host", { address: "198.51.100.4", provider: "existing" }),
  next("18T09:00:00", "host", { address: "203.0.113.7", provider: "hetzner", serverId: "52012345" }),
  old("18T09:30:00", "refused", { reasons: ["prod-2 is not synced", "1.25 ZNN of rewards are not collected"] }),
  next("20T09:10:00", "synced", {
    startedAt: "2026-11-18T09:10:00.000Z",
    syncedAt: "2026-11-20T09:10:00.000Z",
    startHeight: 0,
    currentHeight: 11_982_400,
    proved: ["height 11982400 reached target 11982400", "newest momentum is fresh by both clocks"],
    unproved: ["height agrees with independent nodes (sync.references)"],
  }),
  moved("20T09:20:00", "backup", { label: "first", file: file("first"), sha256: "a1".repeat(32), ...backup }),
  moved("20T09:20:01", "secured", { move, oldVersion: "v0.0.9a" }),
  moved("20T09:30:00", "failed", { error: "198.51.100.4: the connection broke while the bulk was copied" }),
  moved("20T10:00:07", "backup", { label: "last", file: file("last"), sha256: "b2".repeat(32), ...backup }),
  moved("20T10:00:31", "done", {
    holder: "new",
    version: "v0.0.9b",
    movedAt: "2026-11-20T10:00:30.000Z",
    secondsWithoutSigner: 23.4,
    lastBackup: file("last"),
  }),
  next("20T18:00:00", "registered", { producerAddress: producer.new }),
  next("20T18:06:00", "producing", {
    producerAddress: producer.new,
    height: 11_985_590,
    switchedAt: "2026-11-20T18:04:30Z",
    earlier: producer.old,
  }),
  old("20T19:00:00", "shutDown", { address: "198.51.100.4", evidence: ["go-node is inactive and masked"] }),
  old("21T12:00:00", "override", {
    sentence: "delete the host of Anvil and lose 1.25 ZNN",
    reasons: ["1.25 ZNN of rewards are not collected"],
  }),
  old("21T12:00:05", "released", { evidence: ["the node answers no more"] }),
];

/** Formats the lines of an event log. */
export const linesOf = (events: readonly object[]) => events.map((event) => JSON.stringify({ version: 1, ...event }));
export const textOf = (events: readonly object[]) => `${linesOf(events).join("\n")}\n`;
