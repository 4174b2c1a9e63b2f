import fc from "fast-check";
import { describe, expect } from "vitest";
import { parseFacts } from "../../../../core/host/facts.ts";
import { createPathVariables } from "../../../../core/host/hostPaths.ts";
import { formatJournal } from "../../../../core/orchestrator/rules/journal.ts";
import type { Stage } from "../../../../core/orchestrator/rules/journalStages.ts";
import { arrangeHostFacts } from "../../../../core/retirement/readHost.ts";
import { formatAssignments } from "../../../../core/ssh/shellWords.ts";
import { readRetirementLibrary } from "../../../../core/steps/libraries.ts";
import { exampleJournal } from "../../orchestrator/exampleMove.ts";
import { test as boxed, replaceAll, type Sandbox } from "../sandbox.ts";

const address = "z1qqjnwjjpnue8xmmpanz6csze6tcmtzzdtfsww7";

/** A host with systemd's answers for units in files, and its units below the box. */
const test = boxed.extend<{ host: Sandbox }>({
  host: async ({ box }, use) => {
    box.command(
      "systemctl",
      `echo "$@" >> "$sandbox/asked"
     case $1 in
       is-active) cat "$sandbox/active-$2" 2> /dev/null ;;
       show) cat "$sandbox/pid" 2> /dev/null || echo 0 ;;
       kill) [ -e "$sandbox/deaf" ] || rm "$sandbox/pid" ;;
     esac`,
    );
    box.command("ss", 'echo "LISTEN 0 4096 *:35997"');
    box.command("hostname", 'echo "192.0.2.7 "');
    await use(box);
  },
});

/** Calls a function as the program does, with short waits. */
function call(box: Sandbox, name: string) {
  const names = { service: "orchestrator", executable: "orchestrator" };
  const orchestrator = { ...names, directory: `${box.dir}/signer`, rpcPort: 55000 };
  const places = { service: "go-node", dataDir: `${box.dir}/znn`, rpcPort: 35997, orchestrator };
  const functions = replaceAll(box.library(readRetirementLibrary()), [
    ["ends=$((SECONDS + 60))", "ends=$((SECONDS + 1))"],
    ["node_stop_limit=300", "node_stop_limit=1"],
  ]);
  return box.run(`mkdir -p units\n${functions}\n${formatAssignments(createPathVariables(places))}${name}`);
}

/** Returns the calls of systemctl. */
const asked = (box: Sandbox) =>
  (box.read("asked") ?? "").split("\n").filter((line) => !/^(show|is-active) /.test(line));

const askFacts = "groups=facts_retirement; host_facts";

async function factsOf(box: Sandbox) {
  const { stdout, stderr } = await call(box, askFacts);
  expect(stderr).toBe("");
  const { retirement } = parseFacts(stdout, ["retirement"]);
  if (retirement === undefined) throw new Error("cut off");
  const { addresses, ...facts } = arrangeHostFacts(retirement, "h");
  expect(addresses).toEqual(["192.0.2.7"]);
  return facts;
}

const parts = ["configuration", "key store", "key share"];
const nothing = {
  active: false,
  masked: false,
  hasDirectory: false,
  hasKeyStore: false,
  shares: [],
  sharesBeside: [],
  unit: { load: "", active: "", sub: "", since: "", restarts: 0, result: "" },
};
const none = { ...nothing, connections: [], leased: false };
const signerOf = (facts: object) => ({ ...none, lacks: parts, ...facts });
const shown = { code: 0, stdout: "", stderr: "" };
const unit = "mkdir units; echo '[Unit]' > units/go-node.service";

