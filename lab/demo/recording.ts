/** Time in which what was printed counts as one piece. */
const pieceMs = 80;

/** A recording of a terminal, as an asciicast of version 2: a header, and lines of time, "o" and text. */
export class Recording {
  static readonly columns = 110;
  static readonly rows = 30;
  private readonly pieces: { readonly at: number; text: string }[] = [];

  /** Begins a recording. `names`: directories of this machine, and what the recording shows in their place. */
  constructor(private readonly names: ReadonlyArray<readonly [directory: string, shown: string]>) {}

  add(text: string): void {
    const last = this.pieces.at(-1);
    if (last && Date.now() - last.at < pieceMs) last.text += text;
    else this.pieces.push({ at: Date.now(), text });
  }

  format(): string {
    const start = this.pieces[0]?.at ?? 0;
    const redraws = new Redraws();
    const header = { version: 2, width: Recording.columns, height: Recording.rows };
    const events = this.pieces.map(({ at, text }) => [(at - start) / 1000, "o", redraws.thin(this.rename(text))]);
    return [header, ...events].map((line) => `${JSON.stringify(line)}\n`).join("");
  }

  private rename(text: string): string {
    return this.names.reduce((renamed, [directory, shown]) => renamed.replaceAll(directory, shown), text);
  }
}

const cursorUp = "\u001b\\[(\\d+)A";
const redrawStart = new RegExp(`^\\r?${cursorUp}`);
const anyCursorUp = new RegExp(cursorUp, "g");
const redrawnEnd = "\u001b[K\r\n";
const plain = "\u001b[0m";
// Pulumi's dots move in each redraw; without them a line changes once a second.
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const movingDots = /(?:\u001b\[[0-9;]+m)+(\.{0,3})\u001b\[0m(?= {2}| ?(?:\u001b\[0m)?\u001b\[K)/g;

/** Leaves out the lines that Pulumi prints again, unchanged, ten times a second: they are most of a run's output. */
export class Redraws {
  /** The lines on the screen and above it. Empty where something else than a whole line was printed. */
  private readonly lines: string[] = [];
  private row = 0;

  thin(text: string): string {
    return text
      .split(/(?<=\n)/)
      .map((part) => this.thinLine(part))
      .join("");
  }

  private thinLine(part: string): string {
    const [start = "", rows = "0"] = redrawStart.exec(part) ?? [];
    this.row = Math.max(0, this.row - Number(rows));
    const line = part.slice(start.length).replace(movingDots, (_, dots) => `${plain}${" ".repeat(dots.length)}`);
    const isSame = line.endsWith(redrawnEnd) && this.lines[this.row] === line;
    for (const [, up] of line.matchAll(anyCursorUp)) this.row = Math.max(0, this.row - Number(up));
    this.lines[this.row] = line.endsWith(redrawnEnd) ? line : "";
    if (line.endsWith("\n")) this.row += 1;
    return start + (isSame ? "\r\n" : line);
  }
}
