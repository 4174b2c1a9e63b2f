const removed = "[removed]";

const toJson = (text: string) => JSON.stringify(text).slice(1, -1);

/** Returns the forms in which a text may hold a secret: as it is, in JSON, in JSON within JSON, in a URL, in base64. */
function listForms(secret: string): string[] {
  const encoded = [0, 1, 2].flatMap((offset) => {
    const bytes = Buffer.concat([Buffer.alloc(offset), Buffer.from(secret)]);
    // Without the digits that share bits with the text before and after.
    const [from, to] = [Math.ceil((offset * 8) / 6), Math.floor((bytes.length * 8) / 6)];
    return [bytes.toString("base64").slice(from, to), bytes.toString("base64url").slice(from, to)];
  });
  const forms = [secret, toJson(secret), toJson(toJson(secret)), encodeURIComponent(secret)];
  return secret.length < 8 ? forms : [...forms, ...encoded];
}

/** Removes secrets whole, and each line of a secret of several lines, in every form. */
export function redactSecrets(text: string, secrets: readonly (string | undefined)[]): string {
  const values = secrets.flatMap((secret = "") => {
    const lines = secret.split("\n").filter((line) => line.trim().length > 7);
    return [secret, ...lines].filter((each) => each.trim() !== "").flatMap(listForms);
  });
  return values.sort((a, b) => b.length - a.length).reduce((left, each) => left.replaceAll(each, removed), text);
}

/** Words that announce a secret, those of common.sh among them. */
const words =
  "(pass(?:word|phrase|wd)?|mnemonic|entropy|seed|secret|private[ _-]?key(?!file)|authorization|bearer|(?:api|access)[ _-]?(?:key|token))";
const onNextLine = new RegExp(`${words}["']?\\s*[:=]\\s*["'{[]?\\s*\\n[^\\n]*`, "gi");
const onThisLine = new RegExp(`${words}[^\\n]*`, "gi");

/** Removes what looks like a secret, as redact in common.sh does on hosts; of URLs user and path, which may hold one. */
export function redactSecretsAndPaths(text: string): string {
  return (
    text
      .replaceAll(/-----BEGIN[\s\S]*?(-----END[^\n]*?-----|\n\n|$)/g, removed)
      .replaceAll(onNextLine, `$1 ${removed}`)
      .replaceAll(onThisLine, `$1 ${removed}`)
      .replaceAll(/:\/\/[^\s/"']*@/g, "://")
      .replaceAll(/\b((?:wss?|https?):\/\/[^/\s"']+)\/[^\s"']+/g, `$1/${removed}`)
      // Long words, but no paths: a long secret has a digit or two capitals in a row.
      .replaceAll(/(?<![\w+/=-])(?=[\w+/=-]*(\d|[A-Z]{2}))[\w+/=-]{40,}/g, removed)
      // Word lists.
      .replaceAll(/(?:[a-z]{3,8}(?:\\[nrt]|[\s"',.)\d])+){11,}[a-z]{3,8}/g, removed)
  );
}
