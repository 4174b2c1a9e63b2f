import { mkdirSync, renameSync, rmdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { openEventLog } from "../../../core/eventLog/eventLog.ts";
import type { LogEvent } from "../../../core/eventLog/events.ts";
import type { Registration } from "../../../core/registration/registration.ts";
import {
  collectRegistrationMemory,
  findRegistrationChanges,
  noteRegistration,
  readRegistrationMemory,
} from "../../../core/registration/registrationLookup.ts";
import { findRegistrationNotices } from "../../../core/registration/registrationMessages.ts";
import { journeyIn } from "../../recordIn.ts";
import { scratchDirectory } from "../../scratchDirectory.ts";
import { clock, old, other, ours } from "./chains.ts";

const scratch = scratchDirectory();

const who = { stack: "prod-2", pillar: "Anvil" };
const switched = { height: 1000, at: clock - 60_000 };
const own = { address: ours, since: clock, earlier: old, notes: [] };
const registered: Registration = { kind: "registered", ...own };
const producing: Registration = { kind: "producing", switched, ...own };
const tooEarly: Registration = { kind: "tooEarly", why: "syncing", ...own };
const elsewhere: Registration = { kind: "earlier", address: old, wasOurs: true, notes: [] };

/** Returns the events of lookups in turn, each with the memory of the earlier ones. */
function recorded(...looks: Registration[]): LogEvent[] {
  // As the outputs of the last run have it.
  const seen = looks[0]?.earlier;
  const events: LogEvent[] = [];
  for (const [i, look] of looks.entries()) {
    const at = new Date(clock + i * 1000).toISOString();
    const news = findRegistrationChanges(look, collectRegistrationMemory(events, "prod-2", ours, seen));
    events.push(...news.map((each) => ({ ...who, at, ...each })));
  }
  return events;
}

const first: Registration = { kind: "earlier", address: old, wasOurs: false, notes: [], earlier: old };
const foreign: Registration = { kind: "foreign", address: other, wasOurs: false, notes: [], earlier: old };
const detour = ["registeredElsewhere", "registeredElsewhere", "registered"];
const thereAndBack = ["registered", "producing", "registeredElsewhere", "registered", "producing"];
const again: Registration = { ...producing, switched: { height: 3000, at: clock } };
test.each<[string, Registration[], string[]]>([
  ["each transition once", [registered, registered, producing, producing, registered], ["registered", "producing"]],
  ["both of a switch", [producing], ["registered", "producing"]],
  ["an early registration", [tooEarly, tooEarly, registered], ["registered", "registeredTooEarly"]],
  ["none of a node that falls behind later", [registered, tooEarly], ["registered"]],
  ["the switch back, and the next one here", [producing, elsewhere, elsewhere, registered, again], thereAndBack],
  ["a detour before this host's address, and its end", [first, foreign, foreign, first, registered], detour],
  ["another address at the first lookup", [first], []],
  ["nothing of what is unknown", [elsewhere, { kind: "unknown", why: "no node was asked", notes: [] }], []],
])("the event log has %s", (_what, looks, events) => {
  expect(recorded(...looks).map(({ event }) => event)).toEqual(events);
});

test("the event log has the earlier address", () => {
  expect(recorded(registered, producing).map(({ details }) => details)).toEqual([
    { producerAddress: ours },
    { producerAddress: ours, height: 1000, switchedAt: "2026-11-21T11:59:00.000Z", earlier: old },
  ]);
});

describe("the registration's memory", () => {
  const wasHere = { earlier: old, wasOurs: true };
  test.each<[string, Registration[], { stack?: string; address?: string; seen?: string }, object]>([
    ["this stack and address", [registered, producing], {}, { since: clock, ...wasHere, switched }],
    ["no other stack", [registered, producing], { stack: "prod" }, {}],
    [
      "no other address, which counts as the earlier one",
      [registered, producing],
      { address: other },
      { earlier: ours },
    ],
    ["the newest earlier address", [registered, elsewhere], { address: other }, { earlier: old }],
    ["the Pillar that switched away", [producing, elsewhere], {}, { ...wasHere, elsewhere: old }],
    ["the wallet's detour, which is not the earlier address", [foreign], {}, { earlier: old, elsewhere: other }],
    ["the earlier address by the last run", [], { seen: old }, { earlier: old }],
    ["no earlier address that is its own", [], { seen: ours }, {}],
    ["the earlier address by the event log", [tooEarly], {}, { since: clock, ...wasHere }],
  ])("is of %s", (_what, looks, { stack = "prod-2", address = ours, seen }, memory) => {
    expect(collectRegistrationMemory(recorded(...looks), stack, address, seen)).toEqual(memory);
  });

  test("reads back what was written; an unreadable log counts as empty", async () => {
    const place = { ...who, directory: join(scratch(), "backups") };
    const log = openEventLog(place, { now: () => clock, say: () => undefined });
    await noteRegistration(log, producing, { stack: who.stack, ours, memory: {} });
    expect(journeyIn(place.directory, "Anvil")).toEqual(recorded(producing));
    expect((await readRegistrationMemory(place, ours)).switched).toEqual(switched);
    writeFileSync(join(scratch(), "file"), "");
    const broken = { ...who, directory: join(scratch(), "file") };
    expect(await readRegistrationMemory(broken, ours, old)).toEqual({ earlier: old });
  });

  test("adds no event while the log is unreadable", async () => {
    const place = { ...who, directory: join(scratch(), "unread") };
    const said: string[] = [];
    const log = openEventLog(place, { now: () => clock, say: (line) => said.push(line) });
    const tell = async (look: Registration) =>
      noteRegistration(log, look, { stack: who.stack, ours, memory: await readRegistrationMemory(place, ours) });
    expect((await tell(producing)).map(({ event }) => event)).toEqual(["registered", "producing"]);

    const file = log.store.log;
    renameSync(file, `${file}.away`);
    mkdirSync(file);
    expect([await tell(registered), await tell(registered)]).toEqual([[], []]);
    expect(said).toEqual([expect.stringMatching(/^the event log could not be read .*\n {2}found: E/)]);
    rmdirSync(file);
    renameSync(`${file}.away`, file);

    expect(await tell(registered)).toEqual([]);
    expect(journeyIn(place.directory, "Anvil")).toEqual(recorded(producing));
  });
});

test("notifies of each change once, and of a switch with the command that retires the old host", () => {
  const notices = (registration: Registration) =>
    findRegistrationNotices(findRegistrationChanges(registration, {}), registration, who);
  expect(notices(producing)).toEqual([
    { event: "producing", message: "Anvil has produced here since momentum 1000 (2026-11-21 11:59 UTC)" },
    {
      event: "retirementPossible",
      message: `the old host (producer address ${old}) can be shut down now; OLD is its stack: ./pillar-host retire OLD --successor prod-2`,
    },
  ]);
  // No other address produced before.
  expect(notices({ ...again, earlier: undefined }).map(({ event }) => event)).toEqual(["producing"]);
  expect(notices(registered).map(({ event }) => event)).toEqual(["registered"]);
  expect(findRegistrationNotices([], producing, who)).toEqual([]);
});
