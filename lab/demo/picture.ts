const wanted = [/^What was played:$/, /^The chain's own verdict/];
const characterWidth = 7.8;
const lineHeight = 18;
const padding = 18;
const most = 100;

/**
 * Draws the end of a demo's output as a picture of a terminal: the scenes with their times, and the chain's verdict.
 * @throws if the text is not from a demo that succeeded
 */
export function demoPicture(printed: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is taken out
  const lines = printed.replaceAll(/\u001b\[[0-9;]*m|\r/g, "").split("\n");
  const parts = wanted.map((heading) => {
    const from = lines.findIndex((line) => heading.test(line));
    if (from < 0) throw new Error(`no line of it is like ${heading}: needed what a demo that succeeded has printed`);
    const length = lines.slice(from).indexOf("");
    return lines.slice(from, length < 0 ? undefined : from + length);
  });
  return drawn(["$ npm run demo", "", ...parts.flatMap((part) => [...part, ""])].slice(0, -1));
}

/** Draws lines as an SVG. */
function drawn(lines: readonly string[]): string {
  const shown = lines.map((line) => (line.length > most ? `${line.slice(0, most - 1)}…` : line));
  const width = Math.ceil(Math.max(...shown.map(({ length }) => length)) * characterWidth) + 2 * padding;
  const height = shown.length * lineHeight + 2 * padding;
  const texts = shown.flatMap((line, at) =>
    line === ""
      ? []
      : [
          `<text x="${padding}" y="${padding + 13 + at * lineHeight}"${/^\S/.test(line) ? ' class="b"' : ""}>${escaped(line)}</text>`,
        ],
  );
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img" aria-label="The end of npm run demo">
<style>text{font:13px ui-monospace,Menlo,Consolas,monospace;fill:#c9d1d9;white-space:pre}.b{fill:#fff;font-weight:bold}</style>
<rect width="100%" height="100%" rx="8" fill="#0d1117"/>
${texts.join("\n")}
</svg>
`;
}

const escaped = (text: string) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
