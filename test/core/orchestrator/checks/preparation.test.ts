import { existsSync, mkdirSync, readdirSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join, resolve } from "node:path";
import { test as base, describe, expect } from "vitest";
import { appendEvent, readMoveEvents } from "../../../../core/eventLog/eventLog";
import { formatMove } from "../../../../core/eventLog/moveId";
import { formatShareFile } from "../../../../core/orchestrator/backup/keyShare";
import {
  findWholeBackup,
  formatMoveFaults,
  type PreparationDeps,
  secureOrchestrator,
} from "../../../../core/orchestrator/checks/preparation";
import type { SecureOptions } from "../../../../core/orchestrator/hosts/moveInputs";
import type { RootHost } from "../../../../core/ssh/root";
import { createDirectoryStore } from "../../../../core/store/directoryStore";
import { resolvePath } from "../../../../core/util/resolvePath";
import { moveNamed } from "../../../moveNamed";
import { movesIn, putEvent, recordFile } from "../../../recordIn";
import { type LocalRoot, localRoot } from "../localRoot";

const move = moveNamed("pillar-host/prod/Anvil/1");
const moved = { holder: "new", generation: 1, version: "v0.0.9a", movedAt: "2026-11-21T18:00:00Z" } as const;
const hostKey = "ssh-ed25519 KEY";
const bridgeKey = "AsAQx1M3LVXCuozDOqO5b9adj/PItYgwZFG/xTDBiZzT";

interface Stage {
  readonly root: LocalRoot;
  readonly options: SecureOptions;
  readonly deps: PreparationDeps;
  readonly said: string[];
  /** Facts of each host that differ from the usual ones. */
  readonly facts: { old: Record<string, string>; new: Record<string, string> };
  /** Functions that were called, on which host. */
  readonly called: string[];
}

const usual = {
  load: "loaded",
  active: "active",
  directory: "there",
  bytes: "10",
  files: "3",
  shares: "0",
  mount: "/",
  free: "99999999999",
  inodes: "999999",
};

const test = base.extend<{ stage: Stage }>({
  stage: async ({ task: _task }, provide) => {
    const root = localRoot();
    const directory = join(root.scratch, "signer");
    mkdirSync(directory);
    writeFileSync(join(directory, "config.json"), '{"ProducerKeyFilePassphrase": "p"}');
    writeFileSync(join(directory, "producer"), "key");
    const facts: Stage["facts"] = { old: {}, new: { active: "inactive", directory: "none" } };
    const called: string[] = [];
    // The test sets the facts; all other functions really run on this machine, which has no orchestrator.
    const host = (side: "old" | "new"): RootHost => ({
      ...root,
      address: side,
      call: async (name, variables, options) => {
        called.push(`${side} ${name}`);
        if (name === "signer_facts")
          return Object.entries({ ...usual, ...facts[side] })
            .map(([key, value]) => `${key}=${value}\n`)
            .join("");
        if (name === "signer_scan") return `keys\n${hostKey}\n`;
        return root.call(name, variables, options);
      },
      stream: async (name, ...rest) => {
        called.push(`${side} ${name}`);
        return root.stream(name, ...rest);
      },
    });
    const place = { service: "o", directory, nodeDirectory: join(root.scratch, "none"), executable: "o", rpcPort: 1 };
    const said: string[] = [];
    let seconds = 0;
    await provide({
      root,
      said,
      facts,
      called,
      options: {
        stack: "prod",
        move,
        old: place,
        new: place,
        copyAddress: "old",
        sshPort: 22,
        sshUser: "root",
        hostKey,
        noKeyShare: true,
        haltedBridge: false,
        firstMove: true,
        release: { version: "v0.0.9a" },
        backups: { directory: join(root.scratch, "backups") },
      },
      deps: {
        roots: { old: host("old"), new: host("new") },
        readNodeSync: async () => ({ synced: true, why: "", known: true }),
        readBridge: async () => ({ known: true, state: 0, key: bridgeKey, why: "live" }),
        now: () => Date.UTC(2026, 10, 21, 18, 0, seconds++),
        ticks: () => 0,
        sleep: async () => undefined,
        say: (line) => said.push(line),
      },
    });
    root.close();
  },
});

const begun = (stage: string) => ({
  journal: Buffer.from(JSON.stringify({ move: formatMove(move), stage })).toString("base64"),
});
const secure = ({ options, deps }: Stage) => secureOrchestrator(options, deps);

describe("a move that has not begun", () => {
  test("copies and stores nothing if there is a problem", async ({ stage }) => {
    const error = await secure(stage).catch((thrown: Error) => thrown);
    expect(String(error)).toContain(
      "nothing was touched on either host. One thing stands in the way:\n- old: the orchestrator gives no good answer to getBuildInfo on 127.0.0.1:1\n    found: no RPC here\n",
    );
    expect(stage.called.filter((name) => /manifest|archive/.test(name))).toEqual([]);
    expect(existsSync(stage.options.backups.directory)).toBe(false);
  });

  test("is checked again while it only stages its copy", async ({ stage }) => {
    Object.assign(stage.facts.new, begun("staging"));
    await expect(secure(stage)).rejects.toThrow("One thing stands in the way");
  });
});

