import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { formatStepError, readAnswer } from "../../../../core/ssh/answer.ts";
import { createEnvelope, type Step } from "../../../../core/steps/step.ts";
import { evilText, harmless } from "../../../evilText.ts";
import { replaceAll, type Sandbox, test } from "../sandbox.ts";

/** Replaces systemd by two commands. */
function fakeSystemd(box: Sandbox): void {
  box.command("id", "echo 0");
  // Starts the command in the background, as a service would be; refuses while the earlier run of $sandbox/busy lasts.
  box.command(
    "systemd-run",
    `printf '%s\\n' "$@" > "$sandbox/asked"
if [ -e "$sandbox/refusal" ]; then cat "$sandbox/refusal" >&2; exit 1; fi
if [ -e "$sandbox/busy" ]; then
  [ -s "$sandbox/busy" ] || rm "$sandbox/busy"
  echo "Failed to start transient service unit: Unit pillar-host-step.service already exists." >&2
  exit 1
fi
while [[ $1 == --* ]]; do shift; done
export http_proxy=http://127.0.0.1:9 TAR_OPTIONS=-v
"$@" > /dev/null 2>&1 < <(echo leaked) &
echo $! > "$sandbox/service"`,
  );
  box.command(
    "systemctl",
    `if [ "$1" = show ]; then echo "pillar-host: packages"; exit; fi
if [ -s "$sandbox/busy" ]; then
  sed -i '$d' "$sandbox/busy"
  [ -s "$sandbox/busy" ] || rm "$sandbox/busy"
  echo active
  exit
fi
if [ -e "$sandbox/service" ] && kill -0 "$(cat "$sandbox/service")" 2> /dev/null; then echo active; else echo inactive; fi`,
  );
}

async function runPlain(box: Sandbox, script: string, step: Partial<Step> = {}, systemd = box.dir) {
  fakeSystemd(box);
  const text = createEnvelope({ name: "work", limitSeconds: 5, script, ...step }, { hostName: "h", stack: "prod" });
  const moves = [
    ["/run/systemd/system", systemd],
    ["runs=/run/pillar-host", `runs=${box.dir}/run`],
    ["  sleep 1\n", "  sleep 0.05\n"],
    ["sleep 0.2;", "sleep 0.02;"],
    ["-f -s 0.2", "-f -s 0.02"],
  ] as const;
  return { text, ...(await box.run(box.inside(step.readsOnly ? text : replaceAll(text, moves)))) };
}

async function run(...call: Parameters<typeof runPlain>) {
  const { text, code, ...printed } = await runPlain(...call);
  const { isDone, stdout, stderr } = readAnswer(text, printed);
  expect(isDone).toBe(code === 0);
  return { code, stdout, stderr };
}

const evil = `printf '%s\\n' '${evilText} ünïcode-日本'`;
const left = `${harmless} ünïcode-日本\n`;
const waits = "an earlier run is still at work on this host (pillar-host: packages); waiting until it has finished\n";

test.for<[string, string, Partial<Step>, number, string, string]>([
  ["passes output, errors and code on", "echo one; echo two; echo bad >&2; exit 7\n", {}, 7, "one\ntwo\n", "bad\n"],
  ["prints nothing that controls the operator's terminal", `${evil}; ${evil} >&2; exit 3\n`, {}, 3, left, left],
  ["that only reads prints nothing such either", `${evil}; ${evil} >&2; exit 3\n`, { readsOnly: true }, 3, left, left],
  ["has no input and ends at its first error", "cat; echo 1; false; echo 2\n", {}, 1, "1\n", ""],
])("a step in a service %s", async ([, script, step, code, stdout, stderr], { box }) => {
  expect(await run(box, script, step)).toEqual({ code, stdout, stderr });
  expect((await box.run("ls run 2> /dev/null || true\n")).stdout).toBe("");
});

test.for<[string, Partial<Step>]>([
  ["a service", {}],
  ["a service with a result", { quiet: true }],
  ["no service", { readsOnly: true }],
  ["no service, with a result", { readsOnly: true, quiet: true }],
])("a step that fails, in %s, prints its errors last and on one stream", async ([, step], { box }) => {
  // The command plugin adds what it reads of the two streams to one text, in any order.
  const { text, stdout, stderr } = await runPlain(box, "echo bad >&2; echo one; echo worse >&2; exit 7\n", step);
  expect(stderr).toBe("");
  const before = step.quiet ? "" : "\nPrinted before:\n  one";
  expect(formatStepError(text, stdout, step.quiet)).toBe(`bad\nworse${before}`);
});

test("a step in a service inherits nothing from systemd", async ({ box }) => {
  const { stdout } = await run(box, "env | sed 's/=.*//' | sort | paste -sd ' '\n");
  expect(stdout).toBe("HOME LC_ALL PATH PWD SHLVL TMPDIR _ sandbox\n");
});

test("the service has the step's name and limits", async ({ box }) => {
  await run(box, "true\n", { limitSeconds: 77 });
  expect(box.read("asked")?.split("\n").slice(0, 6)).toEqual([
    "--quiet",
    "--collect",
    "--unit=pillar-host-step.service",
    "--description=pillar-host: work",
    "--property=RuntimeMaxSec=77",
    "--property=TimeoutStopSec=10",
  ]);
});

test.for([
  ["is waited for, and mentioned once", "one\ntwo\n", {}, `${waits}mine\n`, ""],
  ["is mentioned outside of a result", "one\ntwo\n", { quiet: true }, "mine\n", waits],
  ["may finish just after the refusal", "", {}, `${waits}mine\n`, ""],
] as const)("an earlier run %s", async ([, busy, step, stdout, stderr], { box }) => {
  box.write("busy", busy);
  expect(await run(box, "echo mine\n", step)).toEqual({ code: 0, stdout, stderr });
});

test("another refusal of systemd is printed", async ({ box }) => {
  const refusal = "Failed to start transient service unit: no.\n";
  box.write("refusal", refusal);
  expect(await run(box, "echo mine\n")).toEqual({ code: 1, stdout: "", stderr: refusal });
});

test("a host without systemd is refused", async ({ box }) => {
  const stderr = "h: systemd does not run here\n  needed: a host that systemd runs\n  Then: pulumi up -s prod\n";
  expect(await run(box, "echo ran\n", {}, `${box.dir}/none`)).toEqual({ code: 1, stdout: "", stderr });
});

const stepOutput = readFileSync(join(import.meta.dirname, "../../../../core/steps/lib/stepOutput.sh"), "utf8");

test("prints the output of a step's newest run until that run ends", async ({ box }) => {
  const script = `
runs=${box.dir}/runs
mkdir -p "$runs/deploy.old" "$runs/deploy.new" "$runs/deployment.x"
(while [ ! -e "$runs/begun" ]; do sleep 0.05; done; sleep 0.2; echo later >> "$runs/deploy.new/out"; sleep 0.2) & running=$!
for each in deploy.old deploy.new deployment.x; do
  echo ${spawnSync("true").pid} > "$runs/$each/pid"
  echo "of $each" > "$runs/$each/out"
done
echo "$running" > "$runs/deploy.new/pid"
touch -d '1 hour ago' "$runs/deploy.old/pid"
: > "$runs/begun"
step=deploy
${stepOutput.replace("/run/pillar-host", "$runs").replace("-s 0.5", "-s 0.05")}
step_output
`;
  expect(await box.run(script)).toMatchObject({ code: 0, stdout: "of deploy.new\nlater\n" });
});
