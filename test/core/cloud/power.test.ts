import { describe, expect, test } from "vitest";
import { isProtected, powerOff, readPower, setProtection } from "../../../core/cloud/power.ts";
import { fakeApi, refusal } from "./fakeApi.ts";

const api = fakeApi();
const at = (provider: string) => ({ provider, id: "52", token: api.token, endpoint: api.endpoint });

describe.each([
  ["hetzner", "Hetzner", "server", "/servers/52", "/servers/52/actions/poweroff", "{}"],
  ["digitalocean", "DigitalOcean", "droplet", "/v2/droplets/52", "/v2/droplets/52/actions", '{"type":"power_off"}'],
])("the power of a server at %s", (provider, title, key, path, action, body) => {
  const answers = (...states: string[]) => states.map((status) => [200, { [key]: { status } }] as const);

  test("is cut, and the program waits until the server is off", async () => {
    api.answers = { [`GET ${path}`]: answers("running", "running", "off"), [`POST ${action}`]: [[201]] };
    expect(await powerOff(at(provider), api)).toBe("off");
    expect(api.asked).toEqual([`GET ${path}`, `POST ${action} ${body}`, `GET ${path}`, `GET ${path}`]);
  });

  test("is left alone if the server is off or gone", async () => {
    api.answers = { [`GET ${path}`]: [...answers("off"), [404]] };
    expect([await powerOff(at(provider), api), await powerOff(at(provider), api)]).toEqual(["off", "gone"]);
    expect(api.asked).toEqual([`GET ${path}`, `GET ${path}`]);
  });

  test("is waited for while another action locks the server, and never reported off while it is on", async () => {
    api.answers = { [`GET ${path}`]: answers("running", "off"), [`POST ${action}`]: [[423]] };
    expect(await powerOff(at(provider), api)).toBe("off");
    api.answers = { [`GET ${path}`]: answers("running"), [`POST ${action}`]: [[201]] };
    expect(await refusal(powerOff(at(provider), api))).toBe(`server 52 at ${provider} is not off after 180 s`);
  });

  test("reports a refused action, and an answer of another form", async () => {
    api.answers = {
      [`GET ${path}`]: answers("running"),
      [`POST ${action}`]: [[403, { error: { code: "forbidden" } }]],
    };
    expect(await refusal(powerOff(at(provider), api))).toContain(`pillar-host:host.token: ${title} answered 403`);
    api.answers = { [`GET ${path}`]: [[200, { server: {}, droplet: {} }]] };
    const problem = `the API of ${provider} does not report the state of server 52`;
    expect(await refusal(readPower(at(provider), api))).toBe(problem);
  });
});

test("refuses an unknown provider", async () => {
  expect(await refusal(readPower(at("aws"), api))).toBe("no cloud provider is called aws");
});

const action = "POST /servers/52/actions/change_protection";
const shows = (isOn: boolean, locked = false) =>
  [200, { server: { protection: { delete: isOn, rebuild: isOn }, locked } }] as const;
const posted = () => api.asked.filter((line) => line.startsWith("POST"));

test.each([
  ["is lifted, asked for again until it is", [shows(true), shows(true), shows(false)], [201], 2],
  ["is lifted once no other action locks the server", [shows(true), shows(false, true), shows(false)], [201], 1],
  ["is lifted although the server is busy at first", [shows(true), shows(true), shows(false)], [423], 2],
])("the protection %s", async (_what, found, answer, count) => {
  api.answers = { "GET /servers/52": [...found], [action]: [[answer[0] ?? 0]] };
  expect(await setProtection(at("hetzner"), false, api)).toBe(true);
  expect(posted()).toEqual(Array(count).fill(`${action} {"delete":false,"rebuild":false}`));
  expect(api.slept).toHaveLength(2);
});

test("the protection is set again", async () => {
  api.answers = { "GET /servers/52": [shows(false), shows(true)], [action]: [[201]] };
  expect(await setProtection(at("hetzner"), true, api)).toBe(true);
  expect(posted()).toEqual([`${action} {"delete":true,"rebuild":true}`]);
});

test("the protection stays if it is right, if the server is gone, or if the provider has none", async () => {
  api.answers = { "GET /servers/52": [shows(false), [404]] };
  expect(await setProtection(at("hetzner"), false, api)).toBe(false);
  expect(await setProtection(at("hetzner"), false, api)).toBe(false);
  expect(await setProtection(at("digitalocean"), false, api)).toBe(false);
  expect(await isProtected(at("digitalocean"), api)).toBe(false);
  expect(api.asked).toEqual(["GET /servers/52", "GET /servers/52"]);
});

test("the protection is not reported lifted if it stays, and an unexpected answer is a fault", async () => {
  api.answers = { "GET /servers/52": [shows(true)], [action]: [[201]] };
  const said = "after 180 s, hetzner still protects server 52, or runs another action on it";
  expect(await refusal(setProtection(at("hetzner"), false, api))).toBe(said);
  api.answers = { "GET /servers/52": [[200, { server: {} }]] };
  const unreported = "the API of hetzner does not report the protection of server 52";
  expect(await refusal(isProtected(at("hetzner"), api))).toBe(unreported);
});
