import { mkdirSync } from "node:fs";
import { describe, expect } from "vitest";
import { hourlyRestart } from "../../../../core/steps/nodeSteps";
import { hourlyRestartNow } from "../../../../core/steps/readingSteps";
import { configOf } from "../../../components/exampleConfig";
import { test } from "../boxed";
import { fillDisk, onSmallDisk, replaceAll, type Sandbox } from "../sandbox";

const line = "0 * * * * /usr/bin/sudo /usr/sbin/service go-node restart\n";

function run(box: Sandbox, when: "syncing" | "synced" | "now" | "proved", changes: Record<string, unknown> = {}) {
  // Root's crontab is a file here; every writing is counted.
  box.command(
    "crontab",
    `[ "$1 $2" = "-u root" ] || exit 9
if [ -e "$sandbox/broken" ]; then echo "crontab: $(cat "$sandbox/broken")" >&2; exit 1; fi
if [ "$3" = -l ]; then
  if [ ! -e "$sandbox/tab" ]; then echo "no crontab for root" >&2; exit 1; fi
  cat "$sandbox/tab"
elif [ -e "$sandbox/deaf" ]; then exit 0
else cp "$3" "$sandbox/tab"; echo written >> "$sandbox/writes"; fi`,
  );
  const config = configOf(changes);
  const step =
    when === "now" || when === "proved" ? hourlyRestartNow(config, when === "proved") : hourlyRestart(config, when);
  box.command("systemctl", 'cat "$sandbox/timers" 2> /dev/null || true');
  mkdirSync(`${box.dir}/etc/cron.d`, { recursive: true });
  mkdirSync(`${box.dir}/spool/crontabs`, { recursive: true });
  return box.run(
    replaceAll(box.local(step.script), [["etc=/etc spool=/var/spool/cron", "etc=$sandbox/etc spool=$sandbox/spool"]]),
  );
}

const on = { code: 0, stdout: "hourly restart: on, until the node has synced\n", stderr: "" };
const off = { code: 0, stdout: "hourly restart: off, in every crontab and timer of this host\n", stderr: "" };

