/** Returns a stack's own name, which records and files have, of one that may stand behind its organization and project. */
export const stackName = (full: string): string => full.split("/").at(-1) ?? full;