describe("the facts of a host", () => {
  test("describe an empty host", async ({ host: box }) => {
    const node = { active: false, masked: false };
    expect(await factsOf(box)).toEqual({ hasKeyStore: false, node, orchestrator: signerOf({}), marks: {} });
  });

  test("list the connections that the orchestrator has made, in its own network", async ({ host: box }) => {
    for (const [pid, name] of [
      [70, "orchestrator"],
      [71, "znnd"],
    ] as const)
      box.process(pid, name);
    await box.run("mkdir -p proc/70/fd proc/70/net proc/71/fd proc/71/net; cd proc; ln -s /dev/null 70/fd/0");
    const link = (pid: number, fd: number, inode: number) => `ln -s 'socket:[${inode}]' proc/${pid}/fd/${fd}`;
    await box.run([3, 4, 5, 6, 7].map((fd) => link(70, fd, fd * 111)).join("; "));
    await box.run(`${link(70, 8, 888)}; ${link(71, 3, 999)}`);
    // As Linux 5.10 prints it: this host's end, the other end, the state, and the inode in the tenth column.
    const row = (here: string, there: string, state: string, inode: number) =>
      `   0: ${here} ${there} ${state} 00000000:00000000 02:00000D77 00000000     0        0 ${inode} 2 0000000000000000 20 4 30 10 -1\n`;
    const mapped = "0000000000000000FFFF0000";
    const heading =
      "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n";
    const rows = [
      row("00000000:D70F", "00000000:0000", "0A", 333),
      row("077100CB:9C40", "057100CB:8C9E", "01", 444),
      // A peer's, which came in; one to this host's own address; one that ended; another process's.
      row("077100CB:D70F", "637100CB:9C41", "01", 555),
      row("077100CB:9C42", "077100CB:8C9E", "01", 666),
      row("077100CB:9C43", "057100CB:8C9F", "06", 777),
      row("077100CB:9C44", "057100CB:8CA0", "01", 999),
    ];
    box.write("proc/70/net/tcp", heading + rows.join(""));
    box.write("proc/70/net/tcp6", heading + row(`${mapped}077100CB:9C45`, `${mapped}057100CB:1F91`, "01", 888));
    box.write("proc/71/net/tcp", heading + rows.join(""));
    expect((await factsOf(box)).orchestrator.connections).toEqual([
      { host: "203.0.113.5", port: 35998 },
      { host: "127.0.0.1", port: 35998 },
      { host: "203.0.113.5", port: 8081 },
    ]);
  });

  test("describe a running node and orchestrator, with the stack's markers and no password", async ({ host: box }) => {
    await box.run(`mkdir -p znn/wallet signer; echo key | tee signer/producer > znn/wallet/producer
      echo '{"Producer": {"Address": "${address}", "Password": "hunter2"}}' > znn/config.json
      echo active > active-go-node; echo activating > active-orchestrator`);
    box.mark("stack", "pillar-host/prod Anvil\n");
    box.mark("deploy.done");
    expect((await call(box, askFacts)).stdout).not.toContain("hunter2");
    expect(await factsOf(box)).toEqual({
      producer: address,
      hasKeyStore: true,
      node: { active: true, masked: false },
      orchestrator: signerOf({ active: true, hasDirectory: true, hasKeyStore: true }),
      marks: { stack: "pillar-host/prod Anvil", "deploy.done": "2026-01-02T03:04:05Z" },
    });
  });

  const fenced = `mkdir -p signer/tss signer/keys.moved-to-x; echo key > signer/keys.moved-to-x/store
    echo '{"ProducerKeyFileName": "keys"}' > signer/config.json; echo share > signer/tss/localstate-ab.json`;
  test.for<[string, string, object]>([
    [
      "masked units and a key store moved aside",
      "mkdir units signer; ln -s /dev/null units/go-node.service; ln -s /dev/null units/orchestrator.service; echo key > signer/producer.moved-to-x",
      {
        node: { active: false, masked: true },
        orchestrator: signerOf({ masked: true, hasDirectory: true, lacks: ["configuration", "key share"] }),
      },
    ],
    [
      "a fenced orchestrator's files under the configured names",
      fenced,
      { orchestrator: signerOf({ hasDirectory: true, lacks: [], shares: ["tss/localstate-ab.json"] }) },
    ],
    [
      "empty files as none",
      `${fenced}; mkdir -p znn/wallet; touch znn/wallet/producer; rm -r signer/keys.moved-to-x/store; : > signer/tss/localstate-ab.json`,
      { hasKeyStore: false, orchestrator: signerOf({ hasDirectory: true, lacks: ["key store", "key share"] }) },
    ],
  ])("describe %s", async ([, files, facts], { host: box }) => {
    await box.run(files);
    expect(await factsOf(box)).toMatchObject(facts);
  });

  test("list key shares that a copy, a restore or an exchange of directories left beside the orchestrator's", async ({
    host: box,
  }) => {
    await box.run("mkdir -p signer.arriving/tss signer.arriving.new/x/tss signer.before-1/tss state/shares");
    const left = ["signer.arriving/tss/", "signer.arriving.new/x/tss/", "signer.before-1/tss/", "state/shares/ab-"];
    for (const each of left) box.write(`${each}localstate-ab.json`, "share");
    box.write("signer.arriving/tss/localstate-cd.json", "");
    const { orchestrator } = await factsOf(box);
    expect(orchestrator.sharesBeside).toEqual(left.map((each) => `${box.dir}/${each}localstate-ab.json`));
  });

  test("find a node by its port, and an orchestrator by its process", async ({ host: box }) => {
    box.listen(35997);
    expect((await factsOf(box)).node.active).toBe(true);
    box.listen();
    box.process(77, "orchestrator");
    expect(await factsOf(box)).toMatchObject({ node: { active: false }, orchestrator: { active: true } });
  });
});

