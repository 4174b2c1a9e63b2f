import http from "node:http";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { CloudServer } from "../../../core/cloud/power";
import { powerOff, powerState } from "../../../core/cloud/power";
import { closedPort, listen, type Server } from "../chain/fakes";

const token = "s3cret-token";
type Answer = readonly [status: number, body?: unknown];
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
    if (request.headers.authorization !== `Bearer ${token}`) response.writeHead(401);
    else response.writeHead(status);
    response.end(typeof answer === "string" ? answer : JSON.stringify(answer ?? {}));
  });
  api = await listen(server);
});
afterEach(() => api.close());

const server = (provider: string, changes: Partial<CloudServer> = {}): CloudServer => ({
  ...{ provider, id: "52", token, endpoint: `http://127.0.0.1:${api.port}` },
  ...changes,
});
const hetzner = (status: string): Answer => [200, { server: { status } }];
const digitalocean = (status: string): Answer => [200, { droplet: { status } }];

async function refusal(promise: Promise<unknown>): Promise<string> {
  const { message, stack, cause } = await promise.then(
    () => Promise.reject(new Error("it did not fail")),
    (error: Error) => error,
  );
  expect(`${message}${stack}${String(cause)}`).not.toContain(token);
  return message;
}

describe.each([
  ["hetzner", "/servers/52", "/servers/52/actions/poweroff", "{}", hetzner],
  ["digitalocean", "/v2/droplets/52", "/v2/droplets/52/actions", '{"type":"power_off"}', digitalocean],
])("a server at %s", (provider, path, action, body, status) => {
  test("is switched off, and waited for", async () => {
    answers = { [`GET ${path}`]: [status("running"), status("running"), status("off")], [`POST ${action}`]: [[201]] };
    expect(await powerOff(server(provider), deps)).toBe("off");
    expect(asked).toEqual([`GET ${path}`, `POST ${action} ${body}`, `GET ${path}`, `GET ${path}`]);
  });

  test("is left alone where it is off, or gone", async () => {
    answers = { [`GET ${path}`]: [status("off"), [404, {}]] };
    expect(await powerOff(server(provider), deps)).toBe("off");
    expect(await powerOff(server(provider), deps)).toBe("gone");
    expect(asked).toEqual([`GET ${path}`, `GET ${path}`]);
  });

  test("is waited for where another action holds it", async () => {
    answers = { [`GET ${path}`]: [status("running"), status("off")], [`POST ${action}`]: [[423, { error: {} }]] };
    expect(await powerOff(server(provider), deps)).toBe("off");
  });

  test("that never goes off is not called off", async () => {
    answers = { [`GET ${path}`]: [status("running")], [`POST ${action}`]: [[201]] };
    expect(await refusal(powerOff(server(provider), deps))).toBe(`server 52 at ${provider} is not off after 180 s`);
  });

  test("429 and 5xx pass", async () => {
    answers = { [`GET ${path}`]: [[429], [502, "<html>"], status("running")] };
    expect(await powerState(server(provider), deps)).toBe("running");
    expect(slept).toBe(2);
  });

  test("429 for good is said in words", async () => {
    answers = { [`GET ${path}`]: [[429]] };
    expect(await refusal(powerState(server(provider), deps))).toBe(
      `the API of ${provider} can't be used now: it answers 429`,
    );
    expect(asked).toHaveLength(4);
  });

  test("an action that is refused is said in words", async () => {
    answers = { [`GET ${path}`]: [status("running")], [`POST ${action}`]: [[403]] };
    expect(await refusal(powerOff(server(provider), deps))).toBe(
      `the API of ${provider} does not switch the server off (server 52): it answers 403: is pillar-host:host.token still valid?`,
    );
  });

  test("a token that is not valid any more", async () => {
    answers = { [`GET ${path}`]: [status("off")] };
    expect(await refusal(powerState(server(provider, { token: `${token}-old` }), deps))).toBe(
      `the API of ${provider} does not tell the server's state (server 52): it answers 401: is pillar-host:host.token still valid?`,
    );
  });

  test("nobody at the address", async () => {
    const endpoint = `http://127.0.0.1:${await closedPort()}`;
    expect(await refusal(powerState(server(provider, { endpoint }), deps))).toBe(
      `the API of ${provider} can't be used now: ECONNREFUSED`,
    );
  });

  test.each([
    ["an answer of another form", "{}"],
    ["no JSON", "<html>ok</html>"],
  ])("%s is no state", async (_what, text) => {
    answers = { [`GET ${path}`]: [[200, text]] };
    expect(await refusal(powerState(server(provider), deps))).toContain(`the API of ${provider}`);
  });
});

test("a provider that nobody knows", async () => {
  expect(await refusal(powerState(server("aws"), deps))).toBe("no cloud provider is called aws");
});
