import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Backup } from "../../../core/eventLog/events.ts";
import { createPathVariables } from "../../../core/host/hostPaths.ts";
import { takeBackup } from "../../../core/orchestrator/backup/backup.ts";
import { createMoveInputs } from "../../../core/orchestrator/hosts/moveInputs.ts";
import { formatJournal } from "../../../core/orchestrator/rules/journal.ts";
import type { Stage } from "../../../core/orchestrator/rules/journalStages.ts";
import { readAnswer } from "../../../core/ssh/answer.ts";
import { asRoot } from "../../../core/ssh/root.ts";
import { formatAssignments, type Value } from "../../../core/ssh/shellWords.ts";
import { readOrchestratorLibrary, readRetirementLibrary } from "../../../core/steps/libraries.ts";
import { orchestrator } from "../../../core/steps/orchestratorSteps.ts";
import { createEnvelope } from "../../../core/steps/step.ts";
import type { ExampleDir } from "../../../lab/doubles/orchestrator/exampleDir.ts";
import { keyShareName, nextPublicKey } from "../../../lab/doubles/orchestrator/keyShare.ts";
import type { Lab, LabHost } from "../../../lab/lab.ts";
import { setUpOrchestrator } from "../../../lab/oldHost/runningOrchestrator.ts";
import { setUpSyncedNode } from "../../../lab/oldHost/syncedNode.ts";
import { configOf } from "../../components/exampleConfig.ts";
import { exampleJournal } from "../../core/orchestrator/exampleMove.ts";
import { localRoot } from "../../core/orchestrator/localRoot.ts";
import { moveNamed } from "../../moveNamed.ts";
import type { Outcome } from "../../providers/runProvider.ts";
import { onHost, testLab } from "../fixture.ts";
import { runAtOperator } from "./providerRun.ts";

let lab: Lab;
let from: LabHost;
let to: LabHost;
let state: ExampleDir;
let nodePassword: string;

beforeAll(async () => {
  lab = await testLab();
  [from, to] = [await lab.addHost("old"), await lab.addHost("new")];
});

afterAll(async () => lab?.down());

const directory = () => join(lab.dir, "mine/backups");

/** Returns the provider's inputs from the component, for a configuration with these keys in `oldHost`. */
function inputs(changes: object = {}, backups = directory()) {
  const privateKey = readFileSync(lab.privateKeyFile, "utf8");
  const config = configOf({
    host: { provider: "existing", address: to.address, hostKey: to.hostKey },
    ssh: { privateKey },
    oldHost: { address: from.address, hostKey: from.hostKey, ...changes },
    orchestrator: {
      release: { url: "https://release.example/o.zip", version: "v0.0.9a", sha256: "0".repeat(64) },
      move: true,
      firstMove: "acknowledged",
      backup: { directory: backups },
    },
  });
  return createMoveInputs(config, to.address, to.hostKey);
}

/** Runs the backup's provider with inputs of its own; the state has the host alone. */
const run = (method: "create" | "update", given: object, olds?: object) => {
  const host = { stack: "prod", address: to.address, hostKey: to.hostKey };
  const states = method === "create" ? [host] : ["orchestrator-backup", olds, host];
  return runAtOperator(lab, ["OrchestratorBackup", given], method, ...states);
};
const listed = (host: LabHost) =>
  onHost(host, "find /root/.orchestrator /var/lib/pillar-host -printf '%p %m %s %C@\\n' 2> /dev/null | sort");
const backupOf = ({ result }: Outcome) => result?.outs.backup as Backup;

