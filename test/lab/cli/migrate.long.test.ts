import { type ChildProcess, spawn } from "node:child_process";
import { cp, mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { stripVTControlCharacters } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parseDocument } from "yaml";
import type { ChainTruth, SignersTruth } from "../../../lab/doubles/chain/index.ts";
import { firstSeedVariable, roundsVariable } from "../../../lab/explore/rounds.ts";
import { endPid, treeOf } from "../../../lab/hosts/processTree.ts";
import { ensurePackagedImage } from "../../../lab/images/packagedImage.ts";
import type { Lab, LabHost } from "../../../lab/lab.ts";
import { setUpOrchestrator } from "../../../lab/oldHost/runningOrchestrator.ts";
import { setUpSyncedNode } from "../../../lab/oldHost/syncedNode.ts";
import { awaitPaidEpoch, collectRewards, updateProducer } from "../../../lab/operator/wallet.ts";
import { randomOf } from "../../../lab/simulation/seededRandom.ts";
import { LabStack } from "../../../lab/stack/stack.ts";
import { keepPrinted } from "../../../lab/testRun/printed.ts";
import { onHost, stackFile, testLab } from "../fixture.ts";

/** Each round kills it at three moments. */
const rounds = Number(process.env[roundsVariable] ?? 1);
const firstSeed = Number(process.env[firstSeedVariable] ?? 7);
const seeds = Array.from({ length: rounds }, (_, round) => firstSeed + round);
/** A chain whose ticks take a second, and whose epochs take eight. */
const quick = { momentumSeconds: 0.25, tickMomentums: 4, epochSeconds: 8, rewardDelaySeconds: 1 };
const network = { epoch: "8s", momentum: "250ms", tickMomentums: 4 };

interface Answer {
  readonly seen: RegExp;
  /** The text to type, or the act to do elsewhere. */
  readonly reply: string | ((match: RegExpExecArray) => Promise<unknown>);
  readonly approval?: string;
}

