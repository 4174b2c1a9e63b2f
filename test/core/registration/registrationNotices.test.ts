import { expect, test } from "vitest";
import type { EventBody } from "../../../core/eventLog/events";
import type { Registration } from "../../../core/registration/registration";
import { findRegistrationNotices } from "../../../core/registration/registrationNotices";
import { clock, old, ours } from "./chains";

const place = { stack: "prod-2", pillar: "Anvil" };
const registration = {
  kind: "producing",
  address: ours,
  notes: [],
  switched: { height: 7, at: clock },
} as unknown as Registration;
const producing = (before?: { producerAddress: string; height: number; at: string }): EventBody => ({
  event: "producing",
  details: { producerAddress: ours, height: 7, switchedAt: "2026-11-21T12:00:00.000Z", ...(before ? { before } : {}) },
});

test("notifies of the switch, with the command that retires the old host", () => {
  const before = { producerAddress: old, height: 6, at: "2026-11-21T11:59:50.000Z" };
  expect(findRegistrationNotices([producing(before)], registration, place, clock)).toEqual([
    { event: "producing", message: "Anvil has produced here since momentum 7 (2026-11-21 12:00 UTC)" },
    {
      event: "retirementPossible",
      message: `the old host (producer address ${old}) can be shut down now; OLD is its stack: ./pillar-host retire OLD --successor prod-2`,
    },
  ]);
});

test("proposes no retirement if nobody produced before, and notifies of nothing twice", () => {
  expect(findRegistrationNotices([producing()], registration, place, clock).map(({ event }) => event)).toEqual([
    "producing",
  ]);
  expect(findRegistrationNotices([], registration, place, clock)).toEqual([]);
});