describe("checks before the first change", () => {
  it("names all problems of both hosts and of this machine at once, and changes nothing", async () => {
    state = await setUpOrchestrator(lab, from, {
      started: false,
      keyShare: false,
      extraFiles: { count: 2000, bytes: 4000 },
    });
    await onHost(from, "echo '{\"half\": ' > /root/.orchestrator/config.json; rm /root/.orchestrator/producer");
    await onHost(to, "mkdir -p /root/.orchestrator/tss && echo '{}' > /root/.orchestrator/tss/localstate-x.json");
    mkdirSync(directory(), { recursive: true });
    execFileSync("mount", ["-t", "tmpfs", "-o", "size=1m", "tmpfs", directory()]);
    const before = [await listed(from), await listed(to)];
    const { error, log } = await run("create", inputs({ copyAddress: "127.0.0.9", port: 22 })).finally(() =>
      execFileSync("umount", [directory()]),
    );
    const told = error?.message.split("\n").filter((line) => /^(The|-)/.test(line));
    expect(told).toEqual([
      "The orchestrator can't be moved yet; nothing was touched on either host. 8 things stand in the way:",
      `- ${from.address}: the orchestrator does not run (orchestrator)`,
      `- ${from.address}: the orchestrator gives no good answer on 127.0.0.1:55000`,
      `- ${from.address}: files in /root/.orchestrator are missing or damaged`,
      `- ${from.address}: the orchestrator has no share of the bridge's present key, and signs nothing`,
      `- ${to.address}: /root/.orchestrator is in the way`,
      `- ${to.address}: the new host does not reach the old one's ssh at 127.0.0.9:22`,
      `- ${to.address}: the node is not synced now`,
      "- this machine has no room for the backup",
    ]);
    expect(error?.message).toContain(
      "  Is this orchestrator to move without a share? pulumi config set --path pillar-host:orchestrator.noKeyShare 1",
    );
    expect([await listed(from), await listed(to)]).toEqual(before);
    expect(readdirSync(directory())).toEqual([]);
    expect(log).toHaveLength(1);
  });
});

describe("the first backup", () => {
  const dropIns = "/etc/systemd/system/orchestrator.service.d";
  let done: Outcome;
  afterAll(async () => {
    for (const host of [from, to]) await onHost(host, `rm -rf ${dropIns}; systemctl daemon-reload`);
  });

  it("is taken from a running orchestrator and proved; the run shows both hosts' versions", async () => {
    for (const host of [from, to])
      await onHost(
        host,
        `rm -rf /root/.orchestrator; mkdir -p ${dropIns}
         printf '[Service]\nEnvironment=LAB_SAME=1 "LAB_PROXY=a proxy of ${host.name}"\n' > ${dropIns}/lab.conf`,
      );
    await Promise.all([lab.chain("PATCH", "/orchestrators/old", { syncPollMs: 500 }), setUpSyncedNode(lab, to)]);
    nodePassword = (await setUpSyncedNode(lab, from)).password;
    state = await setUpOrchestrator(lab, from, { extraFiles: { count: 2000, bytes: 4000 } });
    await onHost(
      from,
      `cd /root/.orchestrator && touch -- '-rf' $'two\\nlines' "it's \\"quoted\\"" 'ünïcode-日本' && truncate -s 30M sparse`,
    );
    done = await run("create", inputs());
    expect(done.error).toBeUndefined();
    expect(done.log.join("\n")).toMatch(
      new RegExp(
        `orchestrator: old host ${from.address}: v0.0.9a .*, state: LiveState, .* key shares: 1\n.*new host ${to.address}: v0.0.9a`,
      ),
    );
    expect(done.log).toContain("orchestrator: its unit has another value than the old host's for LAB_PROXY");
    expect(JSON.stringify(done)).not.toContain("a proxy of");
    expect(done.result?.outs).toMatchObject({ oldVersion: "v0.0.9a", oldIdentity: { tssPeerId: state.identity } });
    expect(backupOf(done).files).toBeGreaterThan(2000);
    expect(await onHost(from, "systemctl is-active orchestrator")).toBe("active");
  });

  it("refuses a share of an earlier key than the chain's, even if it was backed up", async () => {
    const before = await listed(to);
    await lab.chain("PATCH", "/bridge", { compressedTssECDSAPubKey: nextPublicKey(state.bridgeKey) });
    const { error } = await run("create", inputs());
    await lab.chain("PATCH", "/bridge", { compressedTssECDSAPubKey: state.bridgeKey });
    const told = error?.message.replaceAll("\n    ", "\n") ?? "";
    expect(told).toContain(
      `- ${from.address}: the orchestrator has no share of the bridge's present key, and signs nothing\nfound: ${state.keyShareFile}\nneeded: tss/${keyShareName(nextPublicKey(state.bridgeKey))}, of the key`,
    );
    expect(await listed(to)).toBe(before);
    expect(await onHost(from, "systemctl is-active orchestrator")).toBe("active");
    expect(backupOf(await run("create", inputs()))).toEqual(backupOf(done));
  });

  it("log, state and this machine's files hold no secret", () => {
    const { old: _old, new: _new, node: _node, ...kept } = done.result?.outs ?? {};
    const files = readdirSync(directory()).map((name) => readFileSync(join(directory(), name)).toString("latin1"));
    expect(files).toHaveLength(3);
    const texts = [JSON.stringify(kept), ...done.log, ...files];
    for (const secret of [...state.secrets, nodePassword])
      for (const each of texts) expect(each.includes(secret)).toBe(false);
  });

  it("an update returns at once, without a lookup on the old host", async () => {
    const news = { ...inputs({ port: 1 }), references: ["http://127.0.0.1:1"] };
    const again = await run("update", news, done.result?.outs);
    expect(backupOf(again)).toEqual(backupOf(done));
    expect(again.log).toEqual([]);
  });

  it("opens on a third host with age and tar alone, every file as in the manifest", async () => {
    const third = await lab.addHost("third");
    const { file, identityFile, manifestFile } = backupOf(done);
    execFileSync("cp", [file, join(third.root, "root/backup.tar.age")]);
    execFileSync("cp", [identityFile, join(third.root, "root/identity")]);
    await onHost(third, "apt-get update -qq && apt-get install -qqy age > /dev/null 2>&1");
    await onHost(
      third,
      "mkdir /root/opened && age -d -i /root/identity /root/backup.tar.age | tar -x --numeric-owner -p -C /root/opened",
    );
    const { entries } = JSON.parse(readFileSync(manifestFile, "utf8")) as {
      entries: { path: string; mode: string; owner: string; sha256?: string }[];
    };
    const lines = entries
      .filter(({ sha256 }) => sha256)
      .map(({ path, mode, owner, sha256 }) => `${sha256} ${mode} ${owner} ${path}\u0000`);
    const found = await onHost(
      third,
      `cd /root/opened && find . -type f -print0 | while IFS= read -r -d '' file; do
        printf '%s %s %s\\0' "$(sha256sum < "$file" | cut -c 1-64)" "$(stat -c '%a %u:%g' -- "$file")" "\${file#./}"; done | base64 -w 0`,
    );
    const opened = Buffer.from(found, "base64")
      .toString("utf8")
      .split("\0")
      .filter(Boolean)
      .map((line) => `${line}\0`);
    expect(opened.sort()).toEqual(lines.sort());
    expect(opened.some((line) => line.endsWith("root/.znn/wallet/producer\0"))).toBe(true);
    expect(readFileSync(join(third.root, "root/opened/root/.orchestrator", String(state.keyShareFile)), "utf8")).toBe(
      state.files[String(state.keyShareFile)]?.text,
    );
  });

  it("takes a missing backup again", async () => {
    execFileSync("truncate", ["-s", "100", backupOf(done).file]);
    const again = await run("update", inputs(), done.result?.outs);
    expect(again.error).toBeUndefined();
    expect(backupOf(again).file).not.toBe(backupOf(done).file);
    expect(existsSync(backupOf(done).file)).toBe(true);
  });
});

