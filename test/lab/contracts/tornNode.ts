import { databaseProgram } from "../../../core/steps/database/program";
import { scriptOf } from "../../../core/steps/step";
import type { LabHost } from "../../../lab/lab";

/** How a node is ended in the middle of taking in momentums: as the controller's unit does, or as this program's does. */
export type End = "SIGKILL" | "SIGTERM";

/** What one try left: the line of the judge. */
export type Try = string;

/**
 * Lets a node take in the chain from its beginning, and ends it while it writes, again and again: until its database is
 * torn so that half of a momentum is there (what is torn otherwise is told, and not kept), or so many times.
 */
export async function endInTheMiddle(host: LabHost, end: End, tries: number): Promise<Try[]> {
  const values = { service: "go-node", database_program: databaseProgram(), end, tries, watcher };
  const script = scriptOf(values, "nodeStop", "database/database");
  const { stdout, stderr, exitCode } = await host.run(
    `host_name=h stack_word=prod\nset -euo pipefail\n${script}\n${loop}`,
  );
  if (exitCode !== 0) throw new Error(`exit ${exitCode}: ${stderr}`);
  return stdout.trim().split("\n");
}

const loop = `
need_python
dir=/root/.znn
for _ in $(seq "$tries"); do
  systemctl stop "$service"
  rm -rf "$dir/nom" "$dir/consensus" "$dir/network"
  # More often than systemd likes.
  systemctl reset-failed "$service" 2> /dev/null || true
  systemctl start "$service"
  python3 -c "$watcher" "$(node_main_pid)" "$end" "$dir/nom"
  # SIGTERM comes from systemd, as it comes from whoever stops the node: with this program's file. A killed one is on its way
  # to be started again.
  systemctl stop "$service"
  lines=$(judge_database "$dir") || true
  line=$(head -n 1 <<< "$lines")
  echo "$line"
  case $line in "nom torn "*" undo "*) break ;; esac
done
`;

/**
 * Waits until the journal has grown to somewhere; one that is to be killed is killed at the next write, by looks that take
 * microseconds: the parts of a momentum are written in a row, and some of them are still to come then.
 */
const watcher = `
import glob, os, random, signal, sys, time
pid, end, nom = int(sys.argv[1]), sys.argv[2], sys.argv[3]
wanted = random.randint(30000, 400000)
stop = time.time() + 60
size = 0
while time.time() < stop and size <= wanted:
    try:
        sizes = {path: os.path.getsize(path) for path in glob.glob(nom + "/*.log")}
    except OSError:
        sizes = {}
    size = sum(sizes.values())
if end == "SIGKILL":
    newest = max(sizes) if sizes else None
    journal = os.open(newest, os.O_RDONLY) if newest else None
    while newest and time.time() < stop and os.fstat(journal).st_size <= sizes[newest]:
        pass
    os.kill(pid, signal.SIGKILL)
else:
    time.sleep(random.random() / 1000)
`;
