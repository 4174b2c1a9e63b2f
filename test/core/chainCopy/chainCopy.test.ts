import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test as base, describe, expect } from "vitest";
import { type ChainCopyDeps, copyChain } from "../../../core/chainCopy/chainCopy";
import type { CopyHosts } from "../../../core/chainCopy/copyHosts";
import type { ChainCopyInputs } from "../../../core/chainCopy/inputs";
import { journeyIn } from "../../recordIn";
import { copyInputs } from "./copyInputs";

const hash = "a".repeat(64);
const facts =
  "owner=\nnom=there\nconsensus=there\ncache=none\nbytes=1000\nfree=9000000000\nstaged=0\nload=0\nend=yes\n";
const key = `ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI${"b".repeat(43)} pillar-host-chain-copy\n192.0.2.2\n`;

/** Two hosts with configured answers, and a new node that adds momentums once it has the copy. */
interface Stage {
  readonly inputs: ChainCopyInputs;
  readonly called: string[];
  readonly said: string[];
  /** Replaces a function's outcome. */
  readonly does: Record<string, (count: number) => string>;
  isSynced: boolean;
  isFollowing: boolean;
  chain: string;
  isOldSynced: boolean;
  run(): ReturnType<typeof copyChain>;
}

const test = base.extend<{ stage: Stage }>({
  stage: async ({ task: _task }, use) => {
    const directory = mkdtempSync(join(tmpdir(), "chain-copy-"));
    const inputs = copyInputs(directory);
    const counts = new Map<string, number>();
    const called: string[] = [];
    const said: string[] = [];
    let time = 0;
    const answers: Record<string, string> = {
      chain_facts: facts,
      chain_snapshot: "height 7\nfiles 2\nbytes 1000\nend\n",
      chain_key: key,
      chain_manifest: `${hash}  nom/CURRENT\n${hash}  consensus/CURRENT\n`,
      chain_old_now: "free 9000000000\n",
    };
    const stage: Stage = {
      inputs,
      called,
      said,
      does: {},
      isSynced: false,
      isFollowing: true,
      chain: "same",
      isOldSynced: true,
      run: () => {
        const call: CopyHosts["call"] = async (of, name) => {
          called.push(`${of} ${name}`);
          counts.set(name, (counts.get(name) ?? 0) + 1);
          return stage.does[name]?.(counts.get(name) ?? 0) ?? answers[name] ?? "";
        };
        const sides = {
          call,
          roots: {},
          close: () => undefined,
          follow: (async (of, name, _more, { heard }) => {
            await call(of, name);
            heard("bytes 1000");
          }) as CopyHosts["follow"],
        } as unknown as CopyHosts;
        const isIn = () => called.includes("new chain_swap");
        const deps: ChainCopyDeps = {
          now: () => time,
          ticks: () => time,
          sleep: async (milliseconds) => {
            time += milliseconds;
            await new Promise((resolve) => setImmediate(resolve));
          },
          say: (line) => said.push(line),
          version: async () => "v0.0.8",
          readNodeStatus: async (target) => ({
            synced: target.ssh.address === "192.0.2.1" ? stage.isOldSynced : stage.isSynced,
            why: "it says so",
            known: true,
          }),
          readChains: async () => {
            const height = isIn() && stage.isFollowing ? 9 : 7;
            const own = { newest: { height, hash: stage.chain }, recent: [] };
            return { old: { newest: { height: 20, hash: "x" }, recent: [{ height, hash: "same" }] }, new: own };
          },
        };
        return copyChain(inputs, deps, sides);
      },
    };
    await use(stage);
    rmSync(directory, { recursive: true });
  },
});

const ends = ["old chain_end_old", "new chain_end_new"];
const failure = (stage: Stage) =>
  stage.run().then(
    () => "",
    (error: Error) => error.message,
  );

