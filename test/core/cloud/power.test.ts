import { describe, expect, test } from "vitest";
import { type CloudServer, powerOff, readPowerState } from "../../../core/cloud/power";
import { closedPort } from "../chain/fakes";
import { type Answer, fakeApi, refusal, token } from "./fakeApi";

const api = fakeApi();
const server = (provider: string, changes: Partial<CloudServer> = {}): CloudServer => ({
  provider,
  id: "52",
  token,
  endpoint: `http://127.0.0.1:${api.port}`,
  ...changes,
});
const hetzner = (status: string): Answer => [200, { server: { status } }];
const digitalocean = (status: string): Answer => [200, { droplet: { status } }];

describe.each([
  ["hetzner", "/servers/52", "/servers/52/actions/poweroff", "{}", hetzner],
  ["digitalocean", "/v2/droplets/52", "/v2/droplets/52/actions", '{"type":"power_off"}', digitalocean],
])("a server at %s", (provider, path, action, body, status) => {
  test("is switched off, and waited for", async () => {
    api.answers = {
      [`GET ${path}`]: [status("running"), status("running"), status("off")],
      [`POST ${action}`]: [[201]],
    };
    expect(await powerOff(server(provider), api.deps)).toBe("off");
    expect(api.asked).toEqual([`GET ${path}`, `POST ${action} ${body}`, `GET ${path}`, `GET ${path}`]);
  });

  test("is left alone where it is off, or gone", async () => {
    api.answers = { [`GET ${path}`]: [status("off"), [404, {}]] };
    expect(await powerOff(server(provider), api.deps)).toBe("off");
    expect(await powerOff(server(provider), api.deps)).toBe("gone");
    expect(api.asked).toEqual([`GET ${path}`, `GET ${path}`]);
  });

  test("is waited for where another action holds it", async () => {
    api.answers = { [`GET ${path}`]: [status("running"), status("off")], [`POST ${action}`]: [[423, { error: {} }]] };
    expect(await powerOff(server(provider), api.deps)).toBe("off");
  });

  test("that never goes off is not called off", async () => {
    api.answers = { [`GET ${path}`]: [status("running")], [`POST ${action}`]: [[201]] };
    expect(await refusal(powerOff(server(provider), api.deps))).toBe(`server 52 at ${provider} is not off after 180 s`);
  });

  test("429 and 5xx pass", async () => {
    api.answers = { [`GET ${path}`]: [[429], [502, "<html>"], status("running")] };
    expect(await readPowerState(server(provider), api.deps)).toBe("running");
    expect(api.slept).toBe(2);
  });

  test("429 for good is said in words", async () => {
    api.answers = { [`GET ${path}`]: [[429]] };
    expect(await refusal(readPowerState(server(provider), api.deps))).toBe(
      `the API of ${provider} can't be used now: it answers 429`,
    );
    expect(api.asked).toHaveLength(4);
  });

  test("an action that is refused is said in words", async () => {
    api.answers = { [`GET ${path}`]: [status("running")], [`POST ${action}`]: [[403]] };
    expect(await refusal(powerOff(server(provider), api.deps))).toBe(
      `the API of ${provider} does not switch the server off (server 52): it answers 403: is pillar-host:host.token still valid?`,
    );
  });

  test("a token that is not valid any more", async () => {
    api.answers = { [`GET ${path}`]: [status("off")] };
    expect(await refusal(readPowerState(server(provider, { token: `${token}-old` }), api.deps))).toBe(
      `the API of ${provider} does not tell the server's state (server 52): it answers 401: is pillar-host:host.token still valid?`,
    );
  });

  test("nobody at the address", async () => {
    const endpoint = `http://127.0.0.1:${await closedPort()}`;
    expect(await refusal(readPowerState(server(provider, { endpoint }), api.deps))).toBe(
      `the API of ${provider} can't be used now: ECONNREFUSED`,
    );
  });

  test.each([
    ["an answer of another form", "{}"],
    ["no JSON", "<html>ok</html>"],
  ])("%s is no state", async (_what, text) => {
    api.answers = { [`GET ${path}`]: [[200, text]] };
    expect(await refusal(readPowerState(server(provider), api.deps))).toContain(`the API of ${provider}`);
  });
});

test("a provider that nobody knows", async () => {
  expect(await refusal(readPowerState(server("aws"), api.deps))).toBe("no cloud provider is called aws");
});
