import type * as pulumi from "@pulumi/pulumi";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { createLogin } from "../../components/login.ts";
import { runStep } from "../../components/remote.ts";
import { producerAddress } from "../../core/steps/nodeSteps.ts";
import type { Step } from "../../core/steps/step.ts";
import { scratchDirectory } from "../scratchDirectory.ts";
import { configOf } from "./exampleConfig.ts";
import { registeredBy, revealed } from "./fakeEngine.ts";

const config = configOf({ ssh: { user: "op", port: 2222, agent: true } });
const step: Step = { name: "prepare", limitSeconds: 5, script: "echo hello\n" };

const home = scratchDirectory();
// Each of an output's own promises rejects: by that the engine learns that the program failed.
const listeners = process.listeners("unhandledRejection");
beforeEach(() => {
  process.removeAllListeners("unhandledRejection").on("unhandledRejection", () => undefined);
  vi.stubEnv("XDG_DATA_HOME", home());
});
afterEach(async () => {
  await new Promise(setImmediate);
  process.removeAllListeners("unhandledRejection");
  for (const each of listeners) process.on("unhandledRejection", each);
  vi.unstubAllEnvs();
});

const settled = (value: pulumi.Input<unknown>) => (value as unknown as { promise(): Promise<unknown> }).promise();

/** Runs a step that prints this. @returns its input and its outcome */
async function run(which: Step, printed: Record<string, unknown>) {
  let outcome: Promise<readonly unknown[]> = Promise.resolve([]);
  const all = await registeredBy(
    () => {
      const access = { ...createLogin(config), address: "203.0.113.7", hostKey: "ssh-ed25519 AAAA" };
      const { stdout, proved } = runStep("node-step", which, access, {});
      outcome = Promise.all([settled(stdout), settled(proved)].map((each) => each.catch((error: Error) => error)));
    },
    { "node-step": printed },
  );
  const [stdout, proved] = await outcome;
  return { input: revealed(all[0]?.inputs.stdin) as string, stdout, proved };
}

test("lets others depend on a step that reports its end", async () => {
  expect((await run(step, {})).proved).toMatchObject({ __pulumiResource: true });
});

/** The command that repeats a step which the engine counts as done. */
const again = /\n {2}Then: pulumi up -s prod --replace '?urn:\S+node-step'?$/;

test.each(["", "Welcome"])(
  "fails a step that printed %j with exit code 0, and names the command that repeats it",
  async (stdout) => {
    const first = await run(step, { stdout, stderr: "" });
    expect(first.proved).toBe(first.stdout);
    const { message } = first.proved as Error;
    expect(message).toContain("203.0.113.7: the login did not run prepare to its end");
    expect(message).toContain(`found: ${stdout ? `"${stdout}"` : "no output"}`);
    expect(message).toMatch(again);
  },
);

test("fails the step if the producer address has another form", async () => {
  const address = "z1qqjnwjjpnue8xmmpanz6csze6tcmtzzdtfsww7";
  const odd = await run(producerAddress(config), { result: `Welcome\n${address}` });
  const { message } = odd.stdout as Error;
  expect(message).toContain("203.0.113.7: the step producerAddress printed an unexpected result\n  found: ");
  expect(message).toMatch(again);
  expect((await run(producerAddress(config), { result: address })).stdout).toBe(address);
});

test("runs a step through the proxy, whose key is pinned", async () => {
  const hostKey = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIOMqqnkVzrm0SdG6UOoqKLsabgH5C9okWi0dh2l9GKJl";
  const proxy = { address: "bastion.example", hostKey, user: "jump", password: "Jump-Pony-5" };
  const through = configOf({ ssh: { user: "op", port: 2222, agent: true, proxy } });
  const access = { ...createLogin(through), address: "203.0.113.7", hostKey };
  const [registered] = await registeredBy(() => void runStep("node-step", step, access, {}));
  const limits = { dialErrorLimit: 10, perDialTimeout: 15 };
  expect(revealed(registered?.inputs.connection)).toEqual({
    host: "203.0.113.7",
    port: 2222,
    user: "op",
    hostKey,
    ...limits,
    proxy: { host: "bastion.example", port: 22, user: "jump", hostKey, password: "Jump-Pony-5", ...limits },
  });
});
