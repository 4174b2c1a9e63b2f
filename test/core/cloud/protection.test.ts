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
test("lifts the protection, and waits until it is lifted", async () => {
  api.answers = { "GET /servers/52": [shows(true), shows(true), shows(false)], [action]: [[201]] };
  expect(await setProtection(at(), false, api.deps)).toBe(true);
  expect(api.asked.filter((line) => line.startsWith("POST"))).toEqual(
    Array(2).fill(`${action} {"delete":false,"rebuild":false}`),
  );
  expect(api.slept).toBe(2);
});

test("does not report the protection lifted while an action locks the server", async () => {
  api.answers = {
    "GET /servers/52": [shows(true), shows(false, true), shows(false, true), shows(false)],
    [action]: [[201]],
  };
  expect(await setProtection(at(), false, api.deps)).toBe(true);
  expect([api.asked.filter((line) => line.startsWith("POST")).length, api.slept]).toEqual([1, 3]);
});

test("sets the protection again", async () => {
  api.answers = { "GET /servers/52": [shows(false), shows(true)], [action]: [[201]] };
  expect(await setProtection(at(), true, api.deps)).toBe(true);
  expect(api.asked[1]).toBe(`${action} {"delete":true,"rebuild":true}`);
});

test("changes nothing if the protection is right, the server is gone, or the provider has no protection", async () => {
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

test("waits for another action that locks the server", async () => {
  api.answers = { "GET /servers/52": [shows(true), shows(true), shows(false)], [action]: [[423, {}], [201]] };
  expect(await setProtection(at(), false, api.deps)).toBe(true);
});

test("does not report a protection lifted that stays", async () => {
  api.answers = { "GET /servers/52": [shows(true)], [action]: [[201]] };
  expect(await refusal(setProtection(at(), false, api.deps))).toBe(
    "after 180 s, hetzner still protects server 52, or runs another action on it",
  );
});

test("reports a refusal and an unexpected answer", async () => {
  api.answers = { "GET /servers/52": [shows(true), [200, {}]], [action]: [[403, {}]] };
  expect(await refusal(setProtection(at(), false, api.deps))).toBe(
    "pillar-host:host.token: Hetzner answered 403 (no reason given)\n  needed: set an API token with read and write permission",
  );
  expect(await refusal(isProtected(at(), api.deps))).toBe(
    "the API of hetzner does not report the protection of server 52",
  );
});
