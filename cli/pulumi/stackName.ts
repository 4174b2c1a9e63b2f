/** Returns a stack's short name, without organization and project, as event logs and files use it. */
export const shortenStackName = (full: string): string => full.split("/").at(-1) ?? full;
