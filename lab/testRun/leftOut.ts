/** Names the files that a run leaves out, for vitest.config.mts. */
export const leftOutVariable = "PILLAR_TEST_LEFT_OUT";

export function leftOut(): string[] {
  return (process.env[leftOutVariable] ?? "").split("\n").filter((file) => file !== "");
}
