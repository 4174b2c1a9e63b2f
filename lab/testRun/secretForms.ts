/** A secret of a lab run, which nothing may print. */
export interface Secret {
  /** Kind in words, such as `a stack's pass phrase`: reports name it instead of the secret. */
  readonly kind: string;
  readonly text: string;
}

/** A shorter text would be found in any output. */
const shortest = 8;
/** Shortest line of a key's body that counts; shorter ones are its last line. */
const shortestLine = 20;

/** Splits a secret into lines, each a secret of its own: a log may break it anywhere else. Drops short lines. */
function piecesOf(text: string): string[] {
  const lines = text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "" && !line.startsWith("-----"));
  return lines.length > 1
    ? lines.filter((line) => line.length >= shortestLine)
    : lines.filter((line) => line.length >= shortest);
}

/** Escapes a JSON text as Go does, which escapes characters that have a meaning in HTML. */
const goJson = (text: string) =>
  text.replace(/[<>&]/g, (each) => `\\u00${each.charCodeAt(0).toString(16).padStart(2, "0")}`);

/** Returns the base64 that any longer encoded text with this text contains, for each of the three possible offsets. */
function base64Of(text: string): string[] {
  const bytes = Buffer.from(text);
  return [0, 1, 2].flatMap((offset) => {
    const coded = Buffer.concat([Buffer.alloc(offset), bytes])
      .toString("base64")
      .replace(/=+$/, "");
    // The first digits share bits with the text before, the last with the text after.
    const from = offset === 0 ? 0 : offset + 1;
    const own = coded.slice(from, (offset + bytes.length) % 3 === 0 ? undefined : -1);
    return [own, own.replaceAll("+", "-").replaceAll("/", "_")];
  });
}

/** Returns a secret in all forms in which it may be printed: plain, and as in JSON, URLs, base64 and shells. */
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

/** Secrets that their form gives away, whoever made them. */
const patterns: readonly (readonly [kind: string, pattern: RegExp])[] = [
  ["a backup's identity", /AGE-SECRET-KEY-1[A-Z0-9]{20}/],
  ["a private key", /-----BEGIN [A-Z ]*PRIVATE KEY-----(\s|\\n|\\r)+[A-Za-z0-9+/]{40}/],
];

// biome-ignore lint/suspicious/noControlCharactersInRegex: what colours a terminal begins with one.
const colours = /\u001b\[[0-9;]*m/g;

/** Returns the kinds of secrets in a text, in any form, each once. Ignores colours, which may stand within one. */
export function kindsIn(printed: string, secrets: readonly Secret[]): string[] {
  const text = printed.replace(colours, "");
  const found = [
    ...secrets.filter(({ text: secret }) => formsOf(secret).some((form) => text.includes(form))),
    ...patterns.filter(([, pattern]) => pattern.test(text)).map(([kind]) => ({ kind })),
  ];
  return [...new Set(found.map(({ kind }) => kind))].sort();
}
