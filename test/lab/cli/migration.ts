import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect } from "vitest";
import { journalFile, parseJournal } from "../../../core/orchestrator/rules/journal.ts";
import type { Stage } from "../../../core/orchestrator/rules/journalStages.ts";
import type { Lab, LabHost } from "../../../lab/lab.ts";
import { answerQuestions } from "../../../lab/operator/migrateAnswers.ts";
import type { TerminalSize } from "../../../lab/operator/screen.ts";
import { type Answer, ctrlC, inTerminal, type Typed, typeCommand } from "../../../lab/operator/typist.ts";
import { preparePlace } from "../../../lab/shell/prepare.ts";
import type { ShellPlace } from "../../../lab/shell/texts.ts";
import { keepPrinted, noteSecret } from "../../../lab/testRun/printed.ts";
import { testLab } from "../fixture.ts";
import { codeBlocks, commandsOf } from "../readme.ts";

const readme = commandsOf(codeBlocks(readFileSync(join(import.meta.dirname, "../../../README.md"), "utf8")));
/** README's commands up to the one that migrates. */
export const readmeCommands = readme
  .filter(({ heading, command }) => heading === "Install" || (heading === "Migrate" && / migrate /.test(command)))
  .map(({ command }) => command);

/** A chain whose ticks take a second, and whose epochs take eight. */
const quick = { momentumSeconds: 0.25, tickMomentums: 4, epochSeconds: 8, rewardDelaySeconds: 1 };
const size: TerminalSize = { columns: 80, rows: 24 };
const passphrase = "Correct Horse 'battery' 7";

/** An old host that produces and signs, a blank one, and an operator who types README's command. */
export interface Migration {
  readonly lab: Lab;
  readonly old: LabHost;
  readonly fresh: LabHost;
  /** The numbers of what an operator types. */
  readonly typed: { commands: number; approvals: number; passphrases: number };
  migrate(...answers: readonly Answer[]): Promise<Typed>;
}

export function migrationStage(): Migration {
  const stage: { lab?: Lab; old?: LabHost; fresh?: LabHost; place?: ShellPlace } & Pick<Migration, "typed"> = {
    typed: { commands: readmeCommands.length - 1, approvals: 0, passphrases: 0 },
  };
  beforeAll(async () => {
    noteSecret("the pass phrase that is typed", passphrase);
    stage.lab = await testLab();
    stage.place = await preparePlace(stage.lab, undefined, quick);
    stage.old = stage.lab.host("old");
    stage.fresh = stage.lab.host("new");
  });
  afterAll(async () => stage.lab?.down());
  const migrate = async (...answers: readonly Answer[]) => {
    const { lab, place, old, fresh, typed } = stage as Required<typeof stage>;
    const { url, version } = place.orchestratorRelease;
    typed.commands += 1;
    const command = `${readmeCommands.at(-1)} --release ${url}`;
    const ended = await typeCommand(lab.atOperator(inTerminal(command, size)), {
      cwd: place.directory,
      // The lab's recorder looks for the event log there.
      env: { ...withoutSettings(process.env), ...place.env, ...dataHome(lab), TERM: "xterm" },
      size,
      answers: [...answerQuestions({ old: old.address, fresh: fresh.address, version, passphrase }), ...answers].map(
        (answer) => ({
          ...answer,
          reply: async (match, keyboard) => {
            if (answer.reply === "yes\r") typed.approvals += 1;
            if (answer.reply === `${passphrase}\r`) typed.passphrases += 1;
            if (typeof answer.reply === "string") keyboard.type(answer.reply);
            else await answer.reply(match, keyboard);
          },
        }),
      ),
      questionMs: 120_000,
    });
    keepPrinted(ended.shown);
    console.log(ended.screen);
    return ended;
  };
  return Object.assign(stage, { migrate }) as unknown as Migration;
}

const dataHome = ({ dir }: Lab) => ({ XDG_DATA_HOME: join(dir, "stacks/operator/data") });

const withoutSettings = (env: NodeJS.ProcessEnv): NodeJS.ProcessEnv =>
  Object.fromEntries(Object.entries(env).filter(([name]) => !/^PULUMI_|^SSH_AUTH_SOCK$/.test(name)));

export const stop = (seen: RegExp): Answer => ({ seen, reply: ctrlC });
/** Presses Ctrl-C twice, as the engine tells to for an end at once. */
export const stopTwice = (seen: RegExp, ready: () => Promise<unknown> = async () => undefined): Answer[] => [
  {
    seen,
    reply: async (_match, { type }) => {
      await ready();
      type(ctrlC);
    },
  },
  stop(/\^C received; cancelling/),
];

/** Waits until a host's journal of the move has a stage. */
export async function awaitStage({ root, name }: LabHost, stage: Stage): Promise<void> {
  const file = join(root, journalFile);
  const deadline = Date.now() + 120_000;
  for (;;) {
    if (existsSync(file) && parseJournal(readFileSync(file, "utf8"), name)?.stage === stage) return;
    if (Date.now() > deadline) throw new Error(`${name}: its journal does not come to ${stage}`);
    await sleep(5);
  }
}

/** Replaces on a screen what differs from run to run: times, heights, addresses, and the engine's table. */
export function normalize(screen: string, { old, fresh, lab }: Pick<Migration, "old" | "fresh" | "lab">): string {
  const whole = screen.replaceAll(new RegExp(`(.{${size.columns}})\n`, "g"), "$1");
  return whole
    .replaceAll(old.address, "OLD")
    .replaceAll(fresh.address, "NEW")
    .replaceAll(lab.dir, "LAB")
    .replaceAll(/z1q[0-9a-z]{37}/g, "ADDRESS")
    .replaceAll(/\d{4}-\d\d-\d\d[T ][\d:-]+Z?/g, "TIME")
    .replaceAll(/(?:\d+m)?\d+(?:\.\d+)?s\b/g, "SECONDS")
    .replaceAll(/\b\d+(?:\.\d+)?\b(?= %| of |, )/g, "N")
    .replaceAll(/\b(height|momentum|epoch) \d+/g, "$1 N")
    .split("\n")
    .map((line) => (/[├└│]/.test(line) ? "(the engine's table)" : line.trimEnd()))
    .filter((line, index, lines) => line !== lines[index - 1] || line === "")
    .filter((line) => !/^ +(?:[-+~] )?\d+ (?:to |created|updated|deleted|unchanged|errored|changes)/.test(line))
    .join("\n")
    .replace(/^[\s\S]*(?=error: update cancell?ed)/, "(the engine's noise)\n")
    .trimEnd();
}

/** Compares screens with those of the fixture, by their names. */
export function expectEndings(endings: Readonly<Record<string, string>>): void {
  const fixture = readFileSync(join(import.meta.dirname, "migrateEndings.txt"), "utf8");
  const expected = Object.fromEntries(
    fixture.split(/^--- /m).flatMap((part) => {
      const [name = "", ...lines] = part.split("\n");
      return name in endings ? [[name, lines.join("\n").trimEnd()]] : [];
    }),
  );
  expect(endings).toEqual(expected);
}
