import { formatLeftOut, formatNodeFaultKey } from "../chain/reading";
import { formatVersionGap, installLines } from "../chain/requiredVersions";
import { formatDuration, formatUtcMinute } from "../util/timeText";
import type { SyncReason } from "./judgeObservation";
import type { GateMessage, SyncProgress } from "./progress";
import type { ReferenceNote } from "./references";

export function formatReference(note: ReferenceNote): string {
  switch (note.kind) {
    case "leftOut":
      return formatLeftOut(note.reading);
    case "onlyOne":
      return `only ${note.name} answers, and it is at ${note.height}`;
    case "differ":
      return `the references disagree among themselves: ${note.words.map(({ name, height }) => `${name} ${height}`).join(", ")}`;
    case "odd":
      return `${note.name} says ${note.height}, the others ${note.others}`;
    case "farBehind":
      return `${note.name} confirms no chain: it is far behind the node, at ${note.height}`;
    case "otherChain":
      return `${note.name} is left out: it is on another chain than the node, by momentum ${note.height}`;
  }
}

/** Returns a key that does not change with the heights, which differ in every lookup. */
export function createReferenceKey(note: ReferenceNote): string {
  switch (note.kind) {
    case "leftOut":
      return `${note.reading.client.name} ${formatNodeFaultKey(note.reading.fault)}`;
    case "differ":
      return `differ ${note.words.map(({ name }) => name).join()}`;
    default:
      return `${note.kind} ${note.name}`;
  }
}

export function formatReason(why: SyncReason): string {
  const seconds = (milliseconds: number) => `${Math.round(milliseconds / 1000)} s`;
  switch (why.kind) {
    case "noAnswer":
      return why.reason;
    case "syncing":
      return "syncing";
    case "fewPeers":
      return `not enough peers${why.peers === undefined ? "" : ` (${why.peers})`}: is 35995/tcp and udp open to the world?`;
    case "otherState":
      return `sync state ${why.state}`;
    case "belowTarget":
      return "the node says synced, below its own target";
    case "fresh":
      return `synced, newest momentum ${seconds(why.age)} old`;
    case "stale":
      return `the node says synced, but its newest momentum is ${seconds(why.age)} old`;
    case "clocksApart":
      return `the clocks of the host and of this machine are ${seconds(why.apart)} apart, and no references decide whether the newest momentum is fresh`;
    case "atTarget":
      return "synced, height equals target";
    case "untold":
      return `the node says synced with a target of ${why.target}, and does not return its newest momentum`;
    case "contradicted":
      return `the node says synced at ${why.height}, the references are at ${why.median}`;
    case "otherChain":
      return `the node is on another chain than the references: its momentum ${why.height} is ${why.own.slice(0, 12)}, that of ${why.names[0]} is ${why.theirs.slice(0, 12)}${why.names.length > 1 ? ` (so say ${why.names.length} of them)` : ""}`;
    case "chainUntold":
      return `the node does not show its momentum ${why.height}, so it can't be compared with the references' chain`;
    case "unwitnessed":
      return "the node says synced, and no witness confirms its chain yet (a reference or the old host)";
    case "oldVersion":
      return `${formatVersionGap(why.gap)}: ${installLines(why.gap)[0]}`;
    case "targetStands":
      return "the node says synced; waiting for its target to advance, because nothing else proves it";
    case "bornOut":
      return "the node says synced, and the references confirm it";
  }
}

export function formatProgress(progress: SyncProgress): string {
  const { observation, good, why, percent, rate, left } = progress;
  if (observation.kind === "none") return `no answer from the node yet: ${formatReason(why)}`;
  const { currentHeight, targetHeight } = observation.info;
  const heights = `height ${currentHeight} of ${targetHeight > 0 ? targetHeight : "an unknown target"}`;
  const parts = [percent === undefined ? heights : `${percent} %, ${heights}`];
  if (rate !== undefined) parts.push(`${rate < 10 ? rate.toFixed(1) : Math.round(rate)} momentums/s`);
  if (left) {
    const [least, most] = left.map(formatDuration);
    parts.push(least === most ? `about ${least} left` : `${least} to ${most} left`);
  }
  if (good) parts.push(`${formatReason(why)} (${progress.streak} of ${progress.confirmations} looks)`);
  else {
    parts.push(`since ${formatUtcMinute(progress.startedAt)}`);
    if (why.kind !== "syncing") parts.push(formatReason(why));
  }
  return parts.join(", ");
}

export function formatMessage(news: GateMessage): string {
  return news.kind === "progress" ? formatProgress(news.progress) : news.text;
}

export function formatGateLine(news: GateMessage): string {
  return news.kind === "fact" ? `  ${news.text}` : `sync: ${formatMessage(news)}`;
}
