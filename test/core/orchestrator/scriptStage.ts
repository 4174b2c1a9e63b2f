import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { WrittenJournal } from "../../../core/orchestrator/rules/journal.ts";
import { asRoot } from "../../../core/ssh/root.ts";
import { formatAssignments } from "../../../core/ssh/shellWords.ts";
import { readOrchestratorLibrary } from "../../../core/steps/libraries.ts";
import { Sandbox } from "../steps/sandbox.ts";

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

/** The tests' own move, before which others were on the host. */
const ownMove = "pillar-host/prod/Anvil/1";
/** The keys of the hosts of a move. */
const ends = { source: "SHA256:source", target: "SHA256:target" };

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
  return {
    box,
    unit,
    directory,
    journal: () => (existsSync(file) ? (JSON.parse(readFileSync(file, "utf8")) as WrittenJournal) : undefined),
    /** Puts a journal there, after others of its host. @returns its text */
    write: (journal: WrittenJournal) => {
      const { history = [], ...rest } = journal;
      const lines = Object.entries({
        version: 1,
        generation: rest.move === ownMove ? 2 : 1,
        ...ends,
        other: { address: "x", hostKey: "" },
        was: {},
        ...rest,
      });
      const text = [...lines, ["history", history] as const].map(
        ([key, value]) => `  "${key}": ${JSON.stringify(value)}`,
      );
      writeFileSync(file, `{\n${text.join(",\n")}\n}\n`);
      return readFileSync(file, "utf8");
    },
    /** Runs a step as the owner of the host's lock. */
    step: (name: string, more: Readonly<Record<string, string>> = {}) => {
      writeFileSync(join(state, "orchestrator.lock"), "me 99999999999 \n");
      const variables = {
        token: "me",
        service: "orchestrator",
        directory,
        executable: "orchestrator",
        rpc_port: "55000",
        signer_runs: join(dir, "run"),
        other_address: "192.0.2.4",
        other_host_key: "k",
        identity: "",
        generation: "2",
        source_key: ends.source,
        target_key: ends.target,
        ...more,
      };
      return box.run(`${functions}\n${formatAssignments(variables)}${name} < /dev/null`);
    },
  };
}