describe("the copy of a chain", () => {
  test("runs its steps in order, and keeps its facts", async ({ stage }) => {
    expect(await stage.run()).toMatchObject({
      outcome: "copied",
      from: "192.0.2.1",
      files: 2,
      bytes: 1000,
      height: 7,
    });
    const order = [
      "new chain_take",
      "new chain_undo",
      "new chain_facts",
      "old chain_facts",
      "new chain_facts",
      "old sshd_settings",
      "old chain_take",
    ];
    expect(stage.called.filter((name) => name !== "old chain_old_now")).toEqual([
      ...order,
      ...["old chain_snapshot", "new chain_key", "old chain_allow", "old chain_manifest", "new chain_copy"],
      ...["new chain_manifest", "new chain_swap", "new chain_accept"],
      ...ends,
    ]);
    const [begun, event] = journeyIn(stage.inputs.record.directory, "Anvil");
    expect(begun).toMatchObject({ event: "chainCopyBegun", details: { from: "192.0.2.1" } });
    expect(event).toMatchObject({ event: "chainCopied", stack: "prod", details: { from: "192.0.2.1", bytes: 1000 } });
  });

  test("does nothing for a synced node, and does not call the old host", async ({ stage }) => {
    stage.isSynced = true;
    expect(await stage.run()).toMatchObject({ outcome: "notNeeded" });
    expect(stage.called.filter((name) => name.startsWith("old"))).toEqual([]);
    expect(stage.called).not.toContain("new chain_swap");
  });

  test("is undone, discarded and repeated if the node adds no momentum", async ({ stage }) => {
    stage.isFollowing = false;
    stage.does.chain_discard = () => {
      stage.isFollowing = true;
      return "";
    };
    expect(await stage.run()).toMatchObject({ outcome: "copied" });
    expect(stage.called.filter((name) => name === "old chain_snapshot")).toHaveLength(2);
    expect(stage.called.filter((name) => name === "new chain_discard")).toHaveLength(1);
  });

  test("ends in an error if the node never adds a momentum; the node keeps its own databases", async ({ stage }) => {
    stage.isFollowing = false;
    const fault =
      "the node added no momentum within 10 min of its start with the copy: the node's height is 7; the copy reaches 7";
    expect(await failure(stage)).toBe(
      `the chain was not copied: 3 copies were bad
  found: ${fault}
  found: ${fault}
  found: ${fault}
  The node of 192.0.2.2 continues with its own databases. The next run copies only what is missing.
  To go on: pulumi up -s prod
  Or let the node sync from the network, from what it has: pulumi config set --path pillar-host:sync.from network -s prod && pulumi up -s prod`,
    );
    expect(stage.called.filter((name) => name === "new chain_undo")).toHaveLength(4);
    expect(stage.called).not.toContain("new chain_accept");
    expect(stage.called.slice(-2)).toEqual(ends);
  });

  test("refuses an old host on another chain", async ({ stage }) => {
    stage.chain = "other";
    expect(await failure(stage)).toMatch(
      /^the chain is not copied from 192\.0\.2\.1 to 192\.0\.2\.2; nothing was changed on either host\n {2}found: both nodes are on different chains: their momentums 7 differ\n/,
    );
    expect(stage.called).not.toContain("old chain_snapshot");
  });

  test("refuses an old host whose node is not synced", async ({ stage }) => {
    stage.isOldSynced = false;
    expect(await failure(stage)).toContain("  found: the old host's node is not synced: it says so\n");
    expect(stage.called).not.toContain("old chain_snapshot");
  });

  test("copies differing files again, and fails after three rounds", async ({ stage }) => {
    stage.does.chain_manifest = (count) =>
      `${count === 2 ? "b".repeat(64) : hash}  nom/CURRENT\n${hash}  consensus/CURRENT\n`;
    await stage.run();
    expect(stage.called.filter((name) => name === "new chain_copy")).toHaveLength(2);
    expect(stage.called.filter((name) => name === "new chain_remove")).toHaveLength(1);
  });

  test.for(["chain_snapshot", "chain_allow", "chain_copy", "chain_swap", "chain_accept"])(
    "leaves nothing on the old host if it fails at %s",
    async (name, { stage }) => {
      stage.does[name] = () => {
        throw Object.assign(new Error("No space left on device"), { exitCode: 1 });
      };
      expect(await failure(stage)).toContain("the chain was not copied: No space left on device\n");
      expect(stage.called.slice(-2)).toEqual(ends);
    },
  );

  test.for([
    "the copy broke off\n  found: tar: No space left on device",
    "the copy was ended\n  h: the other host sent more than this host accepts",
  ])("is removed if the new host lacks room, or more arrives than was announced: %j", async (said, { stage }) => {
    stage.does.chain_copy = () => {
      throw Object.assign(new Error(said), { exitCode: 1 });
    };
    await failure(stage);
    expect(stage.called.slice(-3)).toEqual(["new chain_discard", ...ends]);
  });

  test("continues after a broken connection, until no data came for a quarter of an hour", async ({ stage }) => {
    stage.does.chain_copy = (count) => {
      if (count < 4) throw new Error("the connection ended");
      return "";
    };
    expect(await stage.run()).toMatchObject({ outcome: "copied" });
    stage.does.chain_copy = () => {
      throw new Error("the connection ended");
    };
    stage.called.length = 0;
    expect(await failure(stage)).toContain("the connection ended");
    expect(stage.called.filter((name) => name === "new chain_copy").length).toBeGreaterThan(10);
  });

  test("stops before the old host lacks room", async ({ stage }) => {
    stage.does.chain_old_now = () => "free 100000000\n";
    stage.does.chain_copy = () => {
      throw new Error("the connection ended");
    };
    expect(await failure(stage)).toContain("192.0.2.1 has 100 MB free: the copy stops before its node lacks room");
    expect(stage.called.slice(-2)).toEqual(ends);
  });
});

test("names an sshd that refuses the copy before anything is changed", async ({ stage }) => {
  stage.does.sshd_settings = () =>
    "usergroups root\nmaxsessions 10\nallowusers root@192.0.2.7\nallowtcpforwarding no\nforcecommand none\n/etc/ssh/sshd_config:9:AllowUsers root@192.0.2.7\n";
  await expect(stage.run()).rejects.toThrow(
    "found: the sshd of 192.0.2.1 refuses what the copy needs: AllowUsers root@192.0.2.7, /etc/ssh/sshd_config:9; needed: add root@192.0.2.2",
  );
  expect(stage.called).not.toContain("old chain_take");
});
