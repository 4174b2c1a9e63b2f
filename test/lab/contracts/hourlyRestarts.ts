import { databaseProgram } from "../../../core/steps/database/program";
import { scriptOf } from "../../../core/steps/step";
import type { LabHost } from "../../../lab/lab";
import { onHost } from "../fixture";

/** Keeps what each end of the node leaves, before it is started again: what is started writes on it. */
export async function keepWhatIsLeft(host: LabHost): Promise<void> {
  await onHost(
    host,
    `cat > /etc/systemd/system/go-node.service.d/60-lab-left.conf << 'end'\n${left}end\nsystemctl daemon-reload`,
  );
}

const left = `[Service]
ExecStartPre=/bin/sh -c 'rm -rf /root/left && mkdir /root/left && cd /root/.znn && if [ -e nom ]; then cp -a nom consensus /root/left/; fi'
TimeoutStartSec=300
`;

/**
 * Lets a node take in the chain from its beginning, and runs the command of the hourly line in root's crontab, as cron does,
 * in the middle of that. The node runs again afterwards.
 *
 * @returns the judge's line of what the end of the node had left
 */
export async function restartInTheMiddle(host: LabHost): Promise<string> {
  const values = { service: "go-node", database_program: databaseProgram(), watcher };
  const script = scriptOf(values, "nodeStop", "database/database");
  const printed = await onHost(host, `host_name=h stack_word=prod\nset -euo pipefail\n${script}\n${restart}`);
  return printed.trim();
}

const restart = `
need_python >&2
dir=/root/.znn
command=$(crontab -u root -l | sed -n 's/^0 [*] [*] [*] [*] //p')
[ -n "$command" ]
stop_node
rm -rf "$dir/nom" "$dir/consensus" "$dir/network"
# More often than systemd likes.
systemctl reset-failed "$service" 2> /dev/null || true
systemctl start "$service"
before=$(node_main_pid)
python3 -c "$watcher" "$dir/nom"
env -i HOME=/root LOGNAME=root SHELL=/bin/sh PATH=/usr/bin:/bin /bin/sh -c "$command" >&2
[ "$(node_main_pid)" != "$before" ]
code=0
lines=$(judge_database /root/left) || code=$?
head -n 1 <<< "$lines"
`;

/** Waits until the journal has grown to somewhere. */
const watcher = `
import glob, os, random, sys, time
wanted = random.randint(30000, 400000)
stop = time.time() + 120
while time.time() < stop:
    try:
        size = sum(os.path.getsize(path) for path in glob.glob(sys.argv[1] + "/*.log"))
    except OSError:
        size = 0
    if size > wanted:
        break
time.sleep(random.random() / 10)
`;