describe("the node of a retiring host", () => {
  const disabled = ["disable --quiet go-node", "daemon-reload"];
  const term = "kill --kill-who=main --signal=TERM go-node";
  const deaf =
    "warning: the node (process 4711) did not end within 1 s of SIGTERM: systemd kills it now, which may corrupt its database\n";

  test.for([
    ["is stopped, masked, and its unit kept", unit, "", [...disabled, "stop go-node"]],
    ["is asked to end before systemd stops it", `${unit}; echo 4711 > pid`, "", [...disabled, term, "stop go-node"]],
    ["is left to systemd otherwise", `${unit}; echo 4711 > pid; : > deaf`, deaf, [...disabled, term, "stop go-node"]],
    [
      "is stopped after an interrupted run",
      `${unit}.retired; ln -s /dev/null units/go-node.service; echo 4711 > pid`,
      "",
      ["daemon-reload", term, "stop go-node"],
    ],
  ] as const)("%s", async ([, files, stdout, calls], { host: box }) => {
    await box.run(files);
    expect(await call(box, "retire_stop")).toEqual({ ...shown, stdout });
    expect(asked(box).slice(0, calls.length)).toEqual(calls);
    const kept = await box.run("readlink units/go-node.service; cat units/go-node.service.retired; ls state");
    expect(kept.stdout).toBe("/dev/null\n[Unit]\norchestrator.flock\nretired\n");
    box.mark("retired", "before\n");
    expect((await call(box, "retire_stop")).code).toBe(0);
    expect(box.read("state/retired")).toBe("before\n");
  });

  test.for(["../znn/go-node.service", "../not-mounted/go-node.service"])(
    "gets its unit's link to %s back, though disabling removes the link",
    async (linked, { host: box }) => {
      box.command("systemctl", `[ "$1" != disable ] || rm -f "$sandbox/units/go-node.service"`);
      await box.run(
        `mkdir units znn; echo '[Unit]' > znn/go-node.service; ln -s ${linked} units/go-node.service; ln -s nowhere units/go-node.service.retired`,
      );
      for (let times = 0; times < 2; times++) expect(await call(box, "retire_stop")).toEqual(shown);
      const links = "readlink units/go-node.service units/go-node.service.retired || true";
      expect((await box.run(links)).stdout).toBe(`/dev/null\n${linked}\n`);
      await call(box, "unmask_node");
      expect((await box.run(links)).stdout).toBe(`${linked}\n`);
    },
  );

  test("is reported if it does not stop, also as its own unit's process, with what to check", async ({ host: box }) => {
    box.listen(35997);
    const words =
      "h: the node does not stop\n  found: go-node is , LISTEN 0 4096 *:35997\n  needed: stop what listens on port 35997 (";
    expect(await call(box, "retire_stop")).toMatchObject({ code: 1, stderr: expect.stringContaining(words) });
    box.listen();
    box.process(77, "go-node", "/system.slice/go-node.service");
    expect((await call(box, "retire_stop")).stderr).toContain(words);
  });

  test.for([
    ["a container", "znnd", "/system.slice/docker-4f1d.scope"],
    ["another unit", "znnd", "/system.slice/znn.service"],
    ["somebody's shell", "go-node", "/user.slice/user-0.slice/session-1.scope"],
  ] as const)("is not stopped if %s runs it, and the step says so", async ([, name, cgroup], { host: box }) => {
    box.process(77, name, cgroup);
    expect((await factsOf(box)).node).toEqual({ active: true, masked: false });
    const words =
      "h: another service than go-node runs the node of this host, and only go-node can be stopped: nothing was changed\n" +
      `  found: ${name} is process 77 in ${cgroup}\n  needed: stop it where it was started`;
    const stderr = expect.stringContaining(words);
    expect(await call(box, "retire_stop")).toMatchObject({ code: 1, stdout: "", stderr });
    expect([box.read("state/retired"), asked(box)]).toEqual([undefined, [""]]);
  });

  test("comes back if the stack is active again; a mask of somebody else stays", async ({ host: box }) => {
    await box.run(unit);
    await call(box, "retire_stop");
    const { stdout } = await call(box, "unmask_node");
    expect(stdout).toContain("go-node, which its retirement had shut down, was started");
    const { stdout: left } = await box.run("cat units/go-node.service; ls state units");
    expect(left).toBe("[Unit]\nstate:\norchestrator.flock\n\nunits:\ngo-node.service\n");
    await box.run("ln -sfn /dev/null units/go-node.service");
    await call(box, "unmask_node");
    expect((await box.run("readlink units/go-node.service")).stdout).toBe("/dev/null\n");
  });
});

