import { createHash } from "node:crypto";
import { expect } from "vitest";
import { parseFacts } from "../../../../core/host/facts.ts";
import { createOrchestratorVariables } from "../../../../core/host/hostPaths.ts";
import { formatHostFacts, readNodeFacts } from "../../../../core/host/nodeFacts.ts";
import { formatAssignments, type Value } from "../../../../core/ssh/shellWords.ts";
import { readFactsLibrary } from "../../../../core/steps/libraries.ts";
import { configOf } from "../../../components/exampleConfig.ts";
import { type Sandbox, test } from "../sandbox.ts";

const show = `case "$*" in
  *LoadState*) echo LoadState=loaded; echo ActiveState=active; echo SubState=running
    echo "StateChangeTimestamp=Sat 2026-11-21 14:00:03 \${TZ%0}"; echo NRestarts=0; echo Result=success ;;
  *Description*) echo 'pillar-host: deploy' ;; is-active*) echo inactive ;;
esac`;
const sound = {
  systemctl: show,
  wget: `echo '{"jsonrpc":"2.0","id":1,"result":{"numPeers":12,"peers":[{"a":1}]}}'`,
  df: "echo head; echo '80000000 50000000 /'",
  journalctl: "true",
  timedatectl: "echo yes",
  nproc: "echo 4",
};

/** Returns the facts of a sound host with these commands. */
async function factsOf(box: Sandbox, commands: Partial<typeof sound> = {}, withStages = false) {
  for (const [name, body] of Object.entries({ ...sound, ...commands })) box.command(name, body);
  const call = async (name: string, variables: Readonly<Record<string, unknown>> = {}) => {
    const values = formatAssignments(variables as Readonly<Record<string, Value>>);
    const { code, stdout, stderr } = await box.run(`${box.library(readFactsLibrary())}\n${values}${name}`);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    return stdout;
  };
  const { node } = configOf({ node: { dataDir: "/mnt" } });
  return formatHostFacts(await readNodeFacts({ address: "h", call }, node, { logLines: 3, withStages }));
}

test("the facts of a sound host, and nothing is written, because the disk may be full", async ({ box }) => {
  expect(await factsOf(box)).toEqual([
    "service: go-node is active (running) since 2026-11-21 14:00:03 UTC",
    "peers: 12",
    "disk: 51.2 of 81.9 GB free at /mnt",
    expect.stringMatching(/^memory: \d+ of \d+ MiB available, \d+ of \d+ MiB of swap used/),
    expect.stringMatching(/^load: [\d.]+ [\d.]+ [\d.]+ on 4 cores$/),
    expect.stringMatching(/^clock: \d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC, synchronized$/),
  ]);
  expect((await box.run(`find ${box.dir} -newer ${box.bin}/nproc -type f`)).stdout).toBe("");
});

const restarting = show
  .replace("=active", "=activating")
  .replace("running", "auto-restart")
  .replace("=0", "=7")
  .replace("success", "exit-code");
const masked = `case "$*" in *LoadState*) echo LoadState=masked; echo ActiveState=inactive ;; esac`;
const killed = "2026-11-21 kernel: Out of memory: Killed process 7 (go-node)";
const lack = "the kernel killed a process for lack of memory";
const nearlyFull = "Nearly full: the node stops without room";
const toWorld = "to the world, at the provider's firewall too?";
test.for<[Partial<typeof sound>, string]>([
  [
    { systemctl: restarting },
    "service: go-node is activating (auto-restart) since 2026-11-21 14:00:03 UTC, systemd restarted it 7 times after failures, its last result is exit-code",
  ],
  [
    { systemctl: show.replace("echo Result", "echo UnitFileState=disabled; echo Result") },
    "service: go-node is active (running) since 2026-11-21 14:00:03 UTC, no boot starts it (systemctl enable)",
  ],
  [{ systemctl: "echo LoadState=not-found" }, "service: the host has no unit go-node"],
  [{ systemctl: masked }, "service: go-node is inactive, and masked: it does not start again by itself"],
  [{ wget: `echo '{"result":{"numPeers": 0}}'` }, `peers: 0. Is 35995, tcp and udp, open ${toWorld}`],
  [{ wget: "exit 4" }, "peers: unknown, the RPC at 127.0.0.1:35997 does not answer"],
  [{ df: "echo head; echo '80000000     1000 /'" }, `disk: 0.0 of 81.9 GB free at /mnt. ${nearlyFull}`],
  [
    { df: `echo head; case $* in *itotal*) echo 5000000 999 ;; *) echo 80000000 50000000 / ;; esac` },
    `disk: 51.2 of 81.9 GB free at /mnt, 999 inodes free. ${nearlyFull}`,
  ],
  [
    { df: `echo head; case $* in *itotal*) echo 0 0 ;; *) echo 80000000 50000000 / ;; esac` },
    "disk: 51.2 of 81.9 GB free at /mnt",
  ],
  [{ journalctl: `case "$*" in *-k*) echo '${killed}' ;; esac` }, `memory: ${lack}: ${killed}`],
])("a fault of %j is a fact", async ([commands, line], { box }) => {
  expect(await factsOf(box, commands)).toContain(line);
});

