export function quote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

/** Quotes a text for the shell only if necessary, because operators read commands before they paste them. */
export function quoteShellWord(text: string): string {
  return /^[\w./:@%+=,-]+$/.test(text) ? text : quote(text);
}