describe("a retired host at its destroy", () => {
  test("has its orchestrator stopped, then masked, or says that it does not stop", async ({ host: box }) => {
    await box.run("mkdir units; echo '[Unit]' > units/orchestrator.service");
    expect((await call(box, "retire_stop_orchestrator")).code).toBe(0);
    expect(asked(box).slice(0, 2)).toEqual(["stop orchestrator", "disable --quiet orchestrator"]);
    const { stdout } = await box.run("readlink units/orchestrator.service; ls units");
    expect(stdout).toBe("/dev/null\norchestrator.service\norchestrator.service.retired\n");
    box.process(77, "orchestrator");
    const { code, stderr } = await call(box, "retire_stop_orchestrator");
    expect([code, stderr.split("\n")[0]]).toEqual([1, "h: the orchestrator does not stop"]);
  });

  const ours = "pillar-host <root@localhost>";
  const locked = `warning: the empty package linux-kernel-headers could not be removed. Remove it with: dpkg --purge linux-kernel-headers\n`;
  test.for([
    ["loses our empty linux-kernel-headers", ours, 0, "dpkg --purge linux-kernel-headers\n", ""],
    ["gets a warning while another package manager is at work", ours, 2, "dpkg --purge linux-kernel-headers\n", locked],
    ["keeps a real linux-kernel-headers", "Debian Kernel Team", 0, undefined, ""],
    ["has none to lose", "", 0, undefined, ""],
  ] as const)("%s", async ([, maintainer, code, called, stdout], { host: box }) => {
    box.command("dpkg-query", maintainer === "" ? "exit 1" : `printf '%s' '${maintainer}'`);
    box.command("dpkg", `echo "dpkg $*" >> $sandbox/called; exit ${code}`);
    expect(await call(box, "retire_remove_settings")).toEqual({ ...shown, stdout });
    expect(box.read("called")).toBe(called);
  });
});