describe.each(seeds)("one command, killed at the moments of seed %d, migrates from init to destroy", (seed) => {
  const random = randomOf(seed);
  const approvals: string[] = [];
  let lab: Lab;
  let old: LabHost;
  let fresh: LabHost;
  let project: LabStack;
  let env: NodeJS.ProcessEnv;
  let producerAddress = "";

  beforeAll(async () => {
    lab = await testLab();
    await lab.chain("PATCH", "/truth", {
      ...quick,
      defaults: { behind: 0, rate: 1e6, startRefusedMs: 0 },
    });
    [old, fresh] = [await lab.addHost("old", ensurePackagedImage), await lab.addHost("fresh", ensurePackagedImage)];
    await lab.chain("PATCH", `/nodes/${fresh.name}`, { buildSeconds: 3, buildLines: 30 });
    const producer = await setUpSyncedNode(lab, old);
    await setUpOrchestrator(lab, old);
    await lab.chain("PATCH", "/pillars/Anvil", { producerAddress: producer.address });
    // For its directory and its engine.
    project = await LabStack.create(lab, "other", stackFile(lab, fresh), {}, { folder: "migrate" });
    const home = join(lab.dir, "reader");
    await mkdir(join(home, ".ssh"), { recursive: true, mode: 0o700 });
    await cp(lab.privateKeyFile, join(home, ".ssh/id_ed25519"));
    env = { ...process.env, ...project.env, HOME: home, TERM: "xterm" };
    delete env.SSH_AUTH_SOCK;
  });
  afterAll(async () => {
    await project?.endRuns();
    await lab?.down();
  });

  /** Questions of init, in their order. */
  const initAnswers = (): Answer[] => [
    { seen: /the Pillar's name on chain\?/, reply: "Anvil\r" },
    { seen: /Which host\?/, reply: "\r" },
    { seen: /the host's address\?/, reply: `${fresh.address}\r` },
    { seen: /Is it the same key\?/, reply: "y\r" },
    { seen: /Which user/, reply: "\r" },
    { seen: /the Pillar's present host/, reply: `${old.address}\r` },
    { seen: /Is it the same key\?/, reply: "y\r" },
    { seen: /independent nodes' RPCs/, reply: "\r" },
    { seen: /address of its newest release for Linux/, reply: `${lab.releaseUrl()}\r` },
    { seen: /Install this release\?/, reply: "y\r" },
    { seen: /the node's release for linux-amd64/, reply: "none\r" },
    { seen: /How does the program log in\?/, reply: "\r" },
  ];
  /** Answers after init, each once in a process, because a terminal shows a question again with each key. */
  const answers = (): Answer[] => [
    { seen: /Type\s+never:/, reply: "never\r", approval: "first move" },
    { seen: /Do you want to perform this update\?/, reply: "yes\r", approval: "update" },
    {
      seen: /> \.\/pillar-host retire[\s\S]*Do you want to perform this update\?/,
      reply: "yes\r",
      approval: "shutdown",
    },
    { seen: /Do you want to perform this destroy\?/, reply: "yes\r", approval: "destroy" },
    {
      // The stand-up's run also prints the address, before the orchestrator has moved.
      seen: /Producer address field: (z1q[0-9a-z]{37})\n(?:.*\n){1,20}Waiting; this command goes on by itself/,
      reply: async ([, address = ""]) => {
        producerAddress = address;
        await updateProducer(lab, "Anvil", address);
      },
    },
    { seen: /Before prod may be destroyed:/, reply: collect },
  ];

  async function collect(): Promise<void> {
    await awaitPaidEpoch(lab);
    await collectRewards(lab, "Anvil");
  }

  /** Runs the command in a terminal, and kills it with all that it started some seconds after it printed something. */
  async function migrate(killed?: { readonly after: RegExp; readonly within: number }): Promise<number | "killed"> {
    const { url, sha256, version } = lab.orchestratorRelease() as Record<string, string>;
    const release = `--release ${url} --release-sha256 ${sha256} --release-version ${version}`;
    const line = `stty cols 150 rows 50; ./pillar-host migrate prod prod-2 --yes ${release}`;
    const [command = "", ...args] = lab.atOperator(["script", "-qefc", line, "/dev/null"]);
    const child = spawn(command, args, { cwd: project.programDirectory, env, stdio: ["pipe", "pipe", "inherit"] });
    const ended = new Promise<number>((resolve) => child.on("close", (code) => resolve(code ?? -1)));
    let isOver = false;
    void ended.then(() => {
      isOver = true;
    });
    child.stdin.on("error", () => undefined);
    const screen = { text: "" };
    child.stdout.setEncoding("utf8").on("data", (piece: string) => {
      screen.text += piece;
    });
    const left = { init: initAnswers(), later: answers(), from: 0 };
    const deadline = Date.now() + 480_000;
    try {
      while (!isOver) {
        if (Date.now() > deadline) throw new Error(`it did not end:\n${plain(screen.text).slice(-6000)}`);
        const text = plain(screen.text);
        if (killed?.after.test(text)) {
          await sleep(random() * killed.within);
          await killAll(child);
          await ended;
          return "killed";
        }
        await answer(text, left, child);
        await sleep(300);
      }
    } finally {
      if (!isOver) await killAll(child);
      keepPrinted(plain(screen.text));
      console.log(plain(screen.text).slice(-3000));
    }
    return ended;
  }

  /** Answers the first question that is open. */
  async function answer(
    text: string,
    left: { init: Answer[]; later: Answer[]; from: number },
    child: ChildProcess,
  ): Promise<void> {
    const rest = text.slice(left.from);
    const open = [...left.init.slice(0, 1), ...left.later].find(({ seen }) => seen.test(rest));
    const match = open?.seen.exec(rest);
    if (!open || !match) return;
    left.init = left.init.filter((each) => each !== open);
    left.later = left.later.filter((each) => each !== open);
    left.from += match.index + match[0].length;
    if (open.approval) approvals.push(open.approval);
    if (typeof open.reply === "string") child.stdin?.write(open.reply);
    else await open.reply(match);
  }

  async function killAll(child: ChildProcess): Promise<void> {
    for (const pid of await treeOf(child.pid ?? 0)) endPid(pid);
  }

  /** Changes to the stack's file for another network. */
  async function adaptToLab(): Promise<void> {
    const file = join(project.programDirectory, "Pulumi.prod-2.yaml");
    const document = parseDocument(await readFile(file, "utf8"));
    const set = (path: readonly string[], value: unknown) =>
      document.setIn(["config", ...path], document.createNode(value));
    set(["pillar-host:host", "minimums"], { cores: 1, diskGb: 1 });
    set(["pillar-host:controller"], { release: { url: lab.releaseUrl() } });
    document.deleteIn(["config", "pillar-host:node"]);
    set(["pillar-host:network"], network);
    set(["pillar-host:orchestrator"], { steadySeconds: 3 });
    await writeFile(file, document.toString());
  }

  it("continues after each kill", { timeout: 1_200_000 }, async () => {
    expect(await migrate({ after: /> \.\/pillar-host check prod-2/, within: 200 })).toBe("killed");
    await adaptToLab();
    const kills = [
      { after: /> pulumi up -s prod-2/, within: 20_000 },
      { after: /Do you want to perform this destroy\?[\s\S]*Destroying/, within: 4000 },
    ];
    // The first kill came after the question about the first move.
    let killed = 1;
    for (const kill of kills) if ((await migrate(kill)) === "killed") killed += 1;
    expect(await migrate()).toBe(0);

    expect(killed).toBeGreaterThanOrEqual(2);
    // A question is asked again only after a kill.
    expect(new Set(approvals).size).toBeLessThanOrEqual(4);
    expect(approvals.length).toBeLessThanOrEqual(4 + killed);
    expect((await lab.chain<SignersTruth>("GET", "/signers")).doubles).toEqual([]);
    expect(await onHost(fresh, "systemctl is-active go-node orchestrator")).toBe("active\nactive");
    expect(await onHost(old, "systemctl is-active go-node orchestrator || true")).not.toMatch(/^active/m);
    expect(await onHost(fresh, "ls /var/log/pillar-host/deploy-*.log | wc -l")).toBe("1");
    const { pillars } = await lab.chain<ChainTruth>("GET", "/truth");
    expect(pillars.find(({ name }) => name === "Anvil")?.producerAddress).toBe(producerAddress);
    expect(await migrate()).toBe(0);
    expect(await readFile(join(project.programDirectory, "Pulumi.prod-2.yaml"), "utf8")).not.toContain("firstMove");
  });
});

const plain = (text: string) => stripVTControlCharacters(text).replaceAll("\r", "");
