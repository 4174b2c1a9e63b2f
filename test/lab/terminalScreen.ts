import xterm from "@xterm/headless";

export interface TerminalSize {
  readonly columns: number;
  readonly rows: number;
}

/** Returns the lines that a person sees after a program has ended, in a window that scrolls. The last row is the prompt's. */
export async function readScreen(written: string, { columns, rows }: TerminalSize): Promise<string> {
  const terminal = new xterm.Terminal({ cols: columns, rows, allowProposedApi: true });
  await new Promise<void>((resolve) => terminal.write(`${written}$ `, resolve));
  const { active } = terminal.buffer;
  const lines = Array.from({ length: active.cursorY }, (_, row) => active.getLine(active.baseY + row));
  terminal.dispose();
  return lines.map((line) => line?.translateToString(true) ?? "").join("\n");
}
