import xterm from "@xterm/headless";

export interface TerminalSize {
  readonly columns: number;
  readonly rows: number;
}

/** The window of a terminal that scrolls. */
export class Screen {
  private readonly terminal: xterm.Terminal;
  private written: Promise<void> = Promise.resolve();

  constructor({ columns, rows }: TerminalSize) {
    this.terminal = new xterm.Terminal({ cols: columns, rows, allowProposedApi: true });
  }

  write(text: string): void {
    this.written = new Promise((resolve) => this.terminal.write(text, resolve));
  }

  /** Returns the lines that a person sees, down to the cursor's, where the prompt comes. */
  async read(): Promise<string> {
    await this.written;
    const { active } = this.terminal.buffer;
    const lines = Array.from({ length: active.cursorY + 1 }, (_, row) => active.getLine(active.baseY + row));
    return lines.map((line) => line?.translateToString(true) ?? "").join("\n");
  }
}
