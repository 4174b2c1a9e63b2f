import http from "node:http";
import { afterEach, beforeEach, expect } from "vitest";
import { listen, type Server } from "../chain/fakes";

export const token = "s3cret-token";
export type Answer = readonly [status: number, body?: unknown];

/** A cloud's API for each test of a file: its requests, its answers, and its client's sleeps. */
export interface FakeApi {
  port: number;
  asked: string[];
  /** Answers in turn by method and path; the last one repeats. */
  answers: Record<string, Answer[]>;
  slept: number;
  readonly deps: { sleep(): Promise<void> };
}

/** Serves it on loopback, for who shows the token. */
export function fakeApi(): FakeApi {
  let server: Server;
  const api: FakeApi = {
    port: 0,
    asked: [],
    answers: {},
    slept: 0,
    deps: {
      sleep: async () => {
        api.slept += 1;
      },
    },
  };
  beforeEach(async () => {
    Object.assign(api, { asked: [], answers: {}, slept: 0 });
    const served = http.createServer(async (request, response) => {
      const body = Buffer.concat(await request.toArray()).toString();
      const route = `${request.method} ${request.url}`;
      api.asked.push(`${route} ${body}`.trim());
      const left = api.answers[route] ?? [[404, {}]];
      const [status, answer] = (left.length > 1 ? left.shift() : left[0]) as Answer;
      if (request.headers.authorization !== `Bearer ${token}`) response.writeHead(401);
      else response.writeHead(status);
      response.end(typeof answer === "string" ? answer : JSON.stringify(answer ?? {}));
    });
    server = await listen(served);
    api.port = server.port;
  });
  afterEach(() => server.close());
  return api;
}

/** Returns the message of a failure, and expects no token in it. */
export async function refusal(promise: Promise<unknown>): Promise<string> {
  const { message, stack, cause } = await promise.then(
    () => Promise.reject(new Error("it did not fail")),
    (error: Error) => error,
  );
  expect(`${message}${stack}${String(cause)}`).not.toContain(token);
  return message;
}
