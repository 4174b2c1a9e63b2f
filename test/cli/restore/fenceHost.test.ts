import { beforeAll, describe, expect, test } from "vitest";
import { fenceHost, findServer, formatFenceSentence } from "../../../cli/restore/fenceHost.ts";
import type { StackConfig } from "../../../core/config/config.ts";
import type { LogEvent } from "../../../core/eventLog/events.ts";
import { computeFingerprint } from "../../../core/ssh/publicKey.ts";
import { configOf } from "../../components/exampleConfig.ts";
import { closedPort, loginTo, sshHost } from "../../core/chain/fakes.ts";
import { type Answer, fakeApi, refusal, token } from "../../core/cloud/fakeApi.ts";

const hostKey = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIOMqqnkVzrm0SdG6UOoqKLsabgH5C9okWi0dh2l9GKJl";
const sentence = formatFenceSentence("127.0.0.1");
const api = fakeApi();
let port: number;
const lost = () => ({ address: "127.0.0.1", hostKey, port, user: "root" });

beforeAll(async () => {
  port = await closedPort();
});

describe.each<[string, string, string, (status: string, address?: string) => Answer]>([
  [
    "hetzner",
    "/servers/52",
    "/servers/52/actions/poweroff",
    (status, ip = "127.0.0.1") => [200, { server: { status, public_net: { ipv4: { ip } } } }],
  ],
  [
    "digitalocean",
    "/v2/droplets/52",
    "/v2/droplets/52/actions",
    (status, ip_address = "127.0.0.1") => [
      200,
      { droplet: { status, networks: { v4: [{ ip_address, type: "public" }] } } },
    ],
  ],
])("a lost server at %s", (provider, path, action, status) => {
  const server = () => ({ provider, id: "52", token, endpoint: api.endpoint });

  test("is switched off, and read back as off", async () => {
    api.answers = { [`GET ${path}`]: [status("running"), status("off")], [`POST ${action}`]: [[201]] };
    expect(await fenceHost(lost(), server(), { yes: true })).toEqual({
      address: "127.0.0.1",
      hostKey: computeFingerprint(hostKey),
      how: "off",
      provider,
      serverId: "52",
    });
    expect(api.asked.map((asked) => asked.split(" ")[0])).toEqual(["GET", "POST", "GET"]);
  });

  test.each([404, 401])("needs the sentence if the provider answers %i", async (status) => {
    api.answers = { [`GET ${path}`]: [[status, {}]] };
    expect(await refusal(fenceHost(lost(), server(), { yes: true }))).toContain(`--fenced "${sentence}"`);
    expect(await fenceHost(lost(), server(), { yes: true, fenced: sentence })).toMatchObject({ how: "sentence" });
  });

  test.each(["off", "running"])("is another machine with another address, whether it is %s", async (state) => {
    api.answers = { [`GET ${path}`]: [status(state, "198.51.100.99")] };
    expect(await refusal(fenceHost(lost(), server(), { yes: true }))).toContain(`--fenced "${sentence}"`);
    expect(api.asked.map((asked) => asked.split(" ")[0])).toEqual(["GET"]);
  });

  test("is left alone without a yes, even with the sentence", async () => {
    expect(await refusal(fenceHost(lost(), server(), { fenced: sentence }))).toBe(
      `server 52 at ${provider} was not switched off\n  needed: say yes in a terminal, or add --yes`,
    );
    expect(api.asked).toEqual([]);
  });

  test("is found in the event log, with the token of a stack of its provider", () => {
    const details = { address: "127.0.0.1", provider, serverId: "52", hostKey, isOwnWork: true };
    const events: LogEvent[] = [{ at: "", stack: "prod", pillar: "Anvil", event: "host", details }];
    const owner = { stack: "prod", host: { provider, token }, apiEndpoint: "http://x" } as unknown as StackConfig;
    const rebuiltKey = "ssh-ed25519 AAAB";
    const target = { address: "203.0.113.7", hostKey: rebuiltKey };
    const find = (log: readonly LogEvent[], stacks: readonly StackConfig[], host = lost()) =>
      findServer(log, { lost: host, target }, stacks);
    expect(find(events, [configOf(), owner])).toMatchObject({ provider, id: "52", token });
    expect(find(events, [{ ...owner, stack: "other" } as StackConfig])).toBeUndefined();
    expect(find(events, [owner], { ...lost(), hostKey: rebuiltKey })).toBeUndefined();
    // The lost host's server was rebuilt, and the orchestrator is restored on it.
    const rebuilt = { ...details, address: "203.0.113.7", hostKey: rebuiltKey };
    const both: LogEvent[] = [...events, { at: "", stack: "prod-2", pillar: "Anvil", event: "host", details: rebuilt }];
    expect(find(both, [owner])).toBeUndefined();
  });
});

describe("a lost host of no known provider", () => {
  const fence = { address: "127.0.0.1", hostKey: computeFingerprint(hostKey), how: "sentence" } as const;

  test("is fenced by the sentence alone", async () => {
    expect(await fenceHost(lost(), undefined, { fenced: sentence })).toEqual(fence);
  });

  test("is not fenced while it answers, by the algorithm of its pinned key", async () => {
    const host = await sshHost(undefined, undefined, undefined, { isEcdsa: true });
    const fenced = refusal(fenceHost(loginTo(host), undefined, { fenced: sentence }));
    expect(await fenced.finally(() => host.close())).toContain("127.0.0.1 still answers, so nothing is restored");
  });

  test("is not fenced while an ssh server answers there that lacks the type of its pinned key", async () => {
    const host = await sshHost(undefined, undefined, undefined, { isEcdsa: true });
    const fenced = refusal(fenceHost({ ...loginTo(host), hostKey }, undefined, { fenced: sentence }));
    expect(await fenced.finally(() => host.close())).toContain("127.0.0.1 still answers, so nothing is restored");
  });

  test("is not fenced behind a proxy that does not work, or that forbids forwarding", async () => {
    const strict = await sshHost(undefined, undefined, undefined, { forbidsForwarding: true });
    for (const proxy of [lost(), loginTo(strict)])
      await expect(fenceHost({ ...lost(), proxy }, undefined, { fenced: sentence })).rejects.toThrow(
        "it is not known whether 127.0.0.1 answers, because the proxy before it does not work: nothing was changed",
      );
    await strict.close();
  });

  test.each([undefined, "yes", sentence.slice(1)])("is not fenced by %j", async (fenced) => {
    expect(await refusal(fenceHost(lost(), undefined, fenced === undefined ? {} : { fenced }))).toBe(
      `nothing shows that the lost host can't start again\n  needed: switch it off, or unplug it; then add --fenced "${sentence}"`,
    );
  });
});
