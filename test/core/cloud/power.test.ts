import { describe, expect, test } from "vitest";
import { type CloudServer, powerOff, readPowerState } from "../../../core/cloud/power";
import { type Answer, fakeApi, refusal, token } from "./fakeApi";

const api = fakeApi();
const server = (provider: string): CloudServer => ({
  provider,
  id: "52",
  token,
  endpoint: `http://127.0.0.1:${api.port}`,
});
const hetzner = (status: string): Answer => [200, { server: { status } }];
const digitalocean = (status: string): Answer => [200, { droplet: { status } }];

describe.each([
  ["hetzner", "Hetzner", "/servers/52", "/servers/52/actions/poweroff", "{}", hetzner],
  ["digitalocean", "DigitalOcean", "/v2/droplets/52", "/v2/droplets/52/actions", '{"type":"power_off"}', digitalocean],
])("a server at %s", (provider, title, path, action, body, status) => {
  test("is switched off, and the program waits until it is off", async () => {
    api.answers = {
      [`GET ${path}`]: [status("running"), status("running"), status("off")],
      [`POST ${action}`]: [[201]],
    };
    expect(await powerOff(server(provider), api.deps)).toBe("off");
    expect(api.asked).toEqual([`GET ${path}`, `POST ${action} ${body}`, `GET ${path}`, `GET ${path}`]);
  });

  test("is left alone if it is off or gone", async () => {
    api.answers = { [`GET ${path}`]: [status("off"), [404, {}]] };
    expect(await powerOff(server(provider), api.deps)).toBe("off");
    expect(await powerOff(server(provider), api.deps)).toBe("gone");
    expect(api.asked).toEqual([`GET ${path}`, `GET ${path}`]);
  });

  test("is waited for while another action locks it", async () => {
    api.answers = { [`GET ${path}`]: [status("running"), status("off")], [`POST ${action}`]: [[423, { error: {} }]] };
    expect(await powerOff(server(provider), api.deps)).toBe("off");
  });

  test("is not reported off if it stays on", async () => {
    api.answers = { [`GET ${path}`]: [status("running")], [`POST ${action}`]: [[201]] };
    expect(await refusal(powerOff(server(provider), api.deps))).toBe(`server 52 at ${provider} is not off after 180 s`);
  });

  test("reports a refused action", async () => {
    api.answers = { [`GET ${path}`]: [status("running")], [`POST ${action}`]: [[403]] };
    expect(await refusal(powerOff(server(provider), api.deps))).toBe(
      `pillar-host:host.token: ${title} answered 403 (no reason given)\n  needed: set an API token with read and write permission`,
    );
  });

  test("refuses an answer of another form as a state", async () => {
    api.answers = { [`GET ${path}`]: [[200, "{}"]] };
    const problem = `the API of ${provider} does not report the state of server 52`;
    expect(await refusal(readPowerState(server(provider), api.deps))).toBe(problem);
  });
});

test("refuses an unknown provider", async () => {
  expect(await refusal(readPowerState(server("aws"), api.deps))).toBe("no cloud provider is called aws");
});
