/** Lines that are commented out; a blank after the # marks words for the reader. */
const blocks = /(?:^ +#(?! \S).*\n)+/gm;

/**
 * Returns a stack's file once for each of its commented blocks, with that block active. A move's block also needs the
 * old host's, as the file says.
 */
export function uncommentEach(text: string): string[] {
  const found = [...text.matchAll(blocks)].map(([block]) => block);
  const oldHost = found.filter((block) => block.includes("#pillar-host:oldHost:"));
  return found.map((block) =>
    [block, ...(block.includes("move: true") && block !== oldHost[0] ? oldHost : [])].reduce(
      (whole, each) => whole.replace(each, () => each.replaceAll(/^( +)#/gm, "$1")),
      text,
    ),
  );
}