describe("units that are enabled from another directory", () => {
  const etc = "/etc/systemd/system";
  /** Runs functions of a library on the old host, as a call over ssh does. */
  const call = async (library: string, names: string, variables: Readonly<Record<string, Value>>) => {
    const functions = library.split(asRoot)[1];
    const named = formatAssignments({ host_name: "old", stack_word: "prod", ...variables });
    const { exitCode, stdout, stderr } = await from.run("bash -euo pipefail", `${functions}\n${named}${names}`);
    expect(exitCode, String(stderr)).toBe(0);
    return String(stdout);
  };
  /** Returns a unit's files and whether it runs, after systemd has read all units again. */
  const stateOf = (service: string) =>
    onHost(
      from,
      `systemctl daemon-reload; cd ${etc}; readlink ${service}.service multi-user.target.wants/${service}.service
       ls | grep -F ${service}; systemctl is-enabled ${service} || true; systemctl is-active ${service} || true`,
    );
  const linked = async (service: string) => {
    await onHost(
      from,
      `systemctl disable -q ${service}; mkdir -p /opt/units; mv ${etc}/${service}.service /opt/units
       systemctl enable -q /opt/units/${service}.service; systemctl restart ${service}`,
    );
    return stateOf(service);
  };

  it("a fence masks the orchestrator's unit and keeps its link, and a rollback starts it as before", async () => {
    const before = await linked("orchestrator");
    expect(before).toBe(
      "/opt/units/orchestrator.service\n/opt/units/orchestrator.service\norchestrator.service\nenabled\nactive",
    );
    const shared = { token: "me", service: "orchestrator", directory: "/root/.orchestrator", rpc_port: 55000 };
    const written = (stage: Stage) => Buffer.from(formatJournal(exampleJournal("old", stage))).toString("base64");
    const fenced_store = `producer.moved-to-${to.address}-20260101T000000Z`;
    const variables = { ...shared, side: "old", executable: "orchestrator", fenced_store };
    const stopping = { ...variables, journal: "", next_journal: written("stopping") };
    await call(readOrchestratorLibrary(), "orchestrator_take_lease; orchestrator_stop; orchestrator_fence", stopping);
    expect(await stateOf("orchestrator")).toMatch(/^\/dev\/null\n.*\norchestrator.service.moved\nmasked\ninactive$/s);
    await onHost(from, "! systemctl start orchestrator 2> /dev/null");
    const restored = { ...variables, journal: stopping.next_journal, next_journal: written("restored"), enable: "no" };
    const undo = "orchestrator_take_lease; orchestrator_restore; orchestrator_settle";
    await call(readOrchestratorLibrary(), undo, restored);
    // No ssh session ends the lease of these calls.
    await onHost(from, "rm /var/lib/pillar-host/orchestrator.lock");
    expect(await stateOf("orchestrator")).toBe(before);
  });

  it("a retirement keeps the node's link although disabling removes it, and its undo starts the node", async () => {
    const before = await linked("go-node");
    const orchestrator = { service: "x", directory: "/x", executable: "x", rpcPort: 1 };
    const places = createPathVariables({ service: "go-node", dataDir: "/root/.znn", rpcPort: 35997, orchestrator });
    await call(readRetirementLibrary(), "retire_stop", places);
    expect(await onHost(from, `readlink ${etc}/go-node.service ${etc}/go-node.service.retired`)).toBe(
      "/dev/null\n/opt/units/go-node.service",
    );
    expect(await onHost(from, "systemctl start go-node 2> /dev/null || systemctl is-active go-node || true")).toBe(
      "inactive",
    );
    await call(readRetirementLibrary(), "unmask_node", places);
    expect(await stateOf("go-node")).toBe(before);
  });

  it("a second installation takes the link over, and its unit is the masked one", async () => {
    await onHost(
      from,
      `systemctl stop orchestrator; rm -f /var/lib/pillar-host/orchestrator.json; mkdir -p ${etc}/orchestrator.service.d
       printf '[Service]\nRestart=on-failure\nEnvironment=HOME=/x\n' > ${etc}/orchestrator.service.d/override.conf`,
    );
    const config = configOf({ oldHost: { address: to.address, hostKey: to.hostKey }, orchestrator: { move: true } });
    const script = createEnvelope(orchestrator(config), { hostName: "old", stack: "prod" });
    const { exitCode, stdout, stderr } = await from.run("bash -euo pipefail -s", script);
    const answer = readAnswer(script, { stdout: String(stdout), stderr: String(stderr) });
    expect([exitCode, answer.isDone, answer.stderr]).toEqual([0, true, ""]);
    expect(stdout).toContain(
      "/opt/units/orchestrator.service is kept as /usr/local/lib/systemd/system/orchestrator.service",
    );
    await onHost(from, `rm ${etc}/orchestrator.service; systemctl daemon-reload; systemctl enable -q orchestrator`);
    expect(await onHost(from, "systemctl show -p ExecStart,LoadState --value orchestrator")).toMatch(
      /path=\/usr\/local\/bin\/orchestrator .*\nloaded$/,
    );
    const place = { service: "orchestrator", executable: "orchestrator", directory: "/x", p2p_port: 1 };
    expect(await call(readOrchestratorLibrary(), "orchestrator_life", place)).toMatch(
      /^Restart=always\n(.*\n)*Home=\/root$/m,
    );
  });
});

it("reports a full disk of the operator, and leaves no partial backup", async () => {
  const root = localRoot();
  const small = join(root.scratch, "small");
  mkdirSync(small);
  writeFileSync(join(root.scratch, "big"), Buffer.alloc(3_000_000));
  execFileSync("mount", ["-t", "tmpfs", "-o", "size=1m", "tmpfs", small]);
  const what = { label: "first", files: { base: root.scratch, paths: ["big"] }, changing: [], isJson: () => false };
  const world = { now: () => Date.now(), ticks: () => 0, sleep: async () => undefined, say: () => undefined };
  const directory = join(small, "backups");
  const settings = { directory, move: moveNamed("pillar-host/prod/Anvil/1") };
  const error = await takeBackup(root, what, settings, world).catch((thrown: Error) => thrown);
  const left = readdirSync(directory);
  execFileSync("umount", [small]);
  root.close();
  expect(String(error)).toContain(
    `the backup could not be written on this machine: ${directory}\n  found: ENOSPC: no space left on device`,
  );
  expect(left).toEqual([]);
});
