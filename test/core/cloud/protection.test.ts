import { expect, test } from "vitest";
import type { CloudServer } from "../../../core/cloud/power";
import { isProtected, setProtection } from "../../../core/cloud/protection";
import { type Answer, fakeApi, refusal, token } from "./fakeApi";

const action = "POST /servers/52/actions/change_protection";
const api = fakeApi();
const at = (provider = "hetzner"): CloudServer => ({
  provider,
  id: "52",
  token,
  endpoint: `http://127.0.0.1:${api.port}`,
});
const shows = (isOn: boolean, locked = false): Answer => [
  200,
  { server: { protection: { delete: isOn, rebuild: isOn }, locked } },
];
test("is lifted, and waited for", async () => {
  api.answers = { "GET /servers/52": [shows(true), shows(true), shows(false)], [action]: [[201]] };
  expect(await setProtection(at(), false, api.deps)).toBe(true);
  expect(api.asked.filter((line) => line.startsWith("POST"))).toEqual(
    Array(2).fill(`${action} {"delete":false,"rebuild":false}`),
  );
  expect(api.slept).toBe(2);
});

test("is not called lifted while an action holds the server, which would refuse its deletion", async () => {
  api.answers = {
    "GET /servers/52": [shows(true), shows(false, true), shows(false, true), shows(false)],
    [action]: [[201]],
  };
  expect(await setProtection(at(), false, api.deps)).toBe(true);
  expect([api.asked.filter((line) => line.startsWith("POST")).length, api.slept]).toEqual([1, 3]);
});

test("is set again", async () => {
  api.answers = { "GET /servers/52": [shows(false), shows(true)], [action]: [[201]] };
  expect(await setProtection(at(), true, api.deps)).toBe(true);
  expect(api.asked[1]).toBe(`${action} {"delete":true,"rebuild":true}`);
});

test("is left alone where it is as it should be, where the server is gone, and where there is none to be had", async () => {
  api.answers = { "GET /servers/52": [shows(false), [404, {}]] };
  expect(await setProtection(at(), false, api.deps)).toBe(false);
  expect(await setProtection(at(), false, api.deps)).toBe(false);
  expect(api.asked).toEqual(["GET /servers/52", "GET /servers/52"]);
  expect([
    await setProtection(at("digitalocean"), false, api.deps),
    await isProtected(at("digitalocean"), api.deps),
  ]).toEqual([false, false]);
  expect(api.asked.length).toBe(2);
});

test("another action that holds the server is waited for", async () => {
  api.answers = { "GET /servers/52": [shows(true), shows(true), shows(false)], [action]: [[423, {}], [201]] };
  expect(await setProtection(at(), false, api.deps)).toBe(true);
});

test("that stays is not called lifted", async () => {
  api.answers = { "GET /servers/52": [shows(true)], [action]: [[201]] };
  expect(await refusal(setProtection(at(), false, api.deps))).toBe(
    "after 180 s, hetzner still protects server 52, or runs another action on it",
  );
});

test("a refusal, and an answer of another form, are said in words", async () => {
  api.answers = { "GET /servers/52": [shows(true), [200, {}]], [action]: [[403, {}]] };
  expect(await refusal(setProtection(at(), false, api.deps))).toBe(
    "pillar-host:host.token: Hetzner answered 403 (no reason given)\n  needed: set an API token with read and write permission",
  );
  expect(await refusal(isProtected(at(), api.deps))).toBe(
    "the API of hetzner does not report the protection of server 52",
  );
});
