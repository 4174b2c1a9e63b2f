import { describe } from "vitest";
import { hasReal, type RealProgram } from "../../../lab/real/realPrograms.ts";
import type { PluginKind } from "../../../lab/toolchain/plugins.ts";

/** Subject of a suite of expectations: the lab's double or the real thing. */
export type Kind = "double" | "real";

/**
 * Runs one interface's expectations against the lab's double and against the real thing, so that the double can't be
 * kinder. Skips the second half by name if the real thing is missing: the closing lines of a run count these titles
 * (lab/testRun/tally.ts).
 *
 * @param programs programs that the real half needs
 */
export function contract(name: string, programs: readonly RealProgram[], suite: (kind: Kind) => void): void {
  describe(`contract ${name}, the double`, () => suite("double"));
  realOnly(name, programs, () => suite("real"));
}

/** Expectations of the real thing alone, for which the lab has no double: skipped by name, and counted, as a contract's. */
export function realOnly(name: string, programs: readonly RealProgram[], suite: () => void): void {
  const missing = programs.filter((program) => !hasReal(program));
  const reason = missing.length === 0 ? "" : `: ${missing.join(", ")} not at hand`;
  describe.skipIf(missing.length > 0)(`contract ${name}, the real one${reason}`, suite);
}

/** Returns the plugin of a kind. */
export const kindOf = (kind: Kind): PluginKind => (kind === "double" ? "standIn" : "best");
