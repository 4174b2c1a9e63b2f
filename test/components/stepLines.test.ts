import { PassThrough } from "node:stream";
import * as pulumi from "@pulumi/pulumi";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { HostAccess, LoginCheck } from "../../components/login.ts";
import { createStepLines } from "../../components/remote.ts";
import { createEnvelope, type Step } from "../../core/steps/step.ts";
import { evilText, harmless } from "../evilText.ts";
import { registeredBy } from "./fakeEngine.ts";

const opened = { calls: [] as unknown[][], streams: [] as PassThrough[], made: 0, closed: 0 };
const openFake = () => {
  opened.made += 1;
  return {
    stream: async (...call: unknown[]) => {
      const stdout = new PassThrough();
      opened.calls.push(call);
      opened.streams.push(stdout);
      return { stdout, done: new Promise<void>((resolve) => stdout.on("close", resolve)) };
    },
    close: () => void opened.closed++,
  };
};

const step: Step = { name: "deploy", limitSeconds: 50, script: "true\n" };
const args = { urn: "urn:node-deploy", id: "", name: "node-deploy", type: "t" };
const info = vi.spyOn(pulumi.log, "info");
const error = vi.spyOn(pulumi.log, "error");

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  info.mockReset().mockResolvedValue();
  error.mockReset().mockResolvedValue();
  Object.assign(opened, { calls: [], streams: [], made: 0, closed: 0 });
});
afterEach(() => void vi.useRealTimers());

const stdin = createEnvelope(step, { hostName: "203.0.113.7", stack: "prod" });

async function linesOf(which: Step, check: LoginCheck["check"] = async () => undefined) {
  let made: ReturnType<typeof createStepLines> | undefined;
  await registeredBy(() => {
    const login = pulumi.secret({}) as unknown as HostAccess["login"];
    const loginCheck = { check, pass: () => undefined, hasPassed: () => true };
    const access = { stack: "prod", address: "203.0.113.7", hostKey: "k", port: 22, user: "root", login, loginCheck };
    made = createStepLines("node-deploy", which, { ...access, sudoPassword: undefined }, openFake);
  });
  if (!made) expect.unreachable();
  const { beforeCreate: [begins] = [], onError: [fails] = [] } = made.hooks;
  return { ...made, begin: () => (begins as pulumi.ResourceHook).callback(args), fails };
}

const shown = () => info.mock.calls.map(([text]) => text);
const turn = () => new Promise(setImmediate);
const followed = async () => {
  while (opened.made === 0) await turn();
};

test("prints a step's lines once while it runs, without terminal commands", async () => {
  const lines = await linesOf(step);
  await lines.begin();
  await followed();
  await vi.advanceTimersByTimeAsync(5000);
  expect(opened.calls).toEqual([["step_output", { step: expect.anything() }, { limitSeconds: 50 }]]);
  const evil = Buffer.from(`one\n${evilText}\nhal`);
  opened.streams[0]?.write(evil);
  await turn();
  expect(shown()).toEqual(["one", harmless]);
  expect(info.mock.calls[0]?.[3]).toBe(true);
  lines.show(`one\n${evilText}\nlast`);
  expect(shown()).toEqual(["one", harmless, "last"]);
  lines.end();
  opened.streams[0]?.destroy();
  await turn();
  await vi.advanceTimersByTimeAsync(60_000);
  expect(opened.calls).toHaveLength(1);
  expect(opened.closed).toBeGreaterThan(0);
});

test("connects again while the step runs, after the connection broke", async () => {
  const lines = await linesOf(step);
  await lines.begin();
  await followed();
  await vi.advanceTimersByTimeAsync(5000);
  opened.streams[0]?.destroy();
  await turn();
  await vi.advanceTimersByTimeAsync(5000);
  expect(opened.calls).toHaveLength(2);
  lines.end();
});

test("does not poll a step that finishes soon, and prints nothing of a step that did not run", async () => {
  const lines = await linesOf(step);
  lines.show("of an earlier run");
  expect(shown()).toEqual([]);
  await lines.begin();
  await turn();
  lines.show("done");
  lines.end();
  await vi.advanceTimersByTimeAsync(60_000);
  expect(shown()).toEqual(["done"]);
  expect(opened.calls).toEqual([]);
});

test("prints no result of a step that only reads, and does not poll it", async () => {
  const quiet = await linesOf({ ...step, quiet: true });
  const looks = await linesOf({ ...step, readsOnly: true });
  for (const each of [quiet, looks]) await each.begin();
  await turn();
  await vi.advanceTimersByTimeAsync(60_000);
  quiet.show("z1q");
  looks.show("seen");
  expect(shown()).toEqual(["seen"]);
  expect(opened.calls).toEqual([]);
});

/** Runs a hook that must fail. @returns its error's text, after what it printed about which resource */
async function errorsOf(hook: () => unknown): Promise<(string | undefined)[]> {
  const thrown = await Promise.resolve(hook()).catch(({ message }: Error) => message);
  const printed = error.mock.calls.splice(0).map(async ([text, row]) => {
    const urn = await (row as unknown as { urn: { promise(): Promise<string> } }).urn.promise();
    return `${urn}: ${text}`;
  });
  return [...(await Promise.all(printed)), thrown as string];
}

test("does first what comes before a step, once its login works, and ends the run with its error", async () => {
  const before: Step["before"] = async ({ ssh }, show) => {
    show(`before ${ssh.address}`);
    await turn();
    expect(opened.made).toBe(0);
    throw new Error("no room");
  };
  const refuse = async () => Promise.reject(new Error("no login"));
  expect(await errorsOf((await linesOf({ ...step, before }, refuse)).begin)).not.toContain("no room");
  expect(shown()).toEqual([]);
  expect(await errorsOf((await linesOf({ ...step, before })).begin)).toEqual(["no room"]);
  expect(shown()).toEqual(["before 203.0.113.7"]);
});

test("ends a step, also a quiet one, before it begins if the host refuses the login, in words of their own", async () => {
  const refuse = async ({ address }: { address: string }) => Promise.reject(new Error(`${address} refuses the login`));
  for (const which of [step, { ...step, quiet: true }]) {
    const { begin } = await linesOf(which, refuse);
    expect(await errorsOf(begin)).toEqual(["urn:node-deploy: 203.0.113.7 refuses the login", "see above"]);
  }
  expect(opened.made).toBe(0);
});

test("prints the step's own words before the engine's, harmless for a terminal", async () => {
  const { fails } = await linesOf(step);
  const failed = (newest: string) =>
    errorsOf(() => fails?.callback({ ...args, failedOperation: "create", errors: [newest, "older"] }));
  const token = /done-([0-9a-f]{32})/.exec(stdin)?.[1];
  const answer = `\npillar-host-answer-${token}\nwarning: a clock\n\npillar-host-failed-${token}\nh: no room\n${evilText}\n`;
  const line = 'Process exited with status 1: running "bash -s deploy # to go on: pulumi up":';
  expect(await failed(`${line}\nWelcome\n${answer}`)).toEqual([
    `urn:node-deploy: h: no room\n${harmless}\nPrinted before:\n  warning: a clock`,
    "see above",
  ]);
  expect(await failed(`${line}\n${evilText}\n`)).toEqual([`urn:node-deploy: ${harmless}`, "see above"]);
});