describe("the producer address in the node's configuration", () => {
  // Many files in one bash: a process each would take minutes.
  test("is found beside passwords with any brackets, quotes and words", async ({ host: box }) => {
    const words = ["Address", "Producer", '"Address":"z1q"'];
    const character = fc.constantFrom(..."{}[]\":,\\/ \t\n'`$az0\u00e9\u2028", ...words);
    const password = fc.array(character, { maxLength: 24 }).map((parts) => parts.join(""));
    const hostile = ['"Address": "z1qother"', '","Address":"z1qother","x":"', "}", '"', "\\"];
    const texts = [...fc.sample(password, 40), ...hostile].flatMap((Password) => {
      const Producer = { Index: 0, KeyFilePath: "p", Password, Address: address };
      return [JSON.stringify({ Producer }, undefined, 4), JSON.stringify({ Producer, RPC: { Address: "z1qrpc" } })];
    });
    for (const [at, text] of texts.entries()) box.write(`config-${at}.json`, text);
    const script = `mkdir -p "$data_dir"; for ((at = 0; at < ${texts.length}; at++)); do cp "$sandbox/config-$at.json" "$data_dir/config.json"; configured_address; done`;
    const found = (await call(box, script)).stdout.trim().split("\n");
    expect([found.length, texts.filter((_, at) => found[at] !== address)]).toEqual([texts.length, []]);
  });

  test.for(["", '{"DataPath": "/root/.znn", "Address": "z1qother"}', '{"Producer": {}}', '{"Producer": {"Ind'])(
    "is not found in %j",
    async (text, { host: box }) => {
      if (text) await box.run(`mkdir znn; echo '${text}' > znn/config.json`);
      expect((await call(box, "configured_address")).stdout).toBe("");
    },
  );
});

describe("a shutdown during a move of the orchestrator", () => {
  const inStage = (box: Sandbox, stage: Stage) =>
    box.mark("orchestrator.json", formatJournal(exampleJournal("old", stage)));
  const refused = (found: string) => {
    const words = "the orchestrator's move on this host has not finished: the node is not shut down";
    return { code: 1, stderr: expect.stringContaining(`${words}\n  found: ${found}\n`) };
  };

  // The last stages are those of a killed run's copy, of an orchestrator that left, and of one that came back.
  test.for([
    ...(["stopping", "fenced", "restoring", "staged", "switched", "starting"] as const).map(
      (stage) => [stage, false] as const,
    ),
    ...(["staging", "abandoned", "moved", "restored"] as const).map((stage) => [stage, true] as const),
  ])("in stage %s it continues: %s", async ([stage, isAllowed], { host: box }) => {
    inStage(box, stage);
    expect(await call(box, "retire_stop")).toMatchObject(isAllowed ? shown : refused(`its journal says ${stage}`));
    expect(box.read("state/retired") !== undefined).toBe(isAllowed);
    expect(asked(box).includes("stop go-node")).toBe(isAllowed);
  });

  test("continues in the stage by which the guard allowed it, and in no other open one", async ({ host: box }) => {
    inStage(box, "stopping");
    expect(await call(box, "judged=fenced; retire_stop")).toMatchObject(refused("its journal says stopping"));
    inStage(box, "fenced");
    expect(await call(box, "judged=; retire_stop")).toMatchObject(refused("its journal says fenced"));
    expect((await call(box, "judged=fenced; retire_stop")).code).toBe(0);
  });

  test("stops nothing until the other run's lease ends", async ({ host: box }) => {
    inStage(box, "staging");
    const now = Math.floor(Date.now() / 1000);
    box.mark("orchestrator.lock", `theirs ${now + 30} - theirs\n`);
    expect(await call(box, "retire_stop")).toMatchObject(refused("a run is at work on the move"));
    box.mark("orchestrator.lock", `theirs ${now - 1} - theirs\n`);
    expect((await call(box, "retire_stop")).code).toBe(0);
  });

  test("notices an orchestrator that moved here meanwhile", async ({ host: box }) => {
    inStage(box, "running");
    box.write("active-orchestrator", "active\n");
    expect(await call(box, "retire_stop")).toMatchObject(refused("an orchestrator runs here"));
  });

  test("continues with the operator's sentence, and after its own begin", async ({ host: box }) => {
    inStage(box, "stopping");
    expect((await call(box, "in_spite=yes; retire_stop")).code).toBe(0);
    expect((await call(box, "retire_stop")).code).toBe(0);
  });
});
