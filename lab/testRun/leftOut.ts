/** Names the environment variable with the files that vitest.config.mts excludes. */
export const leftOutVariable = "PILLAR_TEST_LEFT_OUT";

export function leftOut(): string[] {
  return (process.env[leftOutVariable] ?? "").split("\n").filter((file) => file !== "");
}