test("is checked again after a key generation", async ({ stage }) => {
  Object.assign(stage.facts.old, begun("fenced"));
  mkdirSync(join(stage.options.old.directory, "tss"));
  writeFileSync(join(stage.options.old.directory, formatShareFile(bridgeKey)), "{}");
  const options = { ...stage.options, noKeyShare: false };
  const first = await secureOrchestrator(options, stage.deps);
  const later = { known: true, state: 0, key: `A${bridgeKey.slice(1, -1)}U`, why: "live" } as const;
  const deps = { ...stage.deps, readBridge: async () => later };
  expect(await secureOrchestrator(options, deps)).toEqual(first);
  Object.assign(stage.facts.old, { journal: "" });
  stage.called.length = 0;
  expect(await secureOrchestrator(options, stage.deps)).toEqual(first);
  expect(stage.called).toEqual([]);
  await expect(secureOrchestrator(options, deps)).rejects.toThrow("stand in the way");
});

describe("a move that has begun", () => {
  test("is not checked again, and gets a backup if this machine has none", async ({ stage }) => {
    Object.assign(stage.facts.old, begun("fenced"), { active: "inactive" });
    const secured = await secure(stage);
    expect(secured).toMatchObject({ backup: { files: 2 } });
    expect(stage.said).toContain("orchestrator: this move has begun already (journal on the old host); continuing it");
    expect(stage.called.filter((name) => name.startsWith("new"))).toEqual(["new signer_facts", "new signer_scan"]);
    expect(movesIn(stage.options.backups.directory).map(({ event }) => event)).toEqual(["backup", "secured"]);
  });

  test("asks no host if its proved backup is here", async ({ stage }) => {
    Object.assign(stage.facts.old, begun("fenced"));
    const first = await secure(stage);
    stage.called.length = 0;
    expect(await secure(stage)).toEqual(first);
    expect(stage.called).toEqual([]);
  });

  test("takes another backup if the first one was truncated", async ({ stage }) => {
    Object.assign(stage.facts.old, begun("fenced"));
    const { backup } = await secure(stage);
    if (!backup) expect.unreachable();
    truncateSync(backup.file, 5);
    expect((await secure(stage)).backup?.file).not.toBe(backup.file);
    expect(readdirSync(stage.options.backups.directory).filter((name) => name.endsWith(".age"))).toHaveLength(2);
  });

  test("continues without a backup if the old host is unreachable, and says so", async ({ stage }) => {
    Object.assign(stage.facts.new, begun("starting"));
    const gone: RootHost = { ...stage.deps.roots.old, call: () => Promise.reject(new Error("ETIMEDOUT")) };
    const secured = await secureOrchestrator(stage.options, {
      ...stage.deps,
      roots: { ...stage.deps.roots, old: gone },
    });
    expect(secured).toEqual({});
    expect(stage.said.at(-1)).toContain("no first backup was found on this machine");
  });

  test("is left alone once it ended, even without its backup", async ({ stage }) => {
    const { directory } = stage.options.backups;
    putEvent(directory, { at: "2026-11-21T18:00:00Z", move, event: "done", details: moved });
    expect(await secure(stage)).toEqual({});
    expect(stage.called).toEqual([]);
    await expect(
      secureOrchestrator({ ...stage.options, move: moveNamed("pillar-host/prod/Anvil/2") }, stage.deps),
    ).rejects.toThrow("old: the orchestrator gives no good answer to getBuildInfo");
    expect(stage.called).not.toEqual([]);
  });
});

describe("details of the preparation", () => {
  test("a first backup has the listed paths, of which some may change meanwhile", () => {
    const what = findWholeBackup("first", {
      service: "o",
      directory: "/root/.orchestrator",
      nodeDirectory: "/root/.znn",
      executable: "o",
      rpcPort: 1,
    });
    expect(what.place).toEqual({
      base: "/",
      paths: ["root/.orchestrator", "root/.znn/wallet/producer", "root/.znn/config.json"],
    });
    expect(what.changing).toEqual([
      "root/.orchestrator/logs",
      "root/.orchestrator/events",
      "root/.orchestrator/queues",
    ]);
    const files = [
      "config.json",
      "tss/localstate-a.json",
      "tss/address_book.seed",
      "tss/old/localstate-a.json",
      "events/x.json",
    ];
    expect(files.filter((file) => what.isJson(`root/.orchestrator/${file}`))).toEqual([
      "config.json",
      "tss/localstate-a.json",
    ]);
  });

  test("directories are private to the operator", () => {
    expect([resolvePath("~/x"), resolvePath("/x"), resolvePath("x"), resolvePath("~x")]).toEqual([
      join(homedir(), "x"),
      "/x",
      resolve("x"),
      resolve("~x"),
    ]);
  });

  test("counts and lists several problems", () => {
    expect(formatMoveFaults(["a\n  found: b", "c"])).toMatch(/2 things stand in the way:\n- a\n {4}found: b\n- c$/);
  });

  test("a truncated line of the event log loses no other line", async () => {
    const root = localRoot();
    const line = { at: "t", move };
    const store = createDirectoryStore(root.scratch);
    await appendEvent(store, { ...line, event: "failed", details: {} });
    writeFileSync(recordFile(root.scratch), '{"move": "x', { flag: "a" });
    await appendEvent(store, { ...line, event: "done", details: moved });
    expect((await readMoveEvents(store)).map(({ event }) => event)).toEqual(["failed", "done"]);
    expect(await readMoveEvents(createDirectoryStore(join(root.scratch, "none")))).toEqual([]);
    rmSync(root.scratch, { recursive: true });
  });
});
