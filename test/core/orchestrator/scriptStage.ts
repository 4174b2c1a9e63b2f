import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { HostPair } from "../../../core/orchestrator/hosts/hostPair.ts";
import {
  type Direction,
  formatJournal,
  type Journal,
  journalVersion,
  parseJournal,
  type WhichHost,
} from "../../../core/orchestrator/rules/journal.ts";
import type { Stage } from "../../../core/orchestrator/rules/journalStages.ts";
import { encodeBase64, markOwn, type Variables } from "../../../core/ssh/foreign.ts";
import { computeFingerprint } from "../../../core/ssh/publicKey.ts";
import { asRoot, type RootHost } from "../../../core/ssh/root.ts";
import { formatAssignments } from "../../../core/ssh/shellWords.ts";
import { readOrchestratorLibrary } from "../../../core/steps/libraries.ts";
import { moveNamed } from "../../moveNamed.ts";
import { type Ran, Sandbox } from "../steps/sandbox.ts";
import { exampleHost, exampleInputs, type WrittenJournal } from "./exampleMove.ts";

/** Double of systemctl for what a move calls; like the real one it masks nothing that lies in the mask's place. */
export const systemctl = `
file=$sandbox/units/\${@: -1}.service
[ "$1" != daemon-reload ] || exit 0 # in the background, when the sandbox may be gone
echo "$*" >> "$sandbox/asked"
case $1 in
  is-active) if [ -e "$sandbox/active" ]; then echo active; else echo inactive; exit 3; fi ;;
  is-enabled) echo enabled ;;
  show) [ "$(readlink "$file")" = /dev/null ] && echo masked || echo loaded ;;
  stop) [ -e "$file" ] || { echo "Failed to stop \${@: -1}.service: Unit \${@: -1}.service not loaded." >&2; exit 5; }; rm -f "$sandbox/active" ;;
  start) : > "$sandbox/active" ;;
  mask) [ ! -f "$file" ] || { echo "Failed to mask unit: File $file already exists." >&2; exit 1; }; ln -s /dev/null "$file" ;;
esac`;

/** Stages that each step enters, as core/orchestrator/move/moveActions.ts names them. */
const entered: Readonly<Record<string, readonly Stage[]>> = {
  orchestrator_stop: ["stopping"],
  orchestrator_fence: ["fenced"],
  orchestrator_restore: ["restoring"],
  orchestrator_staging: ["staging"],
  orchestrator_arrive: ["staged", "switched"],
  orchestrator_start: ["starting"],
  orchestrator_seal: ["abandoned"],
};

/** Returns a host key and its fingerprint, for a word. */
export function keyFor(word: string) {
  const hostKey = `ssh-ed25519 ${Buffer.from(word).toString("base64")}`;
  return { hostKey, fingerprint: computeFingerprint(hostKey) };
}

/** A step of a move on the host; what is left out is as in the tests' own move. */
export interface StageCall {
  readonly side?: WhichHost;
  readonly move?: string;
  readonly direction?: Direction;
  readonly generation?: number;
  readonly isRestore?: boolean;
  /** Words for the keys of both hosts. */
  readonly keys?: Readonly<Record<WhichHost, string>>;
  /** Stage that orchestrator_settle enters. */
  readonly settled?: Stage;
  readonly store?: string;
  readonly config?: string;
  /** Journal that the run has read; the present one if left out. */
  readonly read?: string;
}

const ownCall = {
  side: "new",
  move: "pillar-host/prod/Anvil/1",
  direction: "forward",
  generation: 2,
  keys: { old: "old", new: "new" },
} as const;

/** A host on which the real scripts of a move run, as anybody, in a directory. */
export type ScriptStage = ReturnType<typeof openScriptStage>;

