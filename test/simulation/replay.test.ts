import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { type Journal, journalFile } from "../../core/orchestrator/rules/journal.ts";
import { MoveRecorder } from "../../lab/hosts/moveRecorder.ts";
import { parseRecording, type RecordedWrite } from "../../lab/simulation/recording.ts";
import { replayRecording } from "../../lab/simulation/replay.ts";
import { exampleJournal, exampleMove } from "../core/orchestrator/exampleMove.ts";
import { putEvent } from "../recordIn.ts";
import { scratchDirectory } from "../scratchDirectory.ts";

/** Recordings of the lab's runs: wholeWay, faults, restore and chain of test/lab/orchestrator. */
const recordings = { moved: "thereAndBack", rolledBack: "rolledBack", restored: "restored", chained: "chain" } as const;
const read = (name: keyof typeof recordings) =>
  parseRecording(readFileSync(join(import.meta.dirname, `recordings/${recordings[name]}.txt`), "utf8"));

type Change = (all: readonly RecordedWrite[]) => RecordedWrite[];
const isOf = (place: string, what: string) => (each: RecordedWrite) =>
  each.place === place && ` ${each.text.split(" [")[0]} `.includes(` ${what} `);
const without =
  (place: string, what: string): Change =>
  (all) =>
    all.filter((each) => !isOf(place, what)(each));
/** Changes the text of the first write of this kind. */
const reworded =
  (place: string, what: string, from: string | RegExp, to: string): Change =>
  (all) => {
    const at = all.findIndex(isOf(place, what));
    return all.map((each, index) => (index === at ? { ...each, text: each.text.replace(from, to) } : each));
  };
/** Gives a write the time right before another one. */
const before =
  (place: string, what: string, otherPlace: string, other: string): Change =>
  (all) => {
    const time = (all.find(isOf(otherPlace, other))?.to ?? 0) - 100;
    const at = all.findIndex(isOf(place, what));
    return all.map((each, index) => (index === at ? { ...each, from: time, to: time } : each));
  };
/** Removes a stage of a host, from each later history too. */
const skipped =
  (place: string, what: string, entry: string): Change =>
  (all) =>
    without(place, what)(all).map((each) => ({ ...each, text: each.text.replace(entry, "").replace("[,", "[") }));

const mistakes: readonly (readonly [string, keyof typeof recordings, Change, string])[] = [
  [
    "a stage is skipped",
    "moved",
    skipped("fresh", "staged", ",#prod/1:staged"),
    "b: #second/1 forward 1 @a>@b new staged",
  ],
  ["the target starts before the fence", "moved", before("fresh", "starting", "old", "fenced"), "@a>@b old fenced"],
  ["the copy is in place before the fence", "moved", before("fresh", "staged", "old", "fenced"), "@a>@b old fenced"],
  ["a number is used twice", "moved", reworded("old", "staging", "back 2", "back 1"), "back 2 @b>@a old staging"],
  [
    "a history loses a stage",
    "moved",
    reworded("fresh", "fenced", "#prod/1:staging,", ""),
    "fenced [#second/1:staging,",
  ],
  ["an event is another move's", "moved", reworded("log", "starting", "prod/1", "prod/2"), "log: starting #second/1"],
  ["a source is closed too early", "moved", before("old", "moved", "fresh", "running"), "@a>@b new running"],
  ["a run ends on the wrong host", "moved", reworded("log", "ended", "new", "old"), "log: ended #second/1 1 new"],
  [
    "a journal has its hosts exchanged",
    "moved",
    reworded("old", "stopping", "@old>@fresh", "@fresh>@old"),
    "@a>@b old stopping",
  ],
  ["a rollback leaves the fence", "rolledBack", skipped("old", "restored", ",#prod/1:restored"), "@a>@b old restored"],
  [
    "a restore is not logged",
    "restored",
    without("log", "starting"),
    "log: starting #second/1 forward 1 @a>@b restore",
  ],
  ["a journal is removed by no person", "moved", reworded("old", "fenced", /.*/, "removed"), "@a>@b old fenced"],
];

describe("a recording of a lab's runs", () => {
  it.each(Object.keys(recordings) as (keyof typeof recordings)[])("is a path of the simulation: %s", async (name) => {
    expect(await replayRecording(read(name))).toBeUndefined();
  });

  it.each(mistakes)("is none if %s", async (_what, name, change, allowed) => {
    const all = read(name);
    const wrong = change(all);
    expect(wrong).not.toEqual(all);
    const refusal = await replayRecording(wrong.toSorted((a, b) => a.from - b.from));
    expect(refusal?.split("It would write:")[1]).toContain(allowed);
  });
});

describe("the recorder of a lab's moves", () => {
  const scratch = scratchDirectory();

  it.each(["backups/record.jsonl", "bucket/state/pillar-host/Anvil/log/000000000000001-0.json"])(
    "keeps each journal and event of %s, a journal that was replaced at once, and one that is gone",
    async (log) => {
      const root = join(scratch(), "fresh");
      const file = join(root, journalFile);
      const move = "pillar-host/prod/Anvil/1";
      const put = (path: string, text: string) => {
        mkdirSync(dirname(path), { recursive: true });
        writeFileSync(`${path}.new`, text);
        renameSync(`${path}.new`, path);
      };
      const write = (...stages: readonly Journal["stage"][]) => {
        const history = stages.map((stage) => ({ stage, at: "", move }));
        put(file, JSON.stringify({ ...exampleJournal("new", stages.at(-1) ?? "staging"), move, history }));
      };
      const turn = () => new Promise((resolve) => setTimeout(resolve, 30));
      put(join(root, "etc/ssh/ssh_host_ed25519_key.pub"), "ssh-ed25519 QUFB lab");
      mkdirSync(dirname(dirname(file)), { recursive: true });
      const recorder = new MoveRecorder();
      recorder.watch({ name: "fresh", root });
      mkdirSync(dirname(file));
      await turn();
      write("staging");
      await turn();
      write("staging", "staged");
      write("staging", "staged", "switched");
      await turn();
      rmSync(file);
      putEvent(join(scratch(), "backups"), {
        at: "2026-01-01T00:00:00Z",
        move: exampleMove,
        event: "starting",
        details: { direction: "forward", generation: 1, source: "A", target: "B" },
      });
      put(join(scratch(), log), readFileSync(join(scratch(), "backups/record.jsonl"), "utf8"));
      if (!log.startsWith("backups")) rmSync(join(scratch(), "backups/record.jsonl"));
      const found = await recorder.end([], scratch());
      const [, all = ""] = found?.split("All of them:\n") ?? [];
      expect(parseRecording(all).map(({ place, text }) => `${place} ${text}`)).toEqual([
        "log starting #prod/1 forward 1 @A>@B",
        "fresh #prod/1 forward 1 @A>@B new staging [#prod/1:staging]",
        "fresh [#prod/1:staging,#prod/1:staged]",
        "fresh #prod/1 forward 1 @A>@B new switched [#prod/1:staging,#prod/1:staged,#prod/1:switched]",
        "fresh removed",
      ]);
    },
  );
});
