import { beforeEach, expect, it } from "vitest";
import { type Beat, Signers } from "../../lab/doubles/chain/signers.ts";

let now = 0;
let signers: Signers;

beforeEach(() => {
  now = 1_000_000;
  signers = new Signers(() => now);
});

const hear = (host: string, kind: Beat["kind"], process = host, identity = "peer") =>
  signers.hear(host, { kind, identity, process, hasShare: true });

/** Moves the clock to this many milliseconds after the beginning. */
const at = (ms: number) => {
  now = 1_000_000 + ms;
};

it("signers are kept with start and stop, and the time between two of them, whatever arrives after a stop", () => {
  hear("old", "start");
  at(400);
  hear("old", "stop");
  at(3000);
  hear("new", "start");
  hear("old", "beat");
  const { identities, doubles } = signers.truth();
  expect(doubles).toEqual([]);
  const interval = { process: "old", hasShare: true, host: "old", from: 1_000_000, until: 1_000_400, stopped: true };
  expect(identities.peer?.intervals[0]).toEqual(interval);
  expect(identities.peer?.gaps).toEqual([{ from: "old", to: "new", ms: 2600 }]);
});

it("signers are noticed for ever once two processes with one identity were alive", () => {
  hear("old", "start");
  at(100);
  hear("new", "start");
  expect(signers.truth().doubles).toEqual([]);
  at(250);
  hear("old", "beat");
  hear("old", "stop");
  at(1e9);
  const processes = ["new", "old"];
  expect(signers.truth().doubles).toEqual([{ identity: "peer", at: 1_000_250, hosts: ["new", "old"], processes }]);
});

it("signers are noticed on one host too, and if the first was frozen meanwhile", () => {
  hear("host", "start", "first");
  at(5000);
  hear("host", "start", "second");
  at(6000);
  hear("host", "stop", "second");
  at(9000);
  hear("host", "beat", "first");
  expect(signers.truth().doubles).toMatchObject([{ processes: ["second", "first"] }]);
});

it("signers may follow each other after a kill, or differ in identity", () => {
  hear("old", "start");
  at(250);
  hear("old", "beat");
  hear("other", "start", "other", "another peer");
  at(251);
  hear("new", "start");
  expect(signers.truth().doubles).toEqual([]);
});