test("the restarts of each unit, and its open files, are facts", async ({ box }) => {
  box.process(77, "znnd");
  await box.run("mkdir -p proc/77/fd");
  for (const file of [0, 1, 2]) box.write(`proc/77/fd/${file}`, "");
  box.write(
    "proc/77/limits",
    "Max processes  9  9  processes\nMax open files            1024                 4096                 files\n",
  );
  box.command(
    "systemctl",
    `case "$*" in *MainPID*node) echo 77 ;; *NRestarts*node) echo 5 ;; *MainPID*) echo 0 ;; esac`,
  );
  const values = formatAssignments({ services: ["go-node", "orchestrator"], groups: "facts_units" });
  const { code, stdout } = await box.run(`${box.library(readFactsLibrary())}\n${values}host_facts`);
  expect(code).toBe(0);
  expect(parseFacts(stdout, ["units"]).units).toEqual([
    { name: "go-node", restarts: 5, files: 3, limit: 1024 },
    { name: "orchestrator", restarts: 0, files: 0, limit: 0 },
  ]);
});

test("somebody else's node is a fact", async ({ box }) => {
  box.process(77, "znnd", "/system.slice/docker-4f1d.scope");
  const said = "service: the node does not run in go-node: znnd is process 77 in /system.slice/docker-4f1d.scope";
  expect(await factsOf(box)).toContain(said);
});

test("the log's last lines have no secrets and addresses, and are shortened", async ({ box }) => {
  const log = `Password: hunter2\\nz1qqjnwjjpnue8xmmpanz6csze6tcmtzzdtfsww7 elected\\n${"x".repeat(500)}`;
  const lines = await factsOf(box, { journalctl: `case "$*" in *-n\\ 4*) printf '${log}\\n' ;; esac` });
  expect(lines.slice(-3)).toEqual(["log: Password [removed]", "log: [address] elected", `log: ${"x".repeat(200)}`]);
});

test("the stack's stages are facts if asked for", async ({ box }) => {
  expect((await factsOf(box, {}, true))[0]).toBe("done so far: nothing");
  box.mark("packages.done", "2026-11-21T14:00:00Z\n");
  box.mark("deploy.done", "2026-11-21T14:10:00Z\nmore\n");
  const busy = show.replace("is-active*) echo inactive", "is-active*) echo active");
  expect((await factsOf(box, { systemctl: busy }, true)).slice(0, 2)).toEqual([
    "done so far: packages 2026-11-21T14:00:00Z, deployed 2026-11-21T14:10:00Z",
    "at work now: deploy",
  ]);
});

test("the facts before a move are those of the orchestrator's directory, and no file's name makes another one", async ({
  box,
}) => {
  box.command("systemctl", `case "$*" in *MainPID*) echo 0 ;; *LoadState*) echo LoadState=loaded ;; *) exit 3 ;; esac`);
  const name = "localstate-a\norchestratorMasked=yes\nb.json";
  await box.run("mkdir -p signer/tss; : > signer/tss/localstate-cd.json");
  for (const each of [name, "localstate-ab.json"]) box.write(`signer/tss/${each}`, "share");
  const paths = { service: "orchestrator", directory: `${box.dir}/signer`, executable: "orchestrator", rpcPort: 55000 };
  const variables = {
    ...createOrchestratorVariables(paths),
    tools: ["tar", "nosuch"],
    salt: "aa",
    groups: "facts_move",
  };
  const { code, stdout } = await box.run(
    `${box.library(readFactsLibrary())}\n${formatAssignments(variables)}host_facts`,
  );
  expect(code).toBe(0);
  expect(parseFacts(stdout, ["move"]).move).toMatchObject({
    unit: { load: "loaded", active: "" },
    active: false,
    masked: false,
    shares: ["tss/localstate-a?orchestratorMasked=yes?b.json", "tss/localstate-ab.json"],
    directory: "there",
    real: paths.directory,
    files: 5,
    special: 0,
    hasExecutable: false,
    lacks: ["nosuch"],
    process: undefined,
    user: undefined,
  });
});

/** Prints the facts before a move of a host on which systemd's commands answer so. */
async function moveFactsOf(box: Sandbox, systemctl: string, salt = "aa") {
  box.command("systemctl", `case "$*" in ${systemctl} *) exit 3 ;; esac`);
  const paths = { service: "orchestrator", directory: `${box.dir}/signer`, executable: "orchestrator", rpcPort: 55000 };
  const variables = { ...createOrchestratorVariables(paths), tools: [], salt, groups: "facts_move" };
  const library = box.library(readFactsLibrary()).replaceAll("/usr/local/lib/systemd/system", `${box.dir}/local`);
  const { stdout } = await box.run(`mkdir -p units local\n${library}\n${formatAssignments(variables)}host_facts`);
  return { stdout, facts: parseFacts(stdout, ["move"]).move };
}

