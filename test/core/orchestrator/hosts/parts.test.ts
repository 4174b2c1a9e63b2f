import { describe, expect, test } from "vitest";
import { formatMove } from "../../../../core/eventLog/moveId";
import { createManifest } from "../../../../core/orchestrator/backup/manifest";
import { restoreKeyStoreName } from "../../../../core/orchestrator/hosts/copier";
import { parseHostState } from "../../../../core/orchestrator/hosts/hostPair";
import { findLogErrors, parseLife } from "../../../../core/orchestrator/move/verify";
import type { HostStates } from "../../../../core/orchestrator/rules/hostStates";
import { type Journal, parseJournal, type Saga } from "../../../../core/orchestrator/rules/journal";
import { describeKeyLocation } from "../../../../core/orchestrator/rules/keyLocation";
import { formatObstacle } from "../../../../core/orchestrator/rules/obstacles";
import { moveNamed } from "../../../moveNamed";

const journal: Journal & { was: { keyStore: string } } = {
  version: 1,
  move: moveNamed("pillar-host/prod/Anvil/1"),
  direction: "forward",
  side: "old",
  stage: "fenced",
  generation: 3,
  source: "SHA256:a",
  target: "SHA256:b",
  other: { address: "203.0.113.9", hostKey: "ssh-ed25519 AAAA" },
  at: "2026-01-01T00:00:00Z",
  identity: null,
  history: [],
  was: { enabled: true, keyStore: "/root/.orchestrator/producer.moved-to-203.0.113.9-20260101T000000Z" },
};
/** Text of a journal on a host. */
const written = { ...journal, move: formatMove(journal.move) };
const places = {
  old: "198.51.100.7",
  new: "203.0.113.9",
  services: { old: "signer", new: "orchestrator" },
  stack: "prod",
};
const side = (text: string) =>
  `config.json: said before\njournal ${Buffer.from(text).toString("base64")}\nactive no\nmasked yes\nend\n`;

describe("parseJournal", () => {
  test("reads what the hosts write, and nothing from an empty text", () => {
    expect(parseJournal(JSON.stringify(written), "host")).toEqual(journal);
    expect(parseJournal("", "host")).toBeUndefined();
  });

  test.each<readonly [string, string]>([
    ["half of one", JSON.stringify(written).slice(0, 50)],
    ["another form", "[]"],
    ["null", "null"],
    ["a stage of the other host", JSON.stringify({ ...written, stage: "running" })],
    ["a history that is none", JSON.stringify({ ...written, history: "x" })],
    ...[1e300, 2 ** 53, 1e9, 0, -1, 1.5, "3"].map((generation) => {
      return [`generation ${generation}`, JSON.stringify({ ...written, generation })] as const;
    }),
    ["a history of nothing", JSON.stringify({ ...written, history: [null] })],
    ["a history of numbers", JSON.stringify({ ...written, history: [{ stage: 1 }] })],
    ["a key store that is no text", JSON.stringify({ ...written, was: { keyStore: 1 } })],
    ["an identity that is no text", JSON.stringify({ ...written, identity: { producer: [] } })],
    ["a key store that is no absolute path", JSON.stringify({ ...written, was: { keyStore: "-o" } })],
    ["a host key of two lines", JSON.stringify({ ...written, other: { ...written.other, hostKey: "a\nb" } })],
    ["one without its generation", JSON.stringify({ ...written, generation: undefined })],
    ["one without the hosts' keys", JSON.stringify({ ...written, source: undefined })],
    ["one without a version", JSON.stringify({ ...written, version: undefined })],
    ["a later version", JSON.stringify({ ...written, version: 2 })],
  ])("refuses %s", (_what, text) => {
    expect(() => parseJournal(text, "203.0.113.9")).toThrow(
      /203\.0\.113\.9: the journal .* cannot be read\n {2}found: /,
    );
  });
});

test("parses the state at the end of the output, and the lines before it", () => {
  const { seen, said } = parseHostState(side(JSON.stringify(written)), "host");
  expect(seen).toEqual({ journal, active: false, masked: true });
  expect(said).toEqual(["config.json: said before"]);
  expect(parseHostState(side(""), "host").seen.journal).toBeUndefined();
  expect(() => parseHostState("journal \nactive no\n", "host")).toThrow("host: its answer was cut off");
});

test("an unfenced manifest has the key store's usual name, also for a folder", () => {
  const entry = (path: string) => ({ path, kind: "file", mode: "600", owner: "0:0", size: 1, sha256: "a" }) as const;
  const aside = "producer.moved-to-203.0.113.9-20260101T000000Z";
  const manifest = createManifest([
    entry(aside),
    entry(`${aside}/producer`),
    entry("producer.moved-to-else"),
    entry("tss"),
  ]);
  expect([...restoreKeyStoreName(manifest, journal.was.keyStore).keys()]).toEqual([
    "producer",
    "producer.moved-to-else",
    "producer/producer",
    "tss",
  ]);
  expect(restoreKeyStoreName(manifest, undefined)).toBe(manifest);
  const named = createManifest([entry("signer.key.moved-to-203.0.113.9-20260101T000000Z"), entry("tss")]);
  expect([...restoreKeyStoreName(named, "/o/signer.key.moved-to-203.0.113.9-20260101T000000Z").keys()]).toEqual([
    ...["signer.key", "tss"],
  ]);
});

