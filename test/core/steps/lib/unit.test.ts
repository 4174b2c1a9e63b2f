import { describe, expect } from "vitest";
import { readAnswer } from "../../../../core/ssh/answer";
import { createEnvelope, type Step } from "../../../../core/steps/step";
import { evilText, harmless } from "../../../evilText";
import { test } from "../boxed";
import { replaceAll, type Sandbox } from "../sandbox";

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

async function run(box: Sandbox, script: string, step: Partial<Step> = {}) {
  fakeSystemd(box);
  const text = createEnvelope({ name: "work", limitSeconds: 5, script, ...step }, { hostName: "h", stack: "prod" });
  const { code, ...printed } = await box.run(
    replaceAll(text, [
      ["/run/systemd/system", box.dir],
      ["runs=/run/pillar-host", `runs=${box.dir}/run`],
      ["  sleep 1\n", "  sleep 0.05\n"],
      ["sleep 0.2;", "sleep 0.02;"],
      ["-f -s 0.2", "-f -s 0.02"],
    ]),
  );
  const { isDone, stdout, stderr } = readAnswer(text, printed);
  expect(isDone).toBe(code === 0);
  return { code, stdout, stderr };
}

describe("a step in a service", () => {
  test("passes output, errors and exit code on, and leaves nothing", async ({ box }) => {
    const { code, stdout, stderr } = await run(box, "echo one; echo two; echo bad >&2; exit 7\n");
    expect({ code, stdout, stderr }).toEqual({ code: 7, stdout: "one\ntwo\n", stderr: "bad\n" });
    expect((await box.run("ls run\n")).stdout).toBe("");
  });

  test("prints nothing that controls the operator's terminal", async ({ box }) => {
    const evil = `printf '%s\\n' '${evilText} ünïcode-日本'`;
    const { code, stdout, stderr } = await run(box, `${evil}; ${evil} >&2; exit 3\n`);
    const left = `${harmless} ünïcode-日本\n`;
    expect({ code, stdout, stderr }).toEqual({ code: 3, stdout: left, stderr: left });
  });

  test("prints nothing that controls the terminal for a reading step", async ({ box }) => {
    box.command("id", "echo 0");
    const evil = `printf '%s\\n' '${evilText}'`;
    const step = { name: "look", limitSeconds: 5, script: `${evil}; ${evil} >&2; exit 3\n`, readsOnly: true };
    const { code, stdout, stderr } = await box.run(createEnvelope(step, { hostName: "h", stack: "prod" }));
    expect({ code, stdout, stderr }).toEqual({ code: 3, stdout: `${harmless}\n`, stderr: `${harmless}\n` });
  });

  test("has an empty standard input, and stops at its first error", async ({ box }) => {
    expect(await run(box, "cat; echo before; false; echo after\n")).toMatchObject({ code: 1, stdout: "before\n" });
  });

  test("has the step's name and limits in its service", async ({ box }) => {
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

  test("waits for an earlier run, and says so once", async ({ box }) => {
    box.write("busy", "one\ntwo\n");
    expect(await run(box, "echo mine\n")).toEqual({
      code: 0,
      stdout:
        "an earlier run is still at work on this host (pillar-host: packages); waiting until it has finished\nmine\n",
      stderr: "",
    });
  });

  test("keeps the wait for an earlier run out of a result", async ({ box }) => {
    box.write("busy", "one\ntwo\n");
    expect(await run(box, "echo mine\n", { quiet: true })).toEqual({
      code: 0,
      stdout: "mine\n",
      stderr: "an earlier run is still at work on this host (pillar-host: packages); waiting until it has finished\n",
    });
  });

  test("tries again if the earlier run finished just after the refusal", async ({ box }) => {
    box.write("busy", "");
    expect(await run(box, "echo mine\n")).toMatchObject({ code: 0, stdout: expect.stringMatching(/mine\n$/) });
  });

  test("prints what systemd refuses", async ({ box }) => {
    box.write("refusal", "Failed to start transient service unit: no.\n");
    expect(await run(box, "echo mine\n")).toEqual({
      code: 1,
      stdout: "",
      stderr: "Failed to start transient service unit: no.\n",
    });
  });

  test("reports a service that was stopped before it finished", async ({ box }) => {
    expect(await run(box, "echo begun; kill -9 $PPID $$\n")).toEqual({
      code: 1,
      stdout: "begun\n",
      stderr:
        "h: work was stopped before it finished\n" +
        "  found: no result after at most 5 s (a time limit, a reboot, or somebody stopped pillar-host-step.service)\n" +
        "  Run pulumi up -s prod again: it continues from where it was.\n",
    });
  });

  test("refuses a host without systemd", async ({ box }) => {
    fakeSystemd(box);
    const text = createEnvelope(
      { name: "work", limitSeconds: 5, script: "echo ran\n" },
      { hostName: "h", stack: "prod" },
    );
    expect(await box.run(replaceAll(text, [["/run/systemd/system", `${box.dir}/none`]]))).toEqual({
      code: 1,
      stdout: "",
      stderr: "h: systemd does not run here\n  needed: a host that systemd runs\n  Then: pulumi up -s prod\n",
    });
  });
});
