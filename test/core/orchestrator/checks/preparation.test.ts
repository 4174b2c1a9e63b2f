import { existsSync, mkdirSync, readdirSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect } from "vitest";
import { formatMove } from "../../../../core/eventLog/moveId.ts";
import { formatShareFile } from "../../../../core/host/shareFileName.ts";
import { findWholeBackup, secureOrchestrator } from "../../../../core/orchestrator/checks/preparation.ts";
import type { SecureOptions } from "../../../../core/orchestrator/hosts/moveInputs.ts";
import type { Journal, WhichHost } from "../../../../core/orchestrator/rules/journal.ts";
import { computeFingerprint } from "../../../../core/ssh/publicKey.ts";
import type { RootHost } from "../../../../core/ssh/root.ts";
import { moveNamed } from "../../../moveNamed.ts";
import { movesIn, putEvent } from "../../../recordIn.ts";
import { answerFacts } from "../../host/printedFacts.ts";
import { exampleJournal, exampleRequirements as wanted } from "../exampleMove.ts";
import { test as base, type LocalRoot } from "../localRoot.ts";

const move = moveNamed("pillar-host/prod/Anvil/1");
const moved = { holder: "new", generation: 1, version: "v0.0.9a", movedAt: "2026-11-21T18:00:00Z" } as const;
const bridgeKey = "AsAQx1M3LVXCuozDOqO5b9adj/PItYgwZFG/xTDBiZzT";

const usual = {
  "orchestrator.LoadState": "loaded",
  "orchestrator.ActiveState": "active",
  orchestratorActive: "yes",
  directory: "there",
  bytes: "10",
  files: "3",
  "place.size": "99999999",
  "place.free": "99999999",
  "place.mount": "/",
};
const isIdle = { "orchestrator.ActiveState": "inactive", orchestratorActive: "no" };

function openStage(root: LocalRoot) {
  const directory = join(root.scratch, "signer");
  mkdirSync(directory);
  writeFileSync(join(directory, "config.json"), '{"ProducerKeyFilePassphrase": "p"}');
  writeFileSync(join(directory, "producer"), "key");
  /** Facts of each host that differ from the usual ones. */
  const facts = { old: {}, new: { ...isIdle, directory: "none" } };
  /** Functions that were called, on which host. */
  const called: string[] = [];
  // The test sets the facts; all other functions really run on this machine, which has no orchestrator.
  const host = (side: "old" | "new"): RootHost => ({
    ...root,
    address: side,
    call: async (name, variables, options) => {
      called.push(`${side} ${name}`);
      if (name === "host_facts")
        return answerFacts(Object.entries({ ...usual, ...facts[side] }).map(([key, value]) => `${key}=${value}`));
      if (name === "orchestrator_scan") return `${wanted.hostKey}\n`;
      return root.call(name, variables, options);
    },
    stream: async (name, ...rest) => {
      called.push(`${side} ${name}`);
      return root.stream(name, ...rest);
    },
  });
  const paths = { service: "o", directory, nodeDirectory: join(root.scratch, "none"), executable: "o", rpcPort: 1 };
  const said: string[] = [];
  let seconds = 0;
  const options: SecureOptions = {
    ...wanted,
    move,
    old: paths,
    new: paths,
    noKeyShare: 1,
    haltedBridge: undefined,
    firstMove: true,
    backups: { directory: join(root.scratch, "backups"), identityFile: undefined },
  };
  const deps: Parameters<typeof secureOrchestrator>[1] = {
    roots: { old: host("old"), new: host("new") },
    readNodeSync: async () => ({ synced: true, why: "", known: true }),
    readBridge: async () => ({ known: true, state: 0, key: bridgeKey, why: "live" }),
    now: () => Date.UTC(2026, 10, 21, 18, 0, seconds++),
    ticks: () => 0,
    sleep: async () => undefined,
    say: (line) => said.push(line),
  };
  return { root, said, facts, called, options, deps };
}
type Stage = ReturnType<typeof openStage>;
const test = base.extend("stage", ({ root }) => openStage(root));

const begun = (side: WhichHost, stage: Journal["stage"]) => ({
  journal: Buffer.from(JSON.stringify({ ...exampleJournal(side, stage), move: formatMove(move) })).toString("base64"),
});
const secure = ({ options, deps }: Stage) => secureOrchestrator(options, deps);

