/** Quotes a text for the shell. */
export function quote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

/** The same where it must be, else the text as it is: commands are read before they are pasted. */
export function shellWord(text: string): string {
  return /^[\w./:@%+=,-]+$/.test(text) ? text : quote(text);
}