/** Hashes values as a host does for a run with this salt. */
function hashed(values: Readonly<Record<string, string>>, salt: string) {
  const hash = (name: string, value: string) =>
    createHash("sha256").update(`${salt}\n${name}=${value}\n`).digest("hex");
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [name, value === "" ? "" : hash(name, value)]),
  );
}

test("the variables of a unit that does not run are facts: of its files, of theirs, and of all services", async ({
  box,
}) => {
  await box.run(
    "mkdir -p units/orchestrator.service.d local/orchestrator.service.d && ln -s /dev/null units/orchestrator.service",
  );
  box.write("secrets", "# a comment\n\nKEY_PASS='hunter2 x' \n  INDENTED=\nexport NO=1\nONE=last\n");
  box.write("more.env", "FROM_GLOB=1");
  box.write(
    "local/orchestrator.service",
    '[Service]\nEnvironment=ONE=1 "TWO=2 x" \\\n  THREE=3\nExecStart=/x FOUR=4\n',
  );
  box.write("local/orchestrator.service.d/zz-pillar-host.conf", "[Service]\nEnvironment=HOME=/root\n");
  box.write(
    "units/orchestrator.service.d/a.conf",
    `[Service]\nEnvironmentFile=-${box.dir}/secrets\nEnvironmentFile=${box.dir}/*.env\nEnvironmentFile=-/nonexistent\n#Environment=NOT=1\n`,
  );
  const systemctl = `show-environment) printf '%s\\n' LANG=de_DE.UTF-8 PATH=/bin http_proxy=http://p ;;`;
  const { stdout, facts } = await moveFactsOf(box, systemctl);
  const values = {
    FROM_GLOB: "1",
    INDENTED: "",
    KEY_PASS: "hunter2 x",
    ONE: "last",
    THREE: "3",
    TWO: "2 x",
    http_proxy: "http://p",
  };
  expect(Object.fromEntries(facts?.environment ?? [])).toEqual(hashed(values, "aa"));
  expect(stdout).not.toContain("hunter2");
  const other = await moveFactsOf(box, systemctl, "bb");
  expect(Object.fromEntries(other.facts?.environment ?? [])).toEqual(hashed(values, "bb"));
});

test("the variables of a running unit are those of its process, without systemd's own", async ({ box }) => {
  const given =
    "ONE=1 EMPTY= HOME=/root LANG=C PATH=/bin:/usr/bin INVOCATION_ID=2 STATE_DIRECTORY=/x LC_TIME=C SYSTEMD_EXEC_PID=3 LISTEN_ADDRESS=4 DATA_DIRECTORY=/y 'LINES=5\nINNER=6'";
  const running = await box.run(
    `env -i ${given} ORCHESTRATOR_PASS=hunter2 sleep 60 > /dev/null 2>&1 & until grep -qx sleep /proc/$!/comm; do :; done; echo $!`,
  );
  const pid = running.stdout.trim();
  const { stdout, facts } = await moveFactsOf(box, `*MainPID*) echo ${pid} ;;`);
  await box.run(`kill ${pid}`);
  const values = {
    DATA_DIRECTORY: "/y",
    EMPTY: "",
    LINES: "5\nINNER=6",
    LISTEN_ADDRESS: "4",
    ONE: "1",
    ORCHESTRATOR_PASS: "hunter2",
  };
  expect(Object.fromEntries(facts?.environment ?? [])).toEqual(hashed(values, "aa"));
  expect(stdout).not.toContain("hunter2");
});

test.for<[string, number, string, boolean]>([
  ["a run's lease", 20, "-", true],
  ["a lease whose time is over", -1, "-", false],
  ["the lease of a run that was killed", 20, "999999:1", false],
])("%s is a fact of the orchestrator", async ([_what, seconds, session, leased], { box }) => {
  box.command("systemctl", "exit 3");
  const until = Math.floor(Date.now() / 1000) + seconds;
  box.mark("orchestrator.lock", `token ${until} ${session} pillar-host/prod-2\n`);
  const paths = { service: "orchestrator", directory: `${box.dir}/signer`, executable: "orchestrator", rpcPort: 55000 };
  const variables = { ...createOrchestratorVariables(paths), groups: "facts_orchestrator" };
  const { stdout } = await box.run(`${box.library(readFactsLibrary())}\n${formatAssignments(variables)}host_facts`);
  expect(parseFacts(stdout, ["orchestrator"]).orchestrator?.leased).toBe(leased);
});
