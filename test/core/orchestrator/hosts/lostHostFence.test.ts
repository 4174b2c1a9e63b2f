import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import type { Fence, MoveEvent } from "../../../../core/eventLog/events.ts";
import { createFenceCheck, endFence } from "../../../../core/orchestrator/hosts/lostHostFence.ts";
import { computeFingerprint } from "../../../../core/ssh/publicKey.ts";
import { openStore } from "../../../../core/store/openStore.ts";
import { movesIn, putEvent } from "../../../recordIn.ts";
import { scratchDirectory } from "../../../scratchDirectory.ts";
import { fakeApi, token } from "../../cloud/fakeApi.ts";
import { exampleHost, exampleInputs, exampleState, exampleMove as move } from "../exampleMove.ts";

const directory = scratchDirectory();
const api = fakeApi();
const hostKey = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIOMqqnkVzrm0SdG6UOoqKLsabgH5C9okWi0dh2l9GKJl";
const at = "2026-01-01T00:00:00.000Z";
const sentence: Fence = { address: "198.51.100.7", hostKey: computeFingerprint(hostKey), how: "sentence" };
const off: Fence = { ...sentence, how: "off", provider: "hetzner", serverId: "52" };
const silent = { old: undefined, new: exampleState("new", "-") };
const seen = { ...silent, old: exampleState("old", "- signs") };
const said: string[] = [];
let time = Date.parse(at);

beforeEach(() => {
  said.length = 0;
  time = Date.parse(at) + 60_000;
});

afterEach(() => vi.unstubAllEnvs());

/** Returns the check of a run that begins after these fences. */
function begin(fences: readonly Fence[], { isConfigured = true, hasToken = true } = {}) {
  for (const details of fences) putEvent(directory(), { at, move, event: "fenced", details });
  const old = exampleHost("198.51.100.7");
  const inputs = {
    ...exampleInputs({ restoreFrom: isConfigured ? "/b.tar.age" : undefined }),
    old: { ...old, host: { ...old.host, ssh: { ...old.host.ssh, hostKey } } },
  };
  vi.stubEnv("PILLAR_HOST_FENCE_TOKEN", hasToken ? token : undefined);
  vi.stubEnv("PILLAR_HOST_FENCE_ENDPOINT", api.endpoint);
  const deps = { now: () => time, ticks: () => time, say: (line: string) => void said.push(line), sleep: api.sleep };
  return createFenceCheck(inputs, openStore(directory()), movesIn(directory()), deps);
}
const events = () => movesIn(directory()).map(({ event }: MoveEvent) => event);

describe("a fence", () => {
  test("is asked for anew each time: by a sentence it counts for an hour", async () => {
    const isFenced = begin([sentence]);
    expect(await isFenced(silent)).toBe(true);
    time += 3_600_000;
    expect(await isFenced(silent)).toBe(false);
    expect(said).toEqual([`198.51.100.7: the sentence of its fence, given at ${at}, counts for an hour`]);
  });

  test("ends once its host is seen, and the event log says so", async () => {
    const isFenced = begin([sentence]);
    expect(await isFenced(seen)).toBe(false);
    expect(await isFenced(silent)).toBe(false);
    expect(events()).toEqual(["fenced", "unfenced"]);
    expect(await begin([])(silent)).toBe(false);
  });

  test("ends by another run, too", async () => {
    const isFenced = begin([sentence]);
    await endFence(openStore(directory()), move, { address: "198.51.100.7", hostKey }, time);
    await endFence(openStore(directory()), move, { address: "198.51.100.7", hostKey }, time);
    expect(events()).toEqual(["fenced", "unfenced"]);
    expect(await isFenced(silent)).toBe(false);
  });

  test("counts for nothing without a backup in the configuration, and ends all the same", async () => {
    const isFenced = begin([sentence], { isConfigured: false });
    expect(await isFenced(silent)).toBe(false);
    expect(await isFenced(seen)).toBe(false);
    expect(events()).toEqual(["fenced", "unfenced"]);
  });

  test("by a provider counts as long as the provider says off, at any later time", async () => {
    const status = (text: string, ip = "198.51.100.7") =>
      [200, { server: { status: text, public_net: { ipv4: { ip } } } }] as const;
    api.answers = { "GET /servers/52": [status("off"), status("running"), status("off", "198.51.100.99")] };
    const isFenced = begin([off]);
    time += 86_400_000;
    const answers = [await isFenced(silent), await isFenced(silent), await isFenced(silent)];
    expect(answers).toEqual([true, false, false]);
    expect(said).toEqual([
      "198.51.100.7: its provider does not say now that it is off: running",
      "198.51.100.7: its provider does not say now that it is off: at another address, 198.51.100.99",
    ]);
  });

  test("by a provider counts for nothing without its token, or its answer", async () => {
    expect(await begin([off], { hasToken: false })(silent)).toBe(false);
    expect(said.join()).toContain("PILLAR_HOST_FENCE_TOKEN is not set to the token of hetzner");
    api.answers = { "GET /servers/52": [[401, {}]] };
    expect(await begin([off])(silent)).toBe(false);
    expect(said.join().includes(token)).toBe(false);
  });
});
