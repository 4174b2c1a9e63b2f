import { existsSync } from "node:fs";
import { join } from "node:path";
import { labProgram } from "../util/labProgram.ts";

/**
 * A resident process ends when a run is interrupted; the next one takes its place, until the test run ends. One that
 * has ended, and whose parent has not asked for its exit code, keeps its directory in /proc, without its program.
 */
const keepResidents = `trap 'trap - TERM; kill 0' TERM
for kind in program provider; do while [ -e "/proc/$PILLAR_TEST_RUN/exe" ]; do "$@" "$kind"; sleep 0.1; done & done
wait`;

/**
 * Returns how to start the processes that hold the loaded program and its providers for the engine's runs
 * (lab/stack/resident.ts): the command that keeps them running, and the variables of a run that uses them.
 * @param dir for their sockets
 */
export async function residentsIn(dir: string) {
  const resident = [...(await labProgram(join(import.meta.dirname, "resident.ts"))), dir];
  const sockets = ["program.sock", "provider.sock"].map((name) => join(dir, name));
  return {
    command: ["bash", "-c", keepResidents, "residents", ...resident],
    areReady: () => sockets.every((socket) => existsSync(socket)),
    env: { PILLAR_LAB_RESIDENT: dir },
  };
}
