import { mkdirSync } from "node:fs";
import { describe, expect } from "vitest";
import { hourlyRestart, hourlyRestartNow } from "../../../../core/steps/nodeSteps.ts";
import { configOf } from "../../../components/exampleConfig.ts";
import { fillDisk, onSmallDisk, replaceAll, type Sandbox, test } from "../sandbox.ts";

const line = "0 * * * * /usr/bin/sudo /usr/sbin/service go-node restart\n";
/** The operator's own lines: each is kept byte for byte. */
const others = [
  "MAILTO=ops@example.org\n\n# my own\n5 4 * * *  /usr/local/bin/backup\t--all % x\n",
  "# ü \\ \\n $HOME `id` %s \x01\n\n\n  \t\n",
  "0 * * * * /usr/bin/sudo /usr/sbin/service go-node2 restart\n",
  `#${line}`,
];
/** The line with other blanks. */
const variants = [
  "0 * * * *  /usr/bin/sudo  /usr/sbin/service go-node  restart\n",
  "0\t*\t*\t*\t*\t/usr/bin/sudo /usr/sbin/service go-node restart  \n",
  "  0 * * * * /usr/bin/sudo /usr/sbin/service go-node restart",
];

/** Runs the step on a host with this crontab of root, a file in the box. Every writing is counted. */
async function run(
  box: Sandbox,
  when: "syncing" | "synced" | "now" | "proved",
  tab?: string,
  changes: Record<string, unknown> = {},
) {
  box.command(
    "crontab",
    `[ "$1 $2" = "-u root" ] || exit 9
if [ -e "$sandbox/broken" ]; then echo "crontab: disk full" >&2; exit 1; fi
if [ "$3" = -l ]; then
  if [ ! -e "$sandbox/tab" ]; then echo "no crontab for root" >&2; exit 1; fi
  cat "$sandbox/tab"
elif [ -e "$sandbox/deaf" ]; then exit 0
else cp "$3" "$sandbox/tab"; echo written >> "$sandbox/writes"; fi`,
  );
  box.command(
    "systemctl",
    `case "$*" in
  *"is-active -q cron"*) [ ! -e "$sandbox/no-cron" ] ;;
  *RuntimeMaxUSec*) cat "$sandbox/unit" 2> /dev/null || true ;;
  *) cat "$sandbox/timers" 2> /dev/null || true ;;
esac`,
  );
  if (box.read("bin/journalctl") === undefined) box.command("journalctl", "echo 1.5 h systemd: Started");
  for (const place of ["etc/cron.d", "etc/cron.weekly", "spool/crontabs"])
    mkdirSync(`${box.dir}/${place}`, { recursive: true });
  if (tab !== undefined) box.write("tab", tab);
  const config = configOf(changes);
  const isLookup = when === "now" || when === "proved";
  const { script } = isLookup ? hourlyRestartNow(config, when === "proved") : hourlyRestart(config, when);
  const moves = [
    [
      "etc=/etc spool=/var/spool/cron volatile=/run/log/journal",
      "etc=$sandbox/etc spool=$sandbox/spool volatile=$sandbox/run",
    ],
  ] as const;
  const ran = await box.run(replaceAll(box.local(script), moves));
  return { ...ran, tab: box.read("tab"), writes: box.read("writes") };
}

const good = (stdout: string, tab: string | undefined, isWritten = true) => ({
  code: 0,
  stdout: `${stdout}\n`,
  stderr: "",
  tab,
  writes: isWritten ? "written\n" : undefined,
});
const on = "hourly restart: on, until the node has synced";
const off = "hourly restart: off, in root's crontab; no other crontab or timer was found that restarts the node";

