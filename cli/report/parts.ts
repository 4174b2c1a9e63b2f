import type { EventName, LogEvent } from "../../core/eventLog/events";
import { isSameMove } from "../../core/eventLog/moveId";
import { openWaits } from "../../core/sync/curve";
import { given } from "../../core/util/given";
import type { BackupReport, MoveReport, SwitchReport, Sync } from "./reportTypes";
import { happenedAt, movesOf, type Scope } from "./scope";

export function ofEvent<E extends EventName>({ events }: Pick<Scope, "events">, event: E) {
  return events.filter((entry): entry is LogEvent & { readonly event: E } => entry.event === event);
}

/** The waits for the sync: those that ended well, and the one that is still open on a stack (pure). */
export function syncsOf(scope: Scope): Sync[] {
  const ended = ofEvent(scope, "synced").map(({ stack, details }) => {
    const { startedAt, syncedAt, startHeight, currentHeight, proved, unproved, curve } = details;
    return syncOf({
      at: syncedAt,
      stack,
      isOver: true,
      startedAt,
      startHeight,
      currentHeight,
      proved,
      unproved,
      curve,
    });
  });
  const open = scope.stacks.flatMap((stack) => {
    const address = ofEvent(scope, "waiting").findLast((entry) => entry.stack === stack)?.details.address;
    const { startedAt, startHeight, curve } = openWaits(scope.events, stack, address ?? "");
    const [first, last] = [curve[0], curve.at(-1)];
    if (startedAt === undefined || !first || !last) return [];
    const at = new Date(last[0]).toISOString();
    const heights = { startHeight: startHeight ?? first[1], currentHeight: last[1] };
    return [syncOf({ at, stack, isOver: false, startedAt, ...heights, proved: [], unproved: [], curve })];
  });
  return [...ended, ...open];
}

function syncOf(wait: Omit<Sync, "seconds" | "momentums" | "rate">): Sync {
  const seconds = Math.round((Date.parse(wait.at) - Date.parse(wait.startedAt)) / 1000);
  const momentums = wait.currentHeight - wait.startHeight;
  const rate = seconds > 0 ? Math.round((momentums / seconds) * 10) / 10 : 0;
  return { ...wait, seconds, momentums, rate, curve: [...wait.curve].sort(([a], [b]) => a - b) };
}

/** The switches from one producer to the next, and what they cost in momentums at most (pure). */
export function switchesOf(scope: Scope): SwitchReport[] {
  return ofEvent(scope, "producing").map((entry) => {
    const { producerAddress, height, switchedAt, before, empty, figures } = entry.details;
    const seen = ofEvent(scope, "registered").findLast(
      (each) => each.stack === entry.stack && Date.parse(each.at) <= Date.parse(entry.at),
    );
    const registered = seen?.details.figures && { ...seen.details.figures, at: seen.at };
    const producing = figures && { ...figures, at: entry.at };
    const seconds = before && Math.round((Date.parse(switchedAt) - Date.parse(before.at)) / 1000);
    return {
      ...{ at: switchedAt, stack: entry.stack, producerAddress, height },
      ...(before && seconds !== undefined ? { before: { ...before, seconds } } : {}),
      ...(registered ? { registered } : {}),
      ...(producing ? { producing } : {}),
      ...given({ empty }),
    };
  });
}

/** The signer's moves, each with all its runs (pure). */
export function moveReports({ moves }: Scope): MoveReport[] {
  return movesOf(moves).map((move) => {
    const lines = moves.filter((entry) => isSameMove(entry.move, move));
    const backups: BackupReport[] = [];
    const failures: { at: string; error: string }[] = [];
    let found: Omit<MoveReport, "backups" | "failures"> = {
      ...{ stack: move.stack, attempt: String(move.attempt), ending: "open" },
    };
    for (const line of lines) {
      if (line.event === "backup") {
        const { label = "", file, identityFile, sha256, sealedBytes, files } = line.details;
        backups.push({ at: line.details.provedAt, label, file, identityFile, sha256, sealedBytes, files });
      } else if (line.event === "failed") {
        failures.push({ at: line.at, error: line.details.error ?? "" });
      } else if (line.event === "secured") {
        const { oldVersion } = line.details;
        if (oldVersion !== undefined) found = { ...found, oldVersion };
      } else if (line.event === "done" || line.event === "rolledBack") {
        const { holder, version, secondsWithoutSigner } = line.details;
        found = {
          ...found,
          ...{ ending: line.event === "done" ? "moved" : "brought back", holder, movedAt: happenedAt(line) },
          ...given({ version, secondsWithoutSigner }),
        };
      }
    }
    return { ...found, backups, failures };
  });
}
