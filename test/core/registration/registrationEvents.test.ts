import { mkdirSync, mkdtempSync, renameSync, rmdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { openEventLog } from "../../../core/eventLog/eventLog";
import type { LogEvent } from "../../../core/eventLog/events";
import type { Registration } from "../../../core/registration/registration";
import { collectRegistrationMemory, findRegistrationChanges } from "../../../core/registration/registrationEvents";
import { noteRegistration, readRegistrationMemory } from "../../../core/registration/registrationLookup";
import { journeyIn } from "../../recordIn";
import { clock, old, other, ours } from "./chains";

const scratch = mkdtempSync(join(tmpdir(), "cutover-"));
afterAll(() => rmSync(scratch, { recursive: true }));

const who = { stack: "prod-2", pillar: "Anvil" };
const figures = { expected: 10, produced: 9 };
const before = { producerAddress: old, height: 990, at: clock - 90_000 };
const switched = { height: 1000, at: clock - 60_000, before };
const own = { address: ours, since: clock, earlier: old, figures, notes: [] };
const registered: Registration = {
  kind: "registered",
  wait: { from: clock, standing: "one of 3 Pillars" },
  isLate: false,
  ...own,
};
const producing: Registration = { kind: "producing", switched, ...own };
const tooEarly: Registration = { kind: "tooEarly", why: "syncing", ...own };
const elsewhere: Registration = { kind: "earlier", address: old, wasOurs: true, notes: [] };

/** Returns the events of lookups in turn, each with the memory of the earlier ones. */
function recorded(...looks: Registration[]): LogEvent[] {
  const events: LogEvent[] = [];
  looks.forEach((look, i) => {
    const at = new Date(clock + i * 1000).toISOString();
    events.push(
      ...findRegistrationChanges(look, collectRegistrationMemory(events, "prod-2", ours)).map((news) => ({
        ...who,
        at,
        ...news,
      })),
    );
  });
  return events;
}
const events = (...looks: Registration[]) => recorded(...looks).map(({ event }) => event);

describe("the event log", () => {
  test("has each transition once", () => {
    expect(events(registered, registered, producing, producing, registered)).toEqual(["registered", "producing"]);
    expect(events(producing)).toEqual(["registered", "producing"]);
    expect(events(tooEarly, tooEarly, registered)).toEqual(["registered", "registeredTooEarly"]);
  });

  test("does not call a registration early if the node falls behind later", () => {
    expect(events(registered, tooEarly)).toEqual(["registered"]);
  });

  test("has the switch back, and the next switch to this host", () => {
    const again: Registration = { ...producing, switched: { height: 3000, at: clock } };
    expect(events(producing, elsewhere, elsewhere, registered, again)).toEqual([
      ...["registered", "producing", "registeredElsewhere", "registered", "producing"],
    ]);
    expect(
      events(elsewhere, { kind: "unknown", why: { key: "nobodyAsked", text: "no node was asked" }, notes: [] }),
    ).toEqual([]);
  });

  test("has the last momentum of the earlier address", () => {
    expect(recorded(registered, producing).map(({ details }) => details)).toEqual([
      { producerAddress: ours },
      {
        producerAddress: ours,
        height: 1000,
        switchedAt: "2026-11-21T11:59:00.000Z",
        before: { producerAddress: old, height: 990, at: "2026-11-21T11:58:30.000Z" },
      },
    ]);
  });
});

describe("the registration's memory", () => {
  test("has start, switch and earlier address of this stack and address only", () => {
    const events = recorded(registered, producing);
    expect(collectRegistrationMemory(events, "prod-2", ours)).toEqual({
      since: clock,
      earlier: old,
      wasOurs: true,
      switched,
    });
    expect(collectRegistrationMemory(events, "prod", ours)).toEqual({});
    expect(collectRegistrationMemory(events, "prod-2", other)).toEqual({});
  });

  test("keeps only that the Pillar was here after it switched away", () => {
    const events = recorded(producing, elsewhere);
    expect(collectRegistrationMemory(events, "prod-2", ours)).toEqual({ earlier: old, wasOurs: true });
  });

  test("takes the earlier address from the last run or the event log", () => {
    expect(collectRegistrationMemory([], "prod-2", ours, old)).toEqual({ earlier: old });
    expect(collectRegistrationMemory([], "prod-2", ours, ours)).toEqual({});
    expect(collectRegistrationMemory(recorded(tooEarly), "prod-2", ours)).toEqual({
      since: clock,
      earlier: old,
      wasOurs: true,
    });
  });

  test("reads back what it wrote, and reports a failed write once", async () => {
    const place = { ...who, directory: join(scratch, "backups") };
    const said: string[] = [];
    const deps = { now: () => clock, say: (line: string) => said.push(line) };
    await openEventLog(place, deps).noteChanges(() => findRegistrationChanges(producing, {}));
    expect([journeyIn(place.directory, "Anvil"), said]).toEqual([recorded(producing), []]);
    expect((await readRegistrationMemory(place, ours)).switched).toEqual(switched);
    writeFileSync(join(scratch, "file"), "");
    const broken = { ...who, directory: join(scratch, "file") };
    const log = openEventLog(broken, deps);
    // Once, however often.
    await log.noteChanges(() => findRegistrationChanges(producing, {}));
    await log.noteChanges(() => findRegistrationChanges(producing, {}));
    expect(said).toEqual([expect.stringMatching(/^the event log could not be read .*\n {2}found: E/)]);
    expect(await readRegistrationMemory(broken, ours, old)).toEqual({ earlier: old });
  });

  test("adds no event while the log is unreadable", async () => {
    const place = { ...who, directory: join(scratch, "unread") };
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
