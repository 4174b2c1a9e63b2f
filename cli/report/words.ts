import path from "node:path";
import { durationText } from "../../core/util/timeText";
import type { MoveReport, Report, SwitchReport, Sync } from "./reportTypes";

/** A label and what is to be said of it. */
export type Fact = readonly [label: string, text: string];

/** `2026-11-21 14:05` (pure); all times of a report are UTC. */
export function minute(time: string): string {
  return new Date(time).toISOString().slice(0, 16).replace("T", " ");
}

/** `2026-11-21 14:05:30` (pure). */
export function second(time: string): string {
  return new Date(time).toISOString().slice(0, 19).replace("T", " ");
}

/** `1 h 05 min`, of seconds (pure). */
export function lasting(seconds: number): string {
  return durationText(seconds * 1000);
}

/** The headline of a report, and the time that it spans (pure). */
export function headOf({ pillar, stack, stacks, from, to }: Report): { title: string; span: string } {
  const others = stacks.slice(1);
  const took = lasting((Date.parse(to) - Date.parse(from)) / 1000);
  const span = `${minute(from)} to ${minute(to)} UTC (${took})`;
  return {
    title: `Pillar ${pillar}, stack ${stack}${others.length > 0 ? `, with ${others.join(", ")}` : ""}`,
    span: from === to ? `${minute(from)} UTC` : span,
  };
}

/** What there is to say of a wait (pure). */
export function syncFacts(sync: Sync): Fact[] {
  const { isOver, startedAt, at, seconds, startHeight, currentHeight, momentums, rate, proved, unproved } = sync;
  return [
    isOver
      ? ["waited", `${minute(startedAt)} to ${minute(at)} (${lasting(seconds)})`]
      : ["not synced", `since ${minute(startedAt)}, last look recorded at ${minute(at)} (${lasting(seconds)})`],
    ["height", `${startHeight} to ${currentHeight}: ${momentums} momentums, ${rate} a second`],
    ...proved.map((text) => ["proved", text] as const),
    ...unproved.map((text) => ["not proved", text] as const),
  ];
}

/** Of a switch (pure). */
export function switchFacts({
  height,
  at,
  producerAddress,
  before,
  registered,
  producing,
  empty,
}: SwitchReport): Fact[] {
  const figures = (label: string, seen: SwitchReport["producing"]): Fact[] =>
    seen
      ? [
          [
            label,
            `${seen.produced} of ${seen.expected} momentums in the epoch, by a count of ${minute(seen.at)} or up to 5 min before`,
          ],
        ]
      : [];
  return [
    ["first", `momentum ${height} at ${second(at)}, of ${producerAddress}`],
    ...(before
      ? ([
          ["last before", `momentum ${before.height} at ${second(before.at)}, of ${before.producerAddress}`],
          ["between", `${lasting(before.seconds)}, in which other Pillars produced`],
        ] as const)
      : []),
    ...figures("registered", registered),
    ...figures("producing", producing),
    ["missed", missedText(empty)],
  ];
}

function missedText(empty: number | undefined): string {
  if (empty === undefined) return "not known: no empty slots were counted between the two";
  if (empty === 0) return "none: no slot of the whole network stayed empty between the two";
  return `${empty} at most: so many slots of the whole network, this Pillar's or others', stayed empty between the two`;
}

/** Of a move of the signer (pure). */
export function orchestratorFacts(move: MoveReport): Fact[] {
  const { ending, holder, movedAt, oldVersion, version, secondsWithoutSigner, backups, failures } = move;
  const ended = movedAt === undefined ? "" : ` at ${second(movedAt)}; the ${holder} host holds the key`;
  const versions = [...new Set([oldVersion, version].filter((each) => each !== undefined))];
  return [
    ["ending", ending === "open" ? "not at its end" : `${ending}${ended}`],
    ...(versions.length > 0 ? ([["version", versions.join(", then ")]] as const) : []),
    ...(movedAt === undefined
      ? []
      : ([
          [
            "no signer",
            secondsWithoutSigner === undefined ? "not known: more than one run" : `for ${secondsWithoutSigner} s`,
          ],
        ] as const)),
    ...backups.flatMap(({ label, at, files, sealedBytes, file, sha256, identityFile }): Fact[] => [
      ["backup", `${label} at ${minute(at)}: ${files} files, ${sealedBytes} bytes sealed`],
      ["", path.basename(file)],
      ["", `sha256 ${sha256}`],
      ["", `opened with ${identityFile}`],
    ]),
    ...failures.map(({ at, error }) => ["failed", `${minute(at)}: ${error}`] as const),
  ];
}

/** Shown where lines of the record were not understood (pure). */
export function unreadText({ unread }: Report): string | undefined {
  if (unread === 0) return undefined;
  return `${unread === 1 ? "A line" : `${unread} lines`} of the record could not be read: broken off, or of another version.`;
}
