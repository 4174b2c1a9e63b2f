import { given } from "../../util/given";
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

/** What `repair.sh` tells. */
export interface RepairSeen {
  /** The state of the node's unit before, in systemd's word. */
  readonly node: string;
  /** Whether its unit starts with the host. */
  readonly enabled: boolean;
  readonly judged: readonly Judged[];
  /** How the judge ended, {@link judgeExits} or 0. */
  readonly exit: number;
  /** Why nothing, or not all, could be judged. */
  readonly why?: string;
  /** Where what it touched lies as it was. */
  readonly copy?: string;
  /** Whether the node answers after its start; absent where it was not started. */
  readonly started?: boolean;
  /** What there is to see where it does not. */
  readonly facts: readonly string[];
}

/** Reads the lines of `repair.sh` (pure). @throws where it did not come to its end */
export function readRepair(lines: readonly string[]): RepairSeen {
  const all = (name: string) =>
    lines.filter((line) => line.startsWith(name)).map((line) => line.slice(name.length).trim());
  const [node] = all("node=");
  const [exit] = all("exit=");
  if (node === undefined || exit === undefined)
    throw new Error(`the host told nothing of its node's database; it said: ${lines.join(" / ") || "nothing"}`);
  const [[why], [copy], [started]] = [all("why="), all("copy "), all("started=")];
  return {
    ...{ node, enabled: all("enabled=")[0] === "yes", judged: readJudged(lines.join("\n")), exit: Number(exit) },
    ...given({ why, copy }),
    ...(started === undefined ? {} : { started: started === "yes" }),
    facts: all("fact="),
  };
}