describe("while the node syncs", () => {
  test("the specification's line is written into a new crontab, for the configured service", async ({ box }) => {
    expect(await run(box, "syncing")).toEqual(good(on, line));
    await run(box, "syncing", "", { node: { service: "go-zenon" } });
    expect(box.read("tab")).toBe(line.replace("go-node", "go-zenon"));
  });

  test.for([
    ...[...others, "5 4 * * * backup", `${line.trim()} && /usr/local/bin/mine\n`],
    "30 * * * * /usr/bin/sudo /usr/sbin/service go-node restart\n",
  ])("other lines are kept: %j", async (before, { box }) => {
    expect(await run(box, "syncing", before)).toEqual(good(on, `${before.replace(/([^\n])$/, "$1\n")}${line}`));
  });

  test.for([line, ...variants])("nothing is written if it is on: %j", async (before, { box }) => {
    expect(await run(box, "syncing", before)).toEqual(good("hourly restart: on", before, false));
  });

  test("a crontab that no cron runs is said to have no effect", async ({ box }) => {
    box.write("no-cron", "");
    const says =
      "\nwarning: no cron runs on this host: the line has no effect. Start it with: systemctl enable --now cron\n";
    expect((await run(box, "syncing")).stdout).toBe(on + says);
    expect((await run(box, "syncing")).stdout).toBe(`hourly restart: on${says}`);
  });

  test("no line is lost on a disk that is full for a while", async ({ box }) => {
    // Like the real one, it does not check whether its output was written (cron, crontab.c, list_cmd).
    const crontab = `if [ "$3" = -l ]; then cat "$sandbox/tab" 2> /dev/null || true; rm -f "$sandbox/disk/filler"; else cp "$3" "$sandbox/tab"; fi`;
    const own = `# mine\n${"5 4 * * * backup\n".repeat(500)}`;
    box.write("tab", own);
    box.command("crontab", crontab);
    box.command("systemctl", ":");
    const full = `export TMPDIR="$sandbox/disk"\n${fillDisk}\ntruncate -s -4096 "$sandbox/disk/filler"\n`;
    const script = `${full}${box.local(hourlyRestart(configOf({}), "syncing").script)}`;
    const { code, stderr } = await onSmallDisk(box, 64, script);
    expect({ code, stderr, tab: box.read("tab") }).toEqual({ code: 0, stderr: "", tab: `${own}${line}` });
  });
});

