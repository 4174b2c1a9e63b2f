/** What lab runs use and nobody may print. */
export interface Secret {
  /** In words, as `a stack's pass phrase`: told where it is found, in its place. */
  readonly kind: string;
  readonly text: string;
}

/** A text that is shorter is found anywhere. */
const shortest = 8;
/** Of a key's body a line; what is shorter is a rest of it. */
const shortestLine = 20;

/** The lines of a secret of several, each a secret of its own: a log may break it anywhere else. */
function piecesOf(text: string): string[] {
  const lines = text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "" && !line.startsWith("-----"));
  return lines.length > 1
    ? lines.filter((line) => line.length >= shortestLine)
    : lines.filter((line) => line.length >= shortest);
}

/** As Go writes it into JSON, which escapes what HTML would mean something else by. */
const goJson = (text: string) =>
  text.replace(/[<>&]/g, (each) => `\\u00${each.charCodeAt(0).toString(16).padStart(2, "0")}`);

/** The part of a text's base64 that is its own, at each of the three places at which it can begin in a longer one. */
function base64Of(text: string): string[] {
  const bytes = Buffer.from(text);
  return [0, 1, 2].flatMap((offset) => {
    const coded = Buffer.concat([Buffer.alloc(offset), bytes])
      .toString("base64")
      .replace(/=+$/, "");
    // The first digits have bits of what goes before, the last of what comes after.
    const from = offset === 0 ? 0 : offset + 1;
    const own = coded.slice(from, (offset + bytes.length) % 3 === 0 ? undefined : -1);
    return [own, own.replaceAll("+", "-").replaceAll("/", "_")];
  });
}

/** A secret in all the forms in which something prints it: as it is, and as JSON, URLs, base64 and shells have it. */
export function formsOf(text: string): string[] {
  const forms = piecesOf(text).flatMap((piece) => {
    const json = JSON.stringify(piece).slice(1, -1);
    const url = encodeURIComponent(piece);
    const shell = piece.replace(/[^A-Za-z0-9_@%+=:,./-]/g, "\\$&");
    return [
      ...[piece, json, goJson(json), JSON.stringify(json).slice(1, -1)],
      ...[url, url.replace(/[!'()*]/g, (each) => `%${each.charCodeAt(0).toString(16).toUpperCase()}`)],
      ...[String(new URLSearchParams([["", piece]])).slice(1), ...base64Of(piece)],
      ...[shell, piece.replaceAll("'", "'\\''"), piece.replace(/["$`\\]/g, "\\$&")],
    ];
  });
  return [...new Set(forms)].filter((form) => form.length >= shortest);
}

/** Secrets by their own form, whoever made them. */
const patterns: readonly (readonly [kind: string, pattern: RegExp])[] = [
  ["a backup's identity", /AGE-SECRET-KEY-1[A-Z0-9]{20}/],
  ["a private key", /-----BEGIN [A-Z ]*PRIVATE KEY-----(\s|\\n|\\r)+[A-Za-z0-9+/]{40}/],
];

// biome-ignore lint/suspicious/noControlCharactersInRegex: what colours a terminal begins with one.
const colours = /\u001b\[[0-9;]*m/g;

/** The kinds of secrets that a text has in any form, each once. Colours may stand within one. */
export function kindsIn(printed: string, secrets: readonly Secret[]): string[] {
  const text = printed.replace(colours, "");
  const found = [
    ...secrets.filter(({ text: secret }) => formsOf(secret).some((form) => text.includes(form))),
    ...patterns.filter(([, pattern]) => pattern.test(text)).map(([kind]) => ({ kind })),
  ];
  return [...new Set(found.map(({ kind }) => kind))].sort();
}
