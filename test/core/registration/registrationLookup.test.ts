import { describe, expect, test } from "vitest";
import type { ChainClient } from "../../../core/chain/chain.ts";
import type { Produced } from "../../../core/chain/chainAnswers.ts";
import { openChainView } from "../../../core/chain/chainView.ts";
import {
  agreeOnPillar,
  askAboutPillar,
  type PillarReading,
  readPillar,
} from "../../../core/registration/agreeOnRegistration.ts";
import type { RegistrationFacts } from "../../../core/registration/registration.ts";
import { judgeRegistration } from "../../../core/registration/registrationLookup.ts";
import { clientNamed } from "../chain/readings.ts";
import { chainOf, clock, old, other, ours, pillarOf, says } from "./chains.ts";

/** Creates a node with a whole chain and this registration of its Pillar. */
const clientOf = (chain: readonly Produced[], registered: string | null, changes: Partial<ChainClient> = {}) =>
  clientNamed("node", {
    newest: async () => ({ momentum: chain.at(-1) as Produced, clock }),
    momentums: async (from, count) => chain.filter(({ height }) => height >= from && height < from + count),
    pillar: async () => (registered === null ? null : pillarOf(registered)),
    ...changes,
  });

const long = chainOf(
  Array.from({ length: 300 }, (_, i) => (i % 3 > 0 ? other : i > 60 ? ours : old)),
  { first: 1 },
);

describe("a source", () => {
  test("is no reference at the host's own address", async () => {
    const urls = ["http://127.0.0.1:9", "http://[::ffff:127.0.0.1]:9"];
    const view = openChainView({ ssh: { address: "127.0.0.1", hostKey: "" } }, { references: urls });
    const notes = urls.map(() => expect.stringContaining("left out: it is this host itself"));
    expect(await askAboutPillar(view, "Anvil")).toMatchObject({ kind: "unknown", notes });
  });

  test("returns the Pillar and its newest momentums, all of a young chain", async () => {
    const client = clientOf(long, null);
    const recent = long.slice(-128);
    const newest = long.at(-1);
    expect(await readPillar(client, "Anvil", 1000)).toEqual({ client, newest, clock, recent, pillar: null });
    const few = chainOf([old, old], { first: 1 });
    expect(await readPillar(clientOf(few, old), "Anvil", 1000)).toMatchObject({ recent: few });
  });

  test("is left out if it hides a momentum", async () => {
    const momentums = async () => long.slice(-128).filter(({ height }) => height !== 250);
    const fault = { kind: "gap", why: expect.stringContaining("from 173 to 300") };
    expect(await readPillar(clientOf(long, ours, { momentums }), "Anvil", 1000)).toMatchObject({ fault });
  });
});

describe("a lookup", () => {
  const look = ({ readings, ...changes }: Partial<RegistrationFacts> & { readings?: PillarReading[] } = {}) =>
    judgeRegistration({
      ours,
      memory: { earlier: old },
      now: clock,
      node: { synced: true, known: true, why: "synced" },
      agreement: agreeOnPillar(readings ?? [says(clientOf(long, ours), ours, long.slice(-128))]),
      ...changes,
    });

  test("finds the switch before the momentums that were read", async () => {
    expect(await look()).toMatchObject({ kind: "producing", switched: { height: 64, at: long[63]?.timestamp } });
  });

  test("reads nothing more if another address is registered or the switch is logged", async () => {
    expect(await look({ readings: [says("mute", old)] })).toMatchObject({ kind: "earlier" });
    const memory = { earlier: old, switched: { height: 64, at: 0 } };
    const readings = [says("mute", ours, long.slice(-128))];
    expect(await look({ memory, readings })).toMatchObject({ kind: "producing", switched: memory.switched });
    const undone = chainOf([ours, old, other], { first: 1000 });
    expect(await look({ memory, readings: [says("mute", ours, undone)] })).toMatchObject({ kind: "registered" });
  });

  test("reports an incomplete reading, and does not fail", async () => {
    const momentums = () => Promise.reject(new Error("the node restarts"));
    const readings = [says(clientOf(long, ours, { momentums }), ours, long.slice(-128))];
    const notes = ["this host's momentums could not be searched: the node restarts"];
    expect(await look({ readings })).toMatchObject({ kind: "registered", notes });
  });
});
