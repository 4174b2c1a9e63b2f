import { mkdirSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { afterAll, beforeAll, expect } from "vitest";
import { type Journal, parseJournal } from "../../../core/orchestrator/rules/journal.ts";
import { summarizeMoves } from "../../../core/orchestrator/rules/moveHistory.ts";
import type { SignersTruth } from "../../../lab/doubles/chain/index.ts";
import type { ExampleDir } from "../../../lab/doubles/orchestrator/exampleDir.ts";
import { ensurePackagedImage } from "../../../lab/images/packagedImage.ts";
import type { Lab, LabHost } from "../../../lab/lab.ts";
import {
  type OrchestratorSetup,
  setUpOrchestrator,
  waitForOrchestrator,
} from "../../../lab/oldHost/runningOrchestrator.ts";
import { setUpSyncedNode } from "../../../lab/oldHost/syncedNode.ts";
import { startS3 } from "../../../lab/stack/backends.ts";
import type { LabStack, StackFile } from "../../../lab/stack/stack.ts";
import { moveNamed } from "../../moveNamed.ts";
import { movesIn } from "../../recordIn.ts";
import { expectSuccess, onHost, pastPackages, stackFile, testLab, testStack } from "../fixture.ts";

/** Two hosts: the old one signs; the new one belongs to a stack, and is stood up and synced. */
export interface MoveStage {
  readonly lab: Lab;
  readonly old: LabHost;
  readonly fresh: LabHost;
  readonly stack: LabStack;
  readonly state: ExampleDir;
  readonly withSudo: boolean;
  readonly bare: boolean;
  /** The operator's word about an orchestrator that was put back by hand. */
  readonly word: { laterThanMove?: number };
  /** Address of the bucket with event log and backups. */
  readonly store?: string;
  /** Producer address of the old host. */
  readonly oldAddress: string;
  /** The network of the chain, if its ticks are short. */
  readonly network?: StackFile;
  /** Witnesses of the chain beside the old host. */
  readonly references?: readonly string[];
}

export interface MoveStageOptions {
  readonly setup?: OrchestratorSetup;
  /** Returns the host in the node's URL, from the old host's address ({@link OrchestratorSetup.nodeHost}). */
  readonly nodeHostAt?: (address: string) => string;
  /** Runs before the stack is stood up. */
  readonly prepare?: (stage: MoveStage) => Promise<unknown>;
  /** Leaves out the first `up`: the move is unattended, in the run that stands the new host up. */
  readonly bare?: boolean;
  /** Puts event log and backups into a bucket at the operator's end, like the state. */
  readonly inBucket?: boolean;
  /** The chain has a witness beside the old host, which may be unreachable. */
  readonly withReference?: boolean;
  /** The old host's login is not root, and its sudo requires {@link sudoPassword}. */
  readonly withSudo?: boolean;
  /** Three Pillars, the stack's own among them; each has a slot in a tick, which takes three seconds. */
  readonly hasPillar?: boolean;
  /** A pass phrase protects the stack's secrets. */
  readonly hasPassphrase?: boolean;
}

export const sudoPassword = "Sudo-Horse 'quoted' $9";

/** Returns the configuration of a move, beside the smallest one. */
export function moveConfig(
  {
    lab,
    old,
    fresh,
    withSudo,
    bare,
    word,
    store,
    references,
    network,
  }: Omit<MoveStage, "stack" | "state" | "oldAddress">,
  more: StackFile = {},
): StackFile {
  return stackFile(lab, fresh, {
    sync: { confirmations: 1, confirmSeconds: 0, ...(references ? { references } : {}) },
    ...(store === undefined ? {} : { store }),
    ...(network === undefined ? {} : { network }),
    oldHost: { address: old.address, hostKey: old.hostKey, ...(withSudo ? { user: "op" } : {}) },
    orchestrator: {
      release: lab.orchestratorRelease(),
      // The tests' orchestrators take this long to fail.
      steadySeconds: 3,
      move: true,
      ...word,
      ...(bare ? { unattended: true } : {}),
      ...more,
    },
  });
}

export function moveStage({
  setup = {},
  nodeHostAt,
  prepare,
  inBucket,
  withReference,
  hasPillar,
  hasPassphrase = false,
  ...kind
}: MoveStageOptions = {}): MoveStage {
  const { bare = false, withSudo = false } = kind;
  const stage: { -readonly [K in keyof MoveStage]?: MoveStage[K] } = { withSudo, bare, word: {} };
  beforeAll(async () => {
    stage.lab = await testLab();
    stage.old = await stage.lab.addHost("old", ensurePackagedImage);
    stage.fresh = await stage.lab.addHost("fresh", ensurePackagedImage);
    await stage.lab.chain("PATCH", "/truth", { defaults: { behind: 0, rate: 1e6, startRefusedMs: 0 } });
    for (const { name } of [stage.old, stage.fresh])
      await stage.lab.chain("PATCH", `/orchestrators/${name}`, { syncPollMs: 500, stopMs: 300 });
    await pastPackages(stage.lab, stage.fresh);
    if (withSudo) await addOperator(stage.old);
    if (hasPillar) {
      stage.network = { momentum: "1s", tickMomentums: 3 };
      await stage.lab.chain("PATCH", "/truth", { momentumSeconds: 1, tickMomentums: 3, backgroundPillars: 2 });
    }
    const { address } = await setUpSyncedNode(stage.lab, stage.old);
    stage.oldAddress = address;
    if (hasPillar) await stage.lab.chain("PATCH", "/pillars/Anvil", { producerAddress: address });
    const node = nodeHostAt === undefined ? {} : { nodeHost: nodeHostAt(stage.old.address) };
    stage.state = await setUpOrchestrator(stage.lab, stage.old, { ...setup, ...node });
    const bucket = inBucket ? await startS3(stage.lab) : undefined;
    if (bucket) stage.store = bucket.url;
    if (withReference) stage.references = [await stage.lab.addReference("ref1")];
    stage.stack = await testStack(stage.lab, stage.fresh, {}, "prod", {
      hasPassphrase,
      ...(bucket ? { backend: bucket } : {}),
    });
    await configureMove(stage as MoveStage);
    await prepare?.(stage as MoveStage);
    if (!bare) {
      await expectSuccess(stage.stack.up());
      expect(await signersOf(stage as MoveStage)).toEqual(["old"]);
      const { nextStep } = await stage.stack.outputs<{ nextStep: string[] }>();
      expect(nextStep.join("\n")).toContain("this run did not begin with a synced node. Run again now");
    }
  });
  afterAll(async () => {
    await stage.stack?.endRuns();
    await stage.lab?.down();
  });
  return stage as MoveStage;
}

/** Replaces the configuration; the operator's key stays. */
export async function configureMove(stage: MoveStage, more: StackFile = {}): Promise<void> {
  const privateKey = await readFile(stage.lab.privateKeyFile, "utf8");
  await stage.stack.configure(moveConfig(stage, more), {
    "ssh.privateKey": privateKey,
    ...(stage.withSudo ? { "oldHost.sudoPassword": sudoPassword } : {}),
  });
}

async function addOperator(host: LabHost): Promise<void> {
  await onHost(
    host,
    `echo "127.0.1.1 $(hostname)" >> /etc/hosts # sudo looks it up
     useradd -m -s /bin/bash op && install -d -o op -m 700 /home/op/.ssh
     install -o op -m 600 /root/.ssh/authorized_keys /home/op/.ssh/authorized_keys
     echo 'op ALL=(ALL) ALL' > /etc/sudoers.d/op; chmod 440 /etc/sudoers.d/op`,
  );
  // Each sudo computes this hash, which takes 50 ms by default.
  await host.run("chpasswd -c SHA256 -s 1000", `op:${sudoPassword}\n`);
}

/**
 * Resets both hosts to before the move, faster than a rollback, for a test that needs a beginning. The event log has no
 * line of it: the later configuration confirms the start.
 */
export async function putBack(stage: MoveStage): Promise<void> {
  const { lab, old, fresh, state, word } = stage;
  const { started } = summarizeMoves(movesIn(backupsOf(stage)), moveNamed("pillar-host/prod/Anvil/1"));
  if (started > 0) word.laterThanMove = started;
  const forget = "rm -rf /var/lib/pillar-host/orchestrator.* /var/lib/pillar-host/copy";
  await onHost(
    fresh,
    `systemctl disable -q --now orchestrator 2> /dev/null || true; ${forget} /root/.orchestrator*
     ln -sfn /dev/null /etc/systemd/system/orchestrator.service; systemctl daemon-reload`,
  );
  await onHost(
    old,
    `cd /root/.orchestrator; ${forget}
     for store in producer.moved-to*; do if [ -e "$store" ]; then mv -T "$store" producer; fi; done
     unit=/etc/systemd/system/orchestrator.service
     if [ -e $unit.moved ]; then mv -f $unit.moved $unit; systemctl daemon-reload; fi
     systemctl enable -q --now orchestrator`,
  );
  lab.recorder?.byHand();
  await waitForOrchestrator(lab, old, state.identity);
}

export function backupsOf({ stack }: MoveStage): string {
  const directory = stack.records("Anvil");
  mkdirSync(directory, { recursive: true });
  return directory;
}

export function signers({ lab }: MoveStage): Promise<SignersTruth> {
  return lab.chain<SignersTruth>("GET", "/signers");
}

/** Returns the hosts on which an orchestrator signs now, and expects that there never were two. */
export async function signersOf(stage: MoveStage): Promise<string[]> {
  const { doubles } = await signers(stage);
  expect(doubles).toEqual([]);
  const signs = async (host: LabHost) =>
    (await onHost(host, "systemctl is-active orchestrator || true")) === "active"
      ? [host.name === "fresh" ? "new" : host.name]
      : [];
  return [...(await signs(stage.old)), ...(await signs(stage.fresh))];
}

/** Reads the stage in a host's journal. */
export async function stageOf(host: LabHost): Promise<string> {
  return onHost(
    host,
    `sed -n 's/^  "stage": "\\(.*\\)",$/\\1/p' /var/lib/pillar-host/orchestrator.json 2> /dev/null || true`,
  );
}

/** Reads a host's journal, or undefined. */
export async function journalOf(host: LabHost): Promise<Journal | undefined> {
  return parseJournal(await onHost(host, "cat /var/lib/pillar-host/orchestrator.json 2> /dev/null || true"), host.name);
}

/** Returns what nothing of the copy's right leaves behind. */
export async function copyLeftovers({ old, fresh }: MoveStage): Promise<string> {
  const search =
    "grep -rl pillar-host-copy /root/.ssh /home /etc/sudoers.d /var/lib/pillar-host 2> /dev/null; ls -d /var/lib/pillar-host/copy 2> /dev/null; true";
  return [await onHost(old, search), await onHost(fresh, search)].filter(Boolean).join("\n");
}

/** Sums, modes and owners of an orchestrator's directory, without what a start rewrites. */
export function contentOf(host: LabHost, directory = "/root/.orchestrator"): Promise<string> {
  return onHost(
    host,
    `cd ${directory} && find . ! -name .lock ! -path './logs*' ! -path './events/0*.log' ! -path './queues/0*.log' ! -name config.json ! -name '*.log' ! -name 'producer.moved-to*' -printf '%p %m %U:%G %y\\n' | sort | sha256sum
     cat tss/localstate-*.json | sha256sum; find events -name '*.ldb' -exec sha256sum {} + | sort | sha256sum`,
  );
}