describe("hourlyRestart", () => {
  describe("while syncing", () => {
    test("writes exactly the specification's line into a new crontab", async ({ box }) => {
      expect(await run(box, "syncing")).toEqual(on);
      expect(box.read("tab")).toBe(line);
    });

    test.for<[string, string]>([
      ["as they are", "MAILTO=ops@example.org\n\n# my own\n5 4 * * *  /usr/local/bin/backup\t--all % x\n"],
      ["with a last line that has no end", "5 4 * * * backup"],
      ["with strange bytes", "# ü \\ \\n $HOME `id` %s \x01\n\n\n  \t\n"],
      ["another service's", "0 * * * * /usr/bin/sudo /usr/sbin/service go-node2 restart\n"],
      ["our line, disabled", `#${line}`],
      ["our restart with a command behind it", `${line.trim()} && /usr/local/bin/mine\n`],
      ["our line at another hour", "30 * * * * /usr/bin/sudo /usr/sbin/service go-node restart\n"],
    ])("keeps other lines byte for byte: %s", async ([_what, before], { box }) => {
      box.write("tab", before);
      expect(await run(box, "syncing")).toEqual(on);
      expect(box.read("tab")).toBe(`${before.endsWith("\n") ? before : `${before}\n`}${line}`);
    });

    test("loses no line on a disk that is full for a while", async ({ box }) => {
      // Like the real one, it does not check whether its output was written (cron, crontab.c, list_cmd).
      const crontab = `if [ "$3" = -l ]; then cat "$sandbox/tab" 2> /dev/null || true; rm -f "$sandbox/disk/filler"; else cp "$3" "$sandbox/tab"; fi`;
      const own = `# mine\n${"5 4 * * * backup\n".repeat(500)}`;
      box.write("tab", own);
      box.command("crontab", crontab);
      const { script } = hourlyRestart(configOf({}), "syncing");
      const full = `export TMPDIR="$sandbox/disk"\n${fillDisk}\ntruncate -s -4096 "$sandbox/disk/filler"\n`;
      const { code, stderr } = await onSmallDisk(box, 64, `${full}${box.local(script)}`);
      expect({ code, stderr, tab: box.read("tab") }).toEqual({ code: 0, stderr: "", tab: `${own}${line}` });
    });

    test("changes nothing when it runs twice", async ({ box }) => {
      await run(box, "syncing");
      expect(await run(box, "syncing")).toEqual({ code: 0, stdout: "hourly restart: on\n", stderr: "" });
      expect(box.read("tab")).toBe(line);
      expect(box.read("writes")).toBe("written\n");
    });

    test.for([
      "0 * * * *  /usr/bin/sudo  /usr/sbin/service go-node  restart\n",
      "0\t*\t*\t*\t*\t/usr/bin/sudo /usr/sbin/service go-node restart  \n",
      "  0 * * * * /usr/bin/sudo /usr/sbin/service go-node restart",
    ])("recognizes the line with other blanks: %j", async (variant, { box }) => {
      box.write("tab", variant);
      expect(await run(box, "syncing")).toMatchObject({ code: 0, stdout: "hourly restart: on\n" });
      expect(box.read("tab")).toBe(variant);
      expect(box.read("writes")).toBeUndefined();
    });

    test("sets no line on a host whose node has synced once", async ({ box }) => {
      box.mark("synced");
      box.write("tab", `#${line}`);
      expect(await run(box, "syncing")).toEqual({
        code: 0,
        stdout: "hourly restart: stays off, the node synced at 2026-01-02T03:04:05Z\n",
        stderr: "",
      });
      expect(box.read("tab")).toBe(`#${line}`);
    });

    test("restarts the configured service", async ({ box }) => {
      await run(box, "syncing", { node: { service: "go-zenon" } });
      expect(box.read("tab")).toBe(line.replace("go-node", "go-zenon"));
    });
  });

  describe("switched off in the configuration", () => {
    const config = { sync: { hourlyRestart: false } };

    test("sets no line and no marker", async ({ box }) => {
      box.write("tab", "# mine\n");
      expect(await run(box, "syncing", config)).toEqual(off);
      expect(box.read("tab")).toBe("# mine\n");
      expect(box.read("writes")).toBeUndefined();
      expect(box.read("state/synced")).toBeUndefined();
    });

    test("disables a line of an earlier run", async ({ box }) => {
      box.write("tab", `# mine\n${line}`);
      expect(await run(box, "syncing", config)).toEqual(off);
      expect(box.read("tab")).toBe(`# mine\n#${line}`);
    });
  });

  describe("once synced", () => {
    test.for<[string, string]>([
      [line, `#${line}`],
      [`a b\n${line}c d\n`, `a b\n#${line}c d\n`],
      [`${line}${line}`, `#${line}#${line}`],
      [
        "  0  *\t* * * /usr/bin/sudo /usr/sbin/service go-node restart \n",
        "#  0  *\t* * * /usr/bin/sudo /usr/sbin/service go-node restart \n",
      ],
      [`last\n${line.trimEnd()}`, `last\n#${line.trimEnd()}`],
      [`#${line}`, `#${line}`],
      ["0 1 * * * backup", "0 1 * * * backup"],
    ])("%j becomes %j", async ([before, after], { box }) => {
      box.write("tab", before);
      expect(await run(box, "synced")).toEqual(off);
      expect(box.read("tab")).toBe(after);
      expect(box.read("writes")).toBe(before === after ? undefined : "written\n");
    });

    test("writes the marker before it touches the crontab", async ({ box }) => {
      box.write("tab", line);
      box.write("broken", "disk full\n");
      const { code, stderr } = await run(box, "synced");
      expect({ code, stderr }).toEqual({
        code: 1,
        stderr: "h: root's crontab could not be read\n  found: crontab: disk full\n",
      });
      expect(box.read("state/synced")).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ\n$/);
    });

    test("keeps the marker's first time", async ({ box }) => {
      box.mark("synced");
      await run(box, "synced");
      expect(box.read("state/synced")).toBe("2026-01-02T03:04:05Z\n");
    });

    test("fails if the crontab does not keep what is written", async ({ box }) => {
      box.write("tab", line);
      box.write("deaf", "");
      expect(await run(box, "synced")).toMatchObject({
        code: 1,
        stderr: "h: root's crontab differs from what was just written to it\n  Look at it with: crontab -l\n",
      });
    });

    test("treats our restart with another command as the operator's own", async ({ box }) => {
      const other = `${line.trim()} && /usr/local/bin/mine`;
      box.write("tab", `${other}\n`);
      expect((await run(box, "synced")).stdout).toContain(`left as it is: root's crontab: ${other}. `);
      expect(box.read("tab")).toBe(`${other}\n`);
    });

    test.for<[string, string, string]>([
      [
        "tab",
        "root's crontab: @daily systemctl restart go-node",
        "@daily systemctl restart go-node\n# service go-node restart\n",
      ],
      [
        "etc/cron.d/watch",
        "BOX/etc/cron.d/watch: 5 * * * * root docker restart znnd",
        "5 * * * * root docker restart znnd\n",
      ],
      ["etc/crontab", "BOX/etc/crontab: 5 * * * * root BOX/watch.sh", "5 * * * * root BOX/watch.sh\n"],
      [
        "spool/crontabs/op",
        "BOX/spool/crontabs/op: 0 * * * * sudo service go-node restart",
        "0 * * * * sudo service go-node restart\n",
      ],
      [
        "timers",
        "a timer of systemd: ExecStart={ path=BOX/watch.sh ; argv[]=BOX/watch.sh ; ignore_errors=no }",
        "ExecStart={ path=BOX/watch.sh ; argv[]=BOX/watch.sh ; ignore_errors=no }\n",
      ],
    ])(
      "keeps another restart of the node, warns about it and reports it in a lookup: %s",
      async ([place, found, text], { box }) => {
        const inBox = (words: string) => words.replaceAll("BOX", box.dir);
        await run(box, "synced");
        box.write("watch.sh", "#!/bin/sh\npgrep znnd || systemctl restart go-node.service\n");
        box.write(place, inBox(text));
        expect(await run(box, "synced")).toEqual({
          code: 0,
          stdout:
            `warning: something else restarts or stops go-node at times, and was left as it is: ${inBox(found)}. ` +
            "A restart of a producing node misses momentums.\nhourly restart: its line in root's crontab is off\n",
          stderr: "",
        });
        expect((await run(box, "now")).stdout).toBe(`${inBox(found)}\n`);
      },
    );

    test.for<[string, string]>([
      ["etc/cron.d/other", "5 * * * * root systemctl restart go-node2\n"],
      ["etc/crontab", "# systemctl restart go-node\n5 * * * * root /bin/true\n"],
      ["spool/crontabs/root", "5 * * * * systemctl restart go-node\n"],
      ["timers", "ExecStart={ path=/usr/lib/apt/apt.systemd.daily ; argv[]=/usr/lib/apt/apt.systemd.daily update }\n"],
    ])("finds no other restart of the node: %s", async ([place, text], { box }) => {
      await run(box, "synced");
      box.write(place, text);
      expect(await run(box, "synced")).toEqual(off);
    });

    test("matches a dot in the service's name as a dot", async ({ box }) => {
      const before = line.replace("go-node", "goxnode");
      box.write("tab", before);
      await run(box, "synced", { node: { service: "go.node" } });
      expect(box.read("tab")).toBe(before);
    });
  });

  describe("a lookup", () => {
    test.for<[string, string | undefined, boolean, string]>([
      ["the line, after the sync", line, true, "on"],
      ["the line with other blanks", `# mine\n  ${line.replaceAll(" ", "\t")}`, true, "on"],
      ["the line while the node syncs", line, false, "off"],
      ["the line, disabled", `#${line}`, true, "off"],
      ["another service's", line.replace("go-node", "go-node2"), true, "off"],
      ["no crontab", undefined, true, "off"],
    ])("reports whether the restart is on: %s", async ([_what, tab, synced, found], { box }) => {
      if (tab !== undefined) box.write("tab", tab);
      if (synced) box.mark("synced");
      expect(await run(box, "now")).toEqual({ code: 0, stdout: `${found}\n`, stderr: "" });
      expect([box.read("tab"), box.read("writes")]).toEqual([tab, undefined]);
      expect(box.read("state/synced") !== undefined).toBe(synced);
    });

    test("reports the line on a host that was restored to before its proved sync", async ({ box }) => {
      box.write("tab", line);
      expect(await run(box, "proved")).toEqual({ code: 0, stdout: "on\n", stderr: "" });
      expect(box.read("state/synced")).toBeUndefined();
    });

    test("reports an unreadable crontab as neither on nor off", async ({ box }) => {
      box.mark("synced");
      box.write("broken", "must be privileged");
      expect(await run(box, "now")).toMatchObject({ code: 1, stdout: "" });
    });
  });
});
