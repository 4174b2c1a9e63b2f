import http from "node:http";
import { afterEach, beforeEach, expect } from "vitest";
import { listen, type Server } from "../chain/fakes.ts";

export const token = "s3cret-token";
export type Answer = readonly [status: number, body?: unknown, headers?: Record<string, string>];

/** Serves a cloud's API on loopback for each test of a file, and keeps the requests and its client's sleeps. */
export function fakeApi() {
  let server: Server;
  const api = {
    endpoint: "",
    token,
    asked: [] as string[],
    /** Answers in turn by method and path, without the query; the last one repeats. */
    answers: {} as Record<string, Answer[]>,
    slept: [] as number[],
    sleep: async (milliseconds: number) => void api.slept.push(milliseconds),
  };
  beforeEach(async () => {
    Object.assign(api, { asked: [], answers: {}, slept: [] });
    const served = http.createServer(async (request, response) => {
      const body = Buffer.concat(await request.toArray()).toString();
      const route = `${request.method} ${request.url?.replace(/\?.*/, "")}`;
      api.asked.push(`${route} ${body}`.trim());
      const left = api.answers[route] ?? [[404, {}]];
      const [status, answer, headers] = (left.length > 1 ? left.shift() : left[0]) as Answer;
      expect(request.headers.authorization).toBe(`Bearer ${token}`);
      response.writeHead(status, headers);
      response.end(typeof answer === "string" ? answer : JSON.stringify(answer ?? {}));
    });
    server = await listen(served);
    api.endpoint = `http://127.0.0.1:${server.port}`;
  });
  afterEach(() => server.close());
  return api;
}

/** Returns the message of a failure, and expects no token in it. */
export async function refusal(promise: Promise<unknown>): Promise<string> {
  const fail = () => Promise.reject(new Error("it did not fail"));
  const { message, stack, cause } = await promise.then(fail, (error: Error) => error);
  expect(`${message}${stack}${String(cause)}`).not.toContain(token);
  return message;
}