test("picks the log lines that an operator should read, by their level", () => {
  const bad = [
    "2026-01-01T00:00:00.000Z\tERROR\tnetwork/evm.go:584\twebsocket: close 1006 (abnormal closure): unexpected EOF",
    "panic: runtime error: invalid memory address",
    "orchestrator.service: Main process exited, code=exited, status=1/FAILURE",
  ];
  const other = [
    "2026-01-01T00:00:00.000Z\tDEBUG\tnetwork/znn.go:265\terror: event already exists, set it as sent locally",
    "2026-01-01T00:00:00.000Z\tINFO\tmain.go:1\tno errors",
  ];
  expect(findLogErrors([...other, ...bad])).toEqual(bad);
});

test("parses the unit's state and its last lines", () => {
  const printed = "ActiveState=active\nSubState=running\nNRestarts=2\nMainPID=77\nPeers=3\nlog\nline 1\nline 2\n";
  const life = { active: "active (running)", restarts: 2, pid: 77, log: ["line 1", "line 2"] };
  expect(parseLife(printed)).toEqual({ ...life, peers: 3 });
  expect(parseLife(printed.replace("Peers=3\n", ""))).toEqual(life);
});

describe("an error of a move", () => {
  const aside =
    "on both hosts: mv /var/lib/pillar-host/orchestrator.json /var/lib/pillar-host/orchestrator.json.aside; then pulumi config set --path pillar-host:orchestrator.rollback true -s prod && pulumi up -s prod";
  const fenced = { journal, active: false, masked: true };
  test("says where the key is", () => {
    const none = { active: false, masked: true };
    expect(describeKeyLocation({ old: fenced, new: none }, places)).toBe(
      "The key is on the old host (198.51.100.7), stopped and fenced, and nobody signs now.",
    );
    expect(describeKeyLocation({ old: { active: true, masked: false }, new: none }, places)).toBe(
      "The key is on the old host (198.51.100.7), which signs; nothing was started on the new host (203.0.113.9).",
    );
  });

  const at = (stage: Journal["stage"], more: Partial<Journal> = {}): Journal => ({
    ...journal,
    side: "new",
    stage,
    ...more,
  });
  const [running, stopped] = [
    { active: true, masked: false },
    { active: false, masked: true },
  ];
  test.each<[string, HostStates, string]>([
    [
      "a restored snapshot of the old host",
      { old: running, new: { journal: at("running"), ...running } },
      "The key is on the new host (203.0.113.9), which signs; the old host (198.51.100.7) runs too. But an orchestrator runs on the old host (198.51.100.7): two may sign now.",
    ],
    [
      "a missing fence",
      { old: { journal, active: false, masked: false }, new: { journal: at("running"), ...stopped } },
      "The key is on the new host (203.0.113.9), which does not run now; the old host (198.51.100.7) does not run, and nothing fences it.",
    ],
    [
      "a move to a third host",
      {
        old: { journal, ...stopped },
        new: {
          journal: at("moved", {
            move: moveNamed("pillar-host/next/Anvil/1"),
            other: { address: "192.0.2.4", hostKey: "" },
          }),
          ...stopped,
        },
      },
      "The key is on 192.0.2.4: pillar-host/next/Anvil/1 moved it there from the new host (203.0.113.9).",
    ],
    [
      "an unreachable new host after the move",
      { old: { journal: { ...journal, stage: "moved" }, ...stopped }, new: undefined },
      "The key is on the new host (203.0.113.9), which is unreachable; the old host (198.51.100.7) is fenced.",
    ],
    [
      "a fenced orchestrator that runs",
      { old: { journal, ...running }, new: stopped },
      "The key is on the old host (198.51.100.7), which runs all the same.",
    ],
  ])("says where the key is, from the journals and the running units: %s", (_what, looks, line) => {
    expect(describeKeyLocation(looks, places)).toBe(line);
  });

  test("does not propose to leave one on the old host after it moved on from the new one", () => {
    const looks: HostStates = {
      old: running,
      new: { journal: at("moved", { move: moveNamed("pillar-host/next/Anvil/1") }), ...stopped },
    };
    const text = formatObstacle("two may sign", { move: journal.move, direction: "forward" }, looks, places);
    expect(text).toContain("Stop it at once, on 198.51.100.7");
    expect(text).not.toContain("bring the orchestrator back by hand");
  });

  test("names the second orchestrator's host and unit", () => {
    const saga: Saga = { move: journal.move, direction: "forward" };
    const looks: HostStates = { old: running, new: { journal: at("running"), ...running } };
    const text = formatObstacle("two may sign", saga, looks, places);
    expect(text).toContain(
      "an orchestrator runs on the old host (198.51.100.7), where by the journals none may: two may sign",
    );
    expect(text).toContain("  Stop it at once, on 198.51.100.7: systemctl stop signer && ");
    expect(text).toContain("mv -f /etc/systemd/system/signer.service /etc/systemd/system/signer.service.moved");
    expect(text).not.toContain("bring the orchestrator back by hand");
  });

  test("proposes to stop it, to leave it, or to confirm a move by hand after an unknown start", () => {
    const saga: Saga = { move: moveNamed("pillar-host/next/Anvil/1"), direction: "forward", generation: 2 };
    const text = formatObstacle("later start", saga, { old: running, new: stopped }, places);
    expect(text).toContain(
      "the old host (198.51.100.7) does not know of this orchestrator's last start: generation 2, pillar-host/next/Anvil/1. Nothing was changed",
    );
    expect(text).toContain("  found: no journal on the old host\n");
    expect(text).toContain("This host must not sign too, on 198.51.100.7: systemctl stop signer && ");
    expect(text).toContain("pulumi config rm --path pillar-host:orchestrator.migrateFrom -s prod && pulumi up -s prod");
    expect(text).toContain(
      "pulumi config set --path pillar-host:orchestrator.migrateFrom.laterThanMove 2 -s prod && pulumi up -s prod",
    );
  });

  test("proposes to remove the move if another stack moved the orchestrator on", () => {
    const next = at("moved", { move: moveNamed("pillar-host/next/Anvil/1") });
    const text = formatObstacle(
      "another move",
      next,
      { old: { journal, ...stopped }, new: { journal: next, ...stopped } },
      places,
    );
    expect(text).toContain("took this orchestrator elsewhere: pillar-host/next/Anvil/1");
    expect(text).toContain("pulumi config rm --path pillar-host:orchestrator.migrateFrom -s prod && pulumi up -s prod");
    const open = { ...next, stage: "stopping" as const };
    expect(
      formatObstacle("another move", open, { old: stopped, new: { journal: open, ...stopped } }, places),
    ).toContain("Finish that move with its own stack first: pulumi up -s next");
  });

  test("prints the commands to continue and to roll back after the new host's start", () => {
    const started = {
      journal: { ...journal, side: "new" as const, stage: "starting" as const },
      active: true,
      masked: false,
    };
    const saga: Saga = { move: journal.move, direction: "forward" };
    const text = formatObstacle("target is started", saga, { old: fenced, new: started }, places);
    expect(text).toBe(
      [
        "the orchestrator of the new host (203.0.113.9) was started, so the program undoes nothing: two orchestrators must never run at once",
        "  To go on: fix what is said above, then pulumi up -s prod",
        "  To go back: pulumi config set --path pillar-host:orchestrator.rollback true -s prod && pulumi up -s prod",
        "  Or by hand:",
        "  first on 203.0.113.9: systemctl stop orchestrator && { [ ! -f /etc/systemd/system/orchestrator.service ] || mv -f /etc/systemd/system/orchestrator.service /etc/systemd/system/orchestrator.service.moved; } && ln -sfn /dev/null /etc/systemd/system/orchestrator.service && systemctl daemon-reload && systemctl is-active orchestrator (it must say inactive)",
        `  only then on 198.51.100.7: systemctl unmask signer && mv ${journal.was.keyStore} /root/.orchestrator/producer && systemctl enable --now signer`,
        `  so that the program knows of the rollback, ${aside}`,
        "The key is on the new host (203.0.113.9), which was started and may sign; the old host (198.51.100.7) is fenced.",
      ].join("\n"),
    );
  });

  test("proposes to keep a rollback by hand only if the new host can't sign", () => {
    const started = { ...journal, side: "new" as const, stage: "starting" as const };
    const back = { journal, active: true, masked: false };
    const saga: Saga = { move: journal.move, direction: "forward" };
    const hint = `Did you bring the orchestrator back by hand, and shall it stay there? Then ${aside}`;
    const text = (active: boolean, masked: boolean, why: "source runs unasked" | "target runs unasked", way: Saga) =>
      formatObstacle(why, way, { old: back, new: { journal: started, active, masked } }, places);
    expect(text(false, true, "source runs unasked", saga)).toContain(hint);
    expect(text(false, true, "target runs unasked", { ...saga, direction: "back" })).toContain(hint);
    expect(text(true, true, "source runs unasked", saga)).not.toContain("by hand, and");
    expect(text(false, false, "source runs unasked", saga)).not.toContain("by hand, and");
  });
});