describe("once the node is synced", () => {
  test.for([
    [`a b\n${line}c d\n`, `a b\n#${line}c d\n`],
    [`${line}${line}`, `#${line}#${line}`],
    [`last\n${line.trimEnd()}`, `last\n#${line.trimEnd()}`],
    ...variants.map((each) => [each, `#${each}`]),
  ] as const)("the line is disabled: %j", async ([before, after], { box }) => {
    expect(await run(box, "synced", before)).toEqual(good(off, after));
  });

  test.for(others)("other lines are kept: %j", async (before, { box }) => {
    expect(await run(box, "synced", before)).toEqual(good(off, before, false));
  });

  test("a dot in the service's name is a dot", async ({ box }) => {
    const before = line.replace("go-node", "goxnode");
    expect((await run(box, "synced", before, { node: { service: "go.node" } })).tab).toBe(before);
  });

  test("the marker is written before the crontab is touched, and keeps its first time", async ({ box }) => {
    box.write("broken", "");
    const stderr = "h: root's crontab could not be read\n  found: crontab: disk full\n";
    expect(await run(box, "synced", line)).toMatchObject({ code: 1, stderr });
    expect(box.read("state/synced")).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ\n$/);
    box.mark("synced");
    await run(box, "synced", line);
    expect(box.read("state/synced")).toBe("2026-01-02T03:04:05Z\n");
  });

  test("the step fails if the crontab does not keep what is written", async ({ box }) => {
    box.write("deaf", "");
    const stderr = "h: root's crontab differs from what was just written to it\n  Look at it with: crontab -l\n";
    expect(await run(box, "synced", line)).toMatchObject({ code: 1, stderr });
  });

  const ended = "go-node.service: Scheduled restart job, restart counter is at 1.";
  const journal = (times: readonly number[], before = "") =>
    `echo "$*" > $sandbox/asked; for at in ${times.join(" ")}; do printf '%s.5 h systemd[1]: %s\\n' ${before && `$at "${before}"`} $at Started; done`;
  const now = Math.floor(Date.now() / 1000);
  const ago = (...minutes: number[]) => minutes.map((each) => now - each * 60);
  test.for<[string, readonly number[], string | undefined, ended?: string]>([
    ["each hour", [0, 3600, 7205, 10_790], "every 60 minutes"],
    ["each hour, after another start", [0, 500, 4100, 7700, 11_300], "every 60 minutes"],
    ["each hour, because its unit or a program ends it", [0, 3600, 7205, 10_790], "every 60 minutes", ended],
    ["at other times, long ago", [0, 3600, 9000, 20_000], undefined],
    ["at other times, today", ago(1300, 1200, 900, 800, 20), "and again, five times in the last day"],
    ["at other times, after its ends", ago(1300, 1200, 900, 800, 20), "and again, five times in the last day", ended],
    ["each five minutes", ago(20, 15, 10, 5, 0), "and again, five times in the last day"],
    ["four times today, by its operator", ago(1300, 900, 800, 20), undefined],
    ["three times", [0, 3600, 7200], undefined],
    ["four times today", ago(2000, 900, 800, 500, 20), undefined],
    ["in a long crash loop", ago(...Array.from({ length: 60 }, (_, index) => 60 - index)), undefined, ended],
  ])("a node that starts %s, by no crontab", async ([, times, every, before], { box }) => {
    box.command("journalctl", journal(times, before));
    await run(box, "synced", "");
    const words = every && `systemd's journal: go-node starts again ${every}; look for what does it`;
    expect((await run(box, "now")).stdout).toEqual(words ? expect.stringContaining(words) : "off\n");
    expect(box.read("asked")).toMatch(
      /MESSAGE_ID=39f53479\w+ MESSAGE_ID=5eb03494\w+ UNIT=go-node\.service --since @\d{10}\n$/,
    );
  });

  test("a journal without the node's starts is said, because it hides them", async ({ box }) => {
    box.command("journalctl", ":");
    expect((await run(box, "synced", "")).stdout).toBe(
      `${off}\nwarning: systemd's journal has no start of go-node: a restart by another program would not be seen in it\n`,
    );
  });

  test("a journal that is lost at each boot is said, because it hides regular reboots", async ({ box }) => {
    mkdirSync(`${box.dir}/run/0123`, { recursive: true });
    expect((await run(box, "synced", "")).stdout).toBe(`${off}\n`);
    box.write("run/0123/system.journal", "");
    expect((await run(box, "synced", "")).stdout).toBe(
      `${off}\nwarning: systemd's journal is lost at each boot: a regular reboot would not be seen in it. Keep it: Storage=persistent in /etc/systemd/journald.conf, then: systemctl restart systemd-journald\n`,
    );
  });

  test.for(["RuntimeMaxUSec=1h", "WatchdogUSec=1min"])("a unit with %s restarts the node", async (setting, { box }) => {
    await run(box, "synced", "");
    box.write("unit", "RuntimeMaxUSec=infinity\nWatchdogUSec=0\n");
    expect((await run(box, "now")).stdout).toBe("off\n");
    box.write("unit", `${setting}\n`);
    expect((await run(box, "now")).stdout).toBe(`the unit of go-node: ${setting}\n`);
  });

  const timer = (path: string) => `ExecStart={ path=${path} ; argv[]=${path} ; ignore_errors=no }`;
  test.for([
    ["tab", "@daily systemctl restart go-node", "root's crontab: "],
    ["tab", `${line.trim()} && /usr/local/bin/mine`, "root's crontab: "],
    ["etc/cron.d/watch", "5 * * * * root docker restart znnd", "BOX/etc/cron.d/watch: "],
    ["etc/crontab", "5 * * * * root BOX/watch.sh", "BOX/etc/crontab: "],
    ["etc/anacrontab", "7 5 weekly BOX/watch.sh", "BOX/etc/anacrontab: "],
    ["etc/cron.weekly/node", "kill $(pidof znnd)", "BOX/etc/cron.weekly/node: "],
    ["etc/cron.d/patch", "0 4 * * 0 root /sbin/shutdown -r +5", "BOX/etc/cron.d/patch: "],
    ["tab", "0 4 1 * * apt-get -y upgrade && systemctl reboot", "root's crontab: "],
    ["tab", "0 4 * * * sh -c '/sbin/reboot'", "root's crontab: "],
    ["tab", "0 4 * * * bash -c 'reboot now'", "root's crontab: "],
    ["tab", "0 4 * * * /sbin/init 6", "root's crontab: "],
    ["tab", "0 4 * * * systemctl isolate reboot.target", "root's crontab: "],
    ["tab", "0 4 * * * systemctl --no-block kexec", "root's crontab: "],
    ["tab", "0 4 * * * systemctl try-restart 'go-*'", "root's crontab: "],
    ["tab", "0 4 * * * kill -0 $(pidof znnd) || pkill -f 'znnd'", "root's crontab: "],
    ["tab", "0 4 * * * service 'go-node' restart", "root's crontab: "],
    ["tab", "0 4 * * * systemctl 'restart' go-node", "root's crontab: "],
    ["tab", "0 4 * * * systemctl --now disable go-node; service go-node force-reload", "root's crontab: "],
    ["tab", "0 4 * * * docker compose -f /opt/znnd/compose.yml restart", "root's crontab: "],
    ["tab", "0 4 * * * docker-compose -p znnd down", "root's crontab: "],
    ["etc/cron.weekly/node", "/etc/init.d/go-node stop", "BOX/etc/cron.weekly/node: "],
    ["timers", "Id=reboot.target", "a timer of systemd: "],
    ["timers", "Id=systemd-poweroff.service", "a timer of systemd: "],
    ["spool/crontabs/op", "0 * * * * sudo service go-node restart", "BOX/spool/crontabs/op: "],
    ["timers", timer("BOX/watch.sh"), "a timer of systemd: "],
  ] as const)("another restart is kept, and reported: %s", async ([place, text, whose], { box }) => {
    const inBox = (words: string) => words.replaceAll("BOX", box.dir);
    await run(box, "synced", "");
    box.write("watch.sh", "#!/bin/sh\npgrep znnd || systemctl restart go-node.service\n");
    box.write(place, inBox(`${text}\n# service go-node restart\n`));
    const found = inBox(`${whose}${text}`);
    expect((await run(box, "synced")).stdout).toBe(
      `warning: something else restarts or stops go-node at times, and was left as it is: ${found}. ` +
        "A restart of a producing node misses momentums.\nhourly restart: its line in root's crontab is off\n",
    );
    expect(box.read("writes")).toBeUndefined();
    expect((await run(box, "now")).stdout).toBe(`${found}\n`);
  });

  test.for([
    ["etc/cron.d/other", "5 * * * * root systemctl restart go-node2\n"],
    ["etc/cron.d/boot", "@reboot root /usr/local/bin/mine; test ! -e /run/reboot-required\n"],
    ["tab", "* * * * * systemctl is-active --quiet go-node || curl https://go.example/start go-node\n"],
    ["tab", "* * * * * kill  -0 $(pidof znnd) || mail -s 'znnd is off; reboot-required' op\n"],
    ["tab", "* * * * * service --status-all | grep go-node; systemctl restart 'other-*'\n"],
    ["tab", "* * * * * systemctl restart chrony && systemctl is-active go-node\n"],
    ["tab", "* * * * * docker run --restart always --name znnd-exporter x; docker logs znnd\n"],
    ["timers", "Id=apt-daily.service\n"],
    ["etc/crontab", "# systemctl restart go-node\n5 * * * * root /bin/true\n"],
    ["spool/crontabs/root", "5 * * * * systemctl restart go-node\n"],
    ["timers", `${timer("/usr/lib/apt/apt.systemd.daily")}\n`],
  ] as const)("no other restart of the node is found in %s", async ([place, text], { box }) => {
    await run(box, "synced", "");
    box.write(place, text);
    expect((await run(box, "synced")).stdout).toBe(`${off}\n`);
  });
});

describe("a lookup", () => {
  test.for<[string, string | undefined, "now" | "proved", boolean, string]>([
    ["the line, after the sync", line, "now", true, "on"],
    ["the line with other blanks", `# mine\n  ${line.replaceAll(" ", "\t")}`, "now", true, "on"],
    ["the line while the node syncs", line, "now", false, "off"],
    ["the line on a host that was restored to before its proved sync", line, "proved", false, "on"],
    ["the line, disabled", `#${line}`, "now", true, "off"],
    ["another service's", line.replace("go-node", "go-node2"), "now", true, "off"],
    ["no crontab", undefined, "now", true, "off"],
  ])("reports whether the restart is on: %s", async ([, tab, when, synced, found], { box }) => {
    if (synced) box.mark("synced");
    expect(await run(box, when, tab)).toEqual(good(found, tab, false));
    expect(box.read("state/synced") !== undefined).toBe(synced);
  });

  test("reports an unreadable crontab as neither on nor off", async ({ box }) => {
    box.write("broken", "");
    expect(await run(box, "proved")).toMatchObject({ code: 1, stdout: "" });
  });
});
