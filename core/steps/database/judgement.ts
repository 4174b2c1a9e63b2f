/** The newest momentum that a database has. */
export interface Frontier {
  readonly height: number;
  /** Hexadecimal. */
  readonly hash: string;
}

/** What makes a torn database whole: the interrupted momentum is taken back, or the taking back of one is undone. */
export interface Cure {
  readonly kind: "undo" | "redo";
  /** Of the momentum whose writing was cut off. */
  readonly height: number;
  /** So many of the keys that it touches have another value than they should. */
  readonly differing: number;
  readonly touched: number;
}

/** One database, as `judge.py` judges it. The consensus's names no momentum. */
export type Judged =
  | { readonly name: string; readonly state: "sound"; readonly frontier?: Frontier }
  | { readonly name: string; readonly state: "torn"; readonly frontier: Frontier; readonly cure: Cure }
  | { readonly name: string; readonly state: "unreadable"; readonly why: string };

/** Reads the lines of `judge_database` and `cure_database` that judge; others are left out (pure). */
export function readJudged(text: string): Judged[] {
  return text.split("\n").flatMap((line): Judged[] => {
    const [name = "", state, height, hash, kind, of, differing, touched] = line.split(" ");
    const frontier =
      height && hash && /^\d+$/.test(height) ? { frontier: { height: Number(height), hash } } : undefined;
    if (state === "sound") return [{ name, state, ...frontier }];
    if (state === "unreadable") return [{ name, state, why: line.split(" ").slice(4).join(" ") }];
    if (state !== "torn" || !frontier || (kind !== "undo" && kind !== "redo")) return [];
    const cure = { kind, height: Number(of), differing: Number(differing), touched: Number(touched) } as const;
    return [{ name, state, ...frontier, cure }];
  });
}

/** How `judge_database` and `cure_database` end, besides 0: all are sound. */
export const judgeExits = { torn: 3, unreadable: 4, inUse: 5, absent: 6, limits: 7 } as const;
