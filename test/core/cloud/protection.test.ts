import http from "node:http";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { CloudServer } from "../../../core/cloud/power";
import { isProtected, setProtection } from "../../../core/cloud/protection";
import { listen, type Server } from "../chain/fakes";

type Answer = readonly [status: number, body?: unknown];
const token = "s3cret-token";
const action = "POST /servers/52/actions/change_protection";
let api: Server;
let asked: string[];
/** What the API answers, in turn; the last one for good. */
let answers: Record<string, Answer[]>;
let slept: number;
const deps = {
  sleep: async () => {
    slept += 1;
  },
};

beforeEach(async () => {
  [asked, answers, slept] = [[], {}, 0];
  const server = http.createServer(async (request, response) => {
    const body = Buffer.concat(await request.toArray()).toString();
    const route = `${request.method} ${request.url}`;
    asked.push(`${route} ${body}`.trim());
    const left = answers[route] ?? [[404, {}]];
    const [status, answer] = (left.length > 1 ? left.shift() : left[0]) as Answer;
    response.writeHead(status);
    response.end(JSON.stringify(answer ?? {}));
  });
  api = await listen(server);
});
afterEach(() => api.close());

const at = (provider = "hetzner"): CloudServer => ({
  ...{ provider, id: "52", token, endpoint: `http://127.0.0.1:${api.port}` },
});
const shows = (isOn: boolean, locked = false): Answer => [
  200,
  { server: { protection: { delete: isOn, rebuild: isOn }, locked } },
];
const refusal = (promise: Promise<unknown>) =>
  promise.then(
    () => Promise.reject(new Error("it did not fail")),
    ({ message }: Error) => {
      expect(message).not.toContain(token);
      return message;
    },
  );

test("is lifted, and waited for", async () => {
  answers = { "GET /servers/52": [shows(true), shows(true), shows(false)], [action]: [[201]] };
  expect(await setProtection(at(), false, deps)).toBe(true);
  expect(asked.filter((line) => line.startsWith("POST"))).toEqual(
    Array(2).fill(`${action} {"delete":false,"rebuild":false}`),
  );
  expect(slept).toBe(2);
});

test("is not called lifted while an action holds the server, which would refuse its deletion", async () => {
  answers = {
    "GET /servers/52": [shows(true), shows(false, true), shows(false, true), shows(false)],
    [action]: [[201]],
  };
  expect(await setProtection(at(), false, deps)).toBe(true);
  expect([asked.filter((line) => line.startsWith("POST")).length, slept]).toEqual([1, 3]);
});

test("is set again", async () => {
  answers = { "GET /servers/52": [shows(false), shows(true)], [action]: [[201]] };
  expect(await setProtection(at(), true, deps)).toBe(true);
  expect(asked[1]).toBe(`${action} {"delete":true,"rebuild":true}`);
});

test("is left alone where it is as it should be, where the server is gone, and where there is none to be had", async () => {
  answers = { "GET /servers/52": [shows(false), [404, {}]] };
  expect(await setProtection(at(), false, deps)).toBe(false);
  expect(await setProtection(at(), false, deps)).toBe(false);
  expect(asked).toEqual(["GET /servers/52", "GET /servers/52"]);
  expect([await setProtection(at("digitalocean"), false, deps), await isProtected(at("digitalocean"), deps)]).toEqual([
    false,
    false,
  ]);
  expect(asked.length).toBe(2);
});

test("another action that holds the server is waited for", async () => {
  answers = { "GET /servers/52": [shows(true), shows(true), shows(false)], [action]: [[423, {}], [201]] };
  expect(await setProtection(at(), false, deps)).toBe(true);
});

test("that stays is not called lifted", async () => {
  answers = { "GET /servers/52": [shows(true)], [action]: [[201]] };
  expect(await refusal(setProtection(at(), false, deps))).toBe(
    "server 52 at hetzner is still protected, or held by another action, after 180 s",
  );
});

test("a refusal, and an answer of another form, are said in words", async () => {
  answers = { "GET /servers/52": [shows(true), [200, {}]], [action]: [[403, {}]] };
  expect(await refusal(setProtection(at(), false, deps))).toBe(
    "the API of hetzner does not lift the server's protection (server 52): it answers 403: is pillar-host:host.token still valid?",
  );
  expect(await refusal(isProtected(at(), deps))).toBe(
    "the API of hetzner does not tell the server's protection (server 52): it answers 200",
  );
});