export function openScriptStage() {
  const box = new Sandbox();
  const { dir, state } = box;
  const directory = join(dir, "signer");
  const file = join(state, "orchestrator.json");
  const unit = join(dir, "units", "orchestrator.service");
  for (const place of [directory, join(directory, "producer"), join(dir, "units"), join(dir, "run")]) mkdirSync(place);
  writeFileSync(join(directory, "config.json"), "{}");
  writeFileSync(unit, "[Service]\n");
  box.command("systemctl", systemctl);
  const functions = box
    .local(readOrchestratorLibrary().split(asRoot)[1] ?? "")
    .replaceAll("/etc/systemd/system", join(dir, "units"));
  const text = () => (existsSync(file) ? readFileSync(file, "utf8") : "");
  const call = (name: string, variables: Variables) => {
    // The run has the lease.
    writeFileSync(join(state, "orchestrator.lock"), "me 99999999999 - prod\n");
    const all = { ...variables, token: "me" };
    return box.run(`${functions}\n${formatAssignments(all)}${name} < /dev/null`);
  };
  return {
    box,
    unit,
    directory,
    text,
    journal: () => (text() === "" ? undefined : (JSON.parse(text()) as WrittenJournal)),
    /** Puts a journal there; what is left out is as in the tests' own move. @returns its text */
    write: (journal: Partial<Omit<Journal, "move">> & { readonly move?: string }) => {
      const { move = ownCall.move, ...rest } = journal;
      const written: Journal = {
        version: journalVersion,
        generation: move === ownCall.move ? 2 : 1,
        side: ownCall.side,
        direction: ownCall.direction,
        source: keyFor("old").fingerprint,
        target: keyFor("new").fingerprint,
        other: { address: "x", hostKey: "" },
        stage: "moved",
        at: "x",
        identity: null,
        history: [],
        move: moveNamed(move),
        ...rest,
      };
      writeFileSync(file, formatJournal(written));
      return text();
    },
    /** Does a step as HostPair does, by the journal that is there. A step that is not begun ends with code 1. */
    step: async (name: string, told: StageCall = {}): Promise<Ran> => {
      const { side, move, direction, generation, keys, isRestore, settled, read = text() } = { ...ownCall, ...told };
      let ran: Ran = { code: 1, stdout: "", stderr: "" };
      const root = {
        address: "h",
        call: async (called: string, variables: Variables) => {
          ran = await call(called, variables);
          if (ran.code !== 0) throw Object.assign(new Error(ran.stderr), { exitCode: ran.code });
          return ran.stdout;
        },
      } as RootHost;
      const host = (which: WhichHost, address: string) => {
        const { host: login, ...rest } = exampleHost(address, { directory });
        return { ...rest, host: { ...login, ssh: { ...login.ssh, hostKey: keyFor(keys[which]).hostKey } } };
      };
      const address = (which: WhichHost) => (which === side ? "192.0.2.3" : "192.0.2.4");
      const inputs = exampleInputs({ old: host("old", address("old")), new: host("new", address("new")) });
      const deps = { now: () => 0, ticks: () => 0, sleep: async () => undefined, say: () => undefined };
      const pair = Object.assign(new HostPair(inputs, deps), { roots: { old: root, new: root } });
      const seen = { active: false, masked: false, text: read, journal: parseJournal(read, "h") };
      const states = { old: undefined, new: undefined, [side]: seen };
      const enter = settled ? ([settled] as const) : entered[name];
      const variables: Variables = {
        ...markOwn({ enable: settled === "running", receive_into: `${directory}.arriving` }),
        ...(told.config !== undefined && { config: encodeBase64(told.config) }),
      };
      const saga = { move: moveNamed(move), direction, generation, isRestore };
      const store = `${told.store ?? "producer"}.moved-to-192.0.2.4-19700101T000000Z`;
      const changes = name === "orchestrator_stop" ? { keyStore: store } : undefined;
      try {
        if (enter) await pair.step({ side, name, saga, enter, changes, variables }, states);
        else await pair.call({ side, name, states, variables });
      } catch (error) {
        if (ran.code === 0) throw error;
        if (ran.stderr === "") ran = { ...ran, stderr: (error as Error).message };
      }
      return ran;
    },
  };
}