test("copies and stores nothing before a move that has a problem", async ({ stage }) => {
  await expect(secure(stage)).rejects.toThrow(
    "nothing was touched on either host. One thing stands in the way:\n- old: the orchestrator gives no good answer on 127.0.0.1:1\n    found: no RPC here\n",
  );
  expect(stage.called.filter((name) => /manifest|archive/.test(name))).toEqual([]);
  expect(existsSync(stage.options.backups.directory)).toBe(false);
  // A move that only stages its copy has not begun.
  Object.assign(stage.facts.new, begun("new", "staging"));
  await expect(secure(stage)).rejects.toThrow("stand in the way");
});

test("logs that a fenced host answers, and asks for a move from it while a backup is configured", async ({ stage }) => {
  const { directory } = stage.options.backups;
  const hostKey = computeFingerprint(stage.deps.roots.old.hostKey);
  const details = { address: "old", hostKey, how: "sentence" } as const;
  putEvent(directory, { at: "2026-11-21T17:59:00.000Z", move, event: "fenced", details });
  const options = { ...stage.options, restoreFrom: "/b.tar.age" };
  await expect(secureOrchestrator(options, stage.deps)).rejects.toThrow("old: this host answers, although a backup");
  expect(movesIn(directory)).toMatchObject([{ event: "fenced" }, { event: "unfenced", details: { hostKey } }]);
});

test("checks again after a key generation", async ({ stage }) => {
  Object.assign(stage.facts.old, begun("old", "fenced"));
  mkdirSync(join(stage.options.old.directory, "tss"));
  writeFileSync(join(stage.options.old.directory, formatShareFile(bridgeKey)), "{}");
  const options = { ...stage.options, noKeyShare: undefined };
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
  test("is not checked again, and gets a backup unless a whole one is here", async ({ stage }) => {
    Object.assign(stage.facts.old, begun("old", "fenced"), isIdle);
    const first = await secure(stage);
    expect(first).toMatchObject({ backup: { files: 2 } });
    expect(stage.said).toContain("orchestrator: this move has begun already (journal on the old host); continuing it");
    expect(stage.called.filter((name) => name.startsWith("new"))).toEqual(["new host_facts", "new orchestrator_scan"]);
    expect(movesIn(stage.options.backups.directory).map(({ event }) => event)).toEqual(["backup", "secured"]);
    stage.called.length = 0;
    expect(await secure(stage)).toEqual(first);
    expect(stage.called).toEqual([]);
    truncateSync(first.backup?.file ?? "", 5);
    expect((await secure(stage)).backup?.file).not.toBe(first.backup?.file);
    expect(readdirSync(stage.options.backups.directory).filter((name) => name.endsWith(".age"))).toHaveLength(2);
  });

  test("continues without a backup if the old host is unreachable, and says so", async ({ stage }) => {
    Object.assign(stage.facts.new, begun("new", "starting"));
    const old: RootHost = { ...stage.deps.roots.old, call: () => Promise.reject(new Error("ETIMEDOUT")) };
    const deps = { ...stage.deps, roots: { ...stage.deps.roots, old } };
    expect(await secureOrchestrator(stage.options, deps)).toEqual({});
    expect(stage.said.at(-1)).toContain("no first backup was found on this machine");
  });

  test("is left alone once it ended, even without its backup", async ({ stage }) => {
    putEvent(stage.options.backups.directory, { at: "2026-11-21T18:00:00Z", move, event: "done", details: moved });
    expect(await secure(stage)).toEqual({});
    expect(stage.called).toEqual([]);
    const next = { ...stage.options, move: moveNamed("pillar-host/prod/Anvil/2") };
    await expect(secureOrchestrator(next, stage.deps)).rejects.toThrow("old: the orchestrator gives no good answer");
  });
});

test("a first backup has the listed paths, of which some may change meanwhile", () => {
  const directory = "/root/.orchestrator";
  const own = { service: "o", directory, nodeDirectory: "/root/.znn", executable: "o", rpcPort: 1 };
  const what = findWholeBackup("first", own);
  const paths = ["root/.orchestrator", "root/.znn/wallet/producer", "root/.znn/config.json"];
  expect(what.files).toEqual({ base: "/", paths });
  expect(what.changing).toEqual(["logs", "events", "queues"].map((name) => `root/.orchestrator/${name}`));
  const json = ["config.json", "tss/localstate-a.json"];
  const others = ["tss/a.seed", "tss/old/localstate-a.json", "tss/localstate-a.json.bak", "e/x.json"];
  expect([...json, ...others].filter((file) => what.isJson(`root/.orchestrator/${file}`))).toEqual(json);
});
