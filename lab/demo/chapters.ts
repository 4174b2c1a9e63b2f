import { elapsed } from "../util/progress.ts";

/** A chapter of the demo. It begins at a line that `migrate` prints, or where the wallet is needed. */
interface Chapter {
  readonly title: string;
  readonly opens: RegExp | "wallet";
}

export const chapters: readonly Chapter[] = [
  { title: "The new host's stack: a few questions", opens: /^> \.\/pillar-host init prod-2/m },
  { title: "The new host: checked, deployed, synced", opens: /^> \.\/pillar-host check prod-2/m },
  { title: "The old host becomes a stack, and nothing on it changes", opens: /^> \.\/pillar-host adopt \S+ /m },
  { title: "The orchestrator moves over, with you beside it", opens: /^> \.\/pillar-host move prod-2/m },
  { title: "The new producer address, in the wallet", opens: "wallet" },
  { title: "The new host takes over: momentums carry its address", opens: /^> pulumi up -s prod-2/m },
  { title: "The old host's node is shut down", opens: /^> \.\/pillar-host retire \S+ /m },
  { title: "The rewards, in the wallet (a day later)", opens: "wallet" },
  { title: "The old host's stack is destroyed", opens: /^> pulumi destroy -s prod/m },
];

/** Prints a heading where each chapter begins, and measures the chapters. */
export class Chapters {
  private readonly begun: number[] = [];
  /** A command's line that has not arrived whole. */
  private held = "";

  constructor(private readonly write: (text: string) => void) {}

  /** Passes on a piece of the terminal's output. */
  print(piece: string): void {
    const text = this.held + piece;
    const whole = text.length - (/(?:^|\n)>(?: (?:[.p][^\n]*)?)?$/.exec(text)?.[0].length ?? 0);
    this.held = text.slice(whole);
    this.printWhole(text.slice(0, whole));
  }

  private printWhole(text: string): void {
    const opens = chapters[this.begun.length]?.opens;
    const at = opens instanceof RegExp ? text.search(opens) : -1;
    this.write(at < 0 ? text : text.slice(0, at));
    if (at < 0) return;
    this.open();
    this.printWhole(text.slice(at));
  }

  /** Begins the chapter in the wallet. A double plays the operator there. */
  openWallet(clicks: string): void {
    if (chapters[this.begun.length]?.opens !== "wallet") return;
    this.open();
    this.write(`    YOU, in the wallet: ${clicks}\r\n    (in this demo a double of wallet and chain does it)\r\n\r\n`);
  }

  private open(): void {
    this.write(`\r\n${formatHeading(this.begun.push(Date.now()) - 1)}\r\n\r\n`);
  }

  /** Formats the chapters with their times. */
  summary(): string[] {
    const ends = [...this.begun.slice(1), Date.now()];
    const lines = this.begun.map((begin, index) => [(ends[index] ?? begin) - begin, chapters[index]?.title] as const);
    const all = [...lines, [Date.now() - (this.begun[0] ?? Date.now()), "in all"] as const];
    return all.map(([milliseconds, title]) => `  ${elapsed(milliseconds).padStart(12)}  ${title}`);
  }

  get isComplete(): boolean {
    return this.begun.length === chapters.length;
  }
}

/** Formats a chapter's heading, for a screen of 80 columns. */
export function formatHeading(index: number): string {
  const title = `── ${index + 1}. ${chapters[index]?.title} `;
  return title.padEnd(79, "─");
}
