import { beforeEach, describe, expect, it } from "vitest";
import { type Beat, Chain, ChainClient, serveChain } from "../../lab/doubles/chain";

let now = 0;
let chain: Chain;

beforeEach(() => {
  now = 1_000_000;
  chain = new Chain({ clock: () => now });
});

const hear = (host: string, kind: Beat["kind"], process = host, identity = "peer") =>
  chain.signers.hear(host, { kind, identity, process, hasShare: true });

/** Moves the clock to this many milliseconds after the beginning. */
const at = (ms: number) => {
  now = 1_000_000 + ms;
};

describe("signers", () => {
  it("are kept with start and stop, and the time between two of them", () => {
    hear("old", "start");
    at(250);
    hear("old", "beat");
    at(400);
    hear("old", "stop");
    at(3000);
    hear("new", "start");
    const { identities, doubles } = chain.signers.truth();
    expect(doubles).toEqual([]);
    const interval = { process: "old", hasShare: true, host: "old", from: 1_000_000, until: 1_000_400, stopped: true };
    expect(identities.peer?.intervals[0]).toEqual(interval);
    expect(identities.peer?.gaps).toEqual([{ from: "old", to: "new", ms: 2600 }]);
  });

  it("are noticed for ever once two processes with one identity were alive", () => {
    hear("old", "start");
    at(100);
    hear("new", "start");
    expect(chain.signers.truth().doubles).toEqual([]);
    at(250);
    hear("old", "beat");
    hear("old", "stop");
    at(1e9);
    const { doubles } = chain.signers.truth();
    const processes = ["new", "old"];
    expect(doubles).toEqual([{ identity: "peer", at: 1_000_250, hosts: ["new", "old"], processes }]);
  });

  it("are noticed on one host too, and if the first was frozen meanwhile", () => {
    hear("host", "start", "first");
    at(5000);
    hear("host", "start", "second");
    at(6000);
    hear("host", "stop", "second");
    at(9000);
    hear("host", "beat", "first");
    expect(chain.signers.truth().doubles).toMatchObject([{ processes: ["second", "first"] }]);
  });

  it("may follow each other after a kill, or differ in identity", () => {
    hear("old", "start");
    at(250);
    hear("old", "beat");
    hear("other", "start", "other", "another peer");
    at(251);
    hear("new", "start");
    expect(chain.signers.truth().doubles).toEqual([]);
  });

  it("end with their stop, whatever arrives later", () => {
    hear("old", "start");
    at(100);
    hear("old", "stop");
    at(200);
    hear("new", "start");
    hear("old", "beat");
    expect(chain.signers.truth().doubles).toEqual([]);
    expect(chain.signers.truth().identities.peer?.intervals[0]).toMatchObject({ until: 1_000_100 });
  });
});

describe("the control API", () => {
  it("commands orchestrators and reports them", async () => {
    const served = await serveChain({ host: "127.0.0.1", port: 0, chain });
    const client = new ChainClient(served.url);
    const patch = { method: "PATCH", body: JSON.stringify({ rpcDown: true }) };
    await fetch(`${served.url}/orchestrators/host1`, patch);
    expect((await client.orchestrator("host1")).settings).toMatchObject({ syncPollMs: 15_000, rpcDown: true });
    await fetch(`${served.url}/orchestrators/host1/keyGeneration`, { method: "POST" });
    const beat = { kind: "start", identity: "peer", process: "a", hasShare: false } as const;
    expect((await client.beat("host1", beat)).keyGenerations).toBe(1);
    expect(chain.signers.truth().identities.peer?.intervals).toMatchObject([{ host: "host1", process: "a" }]);
    await served.close();
  });
});
