/**
 * The version of something that an earlier or a later program wrote; 0 where it has none, from before there were any.
 *
 * @param what what it is and where, for the error
 * @throws where it is newer than what is known: nobody may guess what it says
 */
export function versionOf(found: unknown, known: number, what: string): number {
  if (found === undefined) return 0;
  if (typeof found === "number" && Number.isInteger(found) && found >= 0 && found <= known) return found;
  throw new Error(
    [
      `${what}: written by a newer version of this program; nothing was changed`,
      `  found: version ${JSON.stringify(found)}`,
      `  needed: version ${known} or older, or the program that wrote it (docs/upgrading.md)`,
      "  In the program's directory: git pull && npm ci --omit=dev --ignore-scripts, then run the same command again.",
    ].join("\n"),
  );
}
