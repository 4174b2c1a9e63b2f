import { readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { overrideVariable } from "../../../core/retirement/refusalText.ts";
import { createRetirementInputs } from "../../../core/retirement/retirementInputs.ts";
import { addressFrom } from "../../../lab/doubles/address.ts";
import { setUpOrchestrator } from "../../../lab/oldHost/runningOrchestrator.ts";
import { collectLastRewards, collectRewards, updateProducer } from "../../../lab/operator/wallet.ts";
import { configOf } from "../../components/exampleConfig.ts";
import type { Outcome, Prepared } from "../../providers/runProvider.ts";
import { journeyIn, movesIn } from "../../recordIn.ts";
import { onHost } from "../fixture.ts";
import { runAtOperator } from "../orchestrator/providerRun.ts";
import { oldFile, pillar, quick, type RetirementStage, retirementStage, traceOf } from "./stage.ts";

/** A guard's stored inputs and outputs, open to changes. */
type Stored = ReturnType<typeof inputsOf> & Record<string, unknown>;

/** Returns the components' inputs of guard and shutdown of the old host's stack. */
function inputsOf(stage: RetirementStage) {
  const { lab, old } = stage;
  const { host, ...file } = oldFile(stage) as { host: object };
  const config = configOf({
    ...file,
    host,
    ssh: { privateKey: readFileSync(lab.privateKeyFile, "utf8") },
    orchestrator: { backup: { directory: directoryOf(stage) } },
  });
  return createRetirementInputs(config, { address: old.address, hostKey: old.hostKey, isOwnServer: false });
}

/** Returns what the state has of the host. */
function storedOf({ host: { ssh }, stack, pillar, lifecycle, isOwnServer }: ReturnType<typeof inputsOf>) {
  return { stack, pillar, lifecycle, isOwnServer, provider: "existing", address: ssh.address, hostKey: ssh.hostKey };
}

/** Returns the directory to which the guards of this file write. */
function directoryOf({ lab }: RetirementStage): string {
  return join(lab.dir, "mine/backups");
}

/**
 * Guards and shutdown of the old host, run without an engine, where the hosts are reachable.
 */
async function askedDirectly(stage: RetirementStage) {
  const run = async (type: Prepared, method: string, env: Record<string, string>, ...args: unknown[]) => {
    Object.assign(process.env, env);
    const outcome = await runAtOperator(stage.lab, type, method, ...args);
    for (const name of Object.keys(env)) delete process.env[name];
    return outcome;
  };
  return {
    create: async (isLast: boolean, changes: object = {}): Promise<Stored> => {
      const inputs = { ...inputsOf(stage), isLast, ...changes };
      const { result, error } = await run(["RetirementGuard", inputs], "create", {}, { ...storedOf(inputs), isLast });
      if (!result) throw new Error(error?.message);
      return { ...inputs, ...result.outs };
    },
    remove: (stored: Stored, env: Record<string, string> = {}): Promise<Outcome> =>
      run(["RetirementGuard", stored], "delete", env, "guard", stored),
    shutDown: (stored: Stored, env: Record<string, string> = {}): Promise<Outcome> => {
      const memory = { createdAt: stored.createdAt, isReached: stored.isReached, isOwnWork: stored.isOwnWork };
      const inputs = inputsOf(stage);
      return run(["NodeShutdown", inputs], "create", env, { ...storedOf(inputs), memory });
    },
  };
}

/** Returns the conditions of a refusal: what, found and needed. */
function conditionsOf({ error }: Outcome): string[] {
  if (error === undefined) return [];
  const [, ...lines] = error.message.split("\n");
  return lines.filter((line) => /^ {2}(- | {2})/.test(line)).map((line) => line.trim());
}

/** Returns only the first line of each condition. */
function whats(outcome: Outcome): string[] {
  return conditionsOf(outcome)
    .filter((line) => line.startsWith("- "))
    .map((line) => line.slice(2));
}

// The guards' own code, from the text that the state has of it: the engine adds nothing to a verdict.

const stage = retirementStage((made) => made.lab.addReference("ref"));
let asked: Awaited<ReturnType<typeof askedDirectly>>;
let first: Stored;
let last: Stored;
const refuse = async (changes: object = {}, env: Record<string, string> = {}) =>
  asked.remove({ ...last, ...changes } as Stored, env);
/** Adds a directory that looks like an orchestrator without a fence, so that the host is kept in any case. */
const kept = () => ({
  places: { ...last.places, orchestrator: { ...last.places.orchestrator, directory: "/root/.znn" } },
});
const noAnswer = "the successor's orchestrator does not answer";

beforeAll(async () => {
  asked = await askedDirectly(stage);
  [first, last] = [await asked.create(false), await asked.create(true)];
  expect(last).toMatchObject({ isReached: true, isOwnWork: false, recorded: { height: expect.any(Number) } });
});

describe("a host before the end of the switch", () => {
  it("is kept with its node while it is registered", async () => {
    const before = await traceOf(stage.old);
    expect(whats(await refuse())[0]).toContain("this host's producer address is the registered one");
    expect(whats(await asked.shutDown(last))[0]).toContain("this host's producer address is the registered one");
    expect(await traceOf(stage.old)).toBe(before);
  });

  it("is kept while it produces, even after the wallet's update", async () => {
    // The switch takes one or two ticks: long ones, because a busy machine asks late.
    await stage.lab.chain("PATCH", "/truth", { tickMomentums: 240 });
    await updateProducer(stage.lab, pillar, stage.addresses.fresh);
    const found = whats(await asked.shutDown(last)).map((line) => line.split(", say")[0]);
    expect(found).toEqual(["momentums still carry this host's address", "the successor does not produce"]);
    await stage.lab.chain("PATCH", "/truth", { tickMomentums: quick.tickMomentums });
  });

  it("waits for rewards, and shows their state", async () => {
    const isOver = /^- the rewards since the switch are not collected, say /;
    await expect.poll(async () => conditionsOf(await refuse())[0], { timeout: 300_000 }).toMatch(isOver);
    const [, ...lines] = conditionsOf(await refuse());
    expect(lines.slice(0, -1).every((line) => /^found: (the first whole epoch|paid since epoch)/.test(line))).toBe(
      true,
    );
    expect(lines.at(-1)).toMatch(/^needed: collect them in the wallet/);
  });
});

describe("with the rewards collected, a single problem keeps the host", () => {
  beforeAll(() => collectLastRewards(stage.lab, pillar));

  it("an unattended run neither shuts it down nor destroys it", async () => {
    const env = { PILLAR_HOST_UNATTENDED: "1" };
    const before = await traceOf(stage.old);
    expect((await refuse({}, env)).error?.message).toMatch(/^refusing to retire .* in an unattended run/);
    expect((await asked.shutDown(last, env)).error?.message).toMatch(
      /^refusing to shut down the node of .* in an unattended run/,
    );
    expect(await traceOf(stage.old)).toBe(before);
  });

  it("the reward address was changed after a payment, until the next one is collected there", async () => {
    const rewards = async () => conditionsOf(await refuse(kept())).filter((line) => line.includes("reward"));
    expect(await rewards()).toEqual([]);
    await stage.lab.chain("PATCH", `/pillars/${pillar}`, { withdrawAddress: addressFrom("another wallet") });
    const [what, ...found] = await rewards();
    expect(what).toBe("- no node can tell whether the rewards since the switch were paid and collected");
    const changed = /^found: .*paid nothing for \d+ momentums: was the reward address changed\? Then collect /;
    expect(found).toEqual([changed, changed, changed].map((text) => expect.stringMatching(text)));
    await stage.lab.chain("PATCH", "/truth", { rewardDelaySeconds: quick.rewardDelaySeconds });
    const isPaid = /^- the rewards since the switch are not collected, say/;
    await expect.poll(async () => (await rewards())[0]).toMatch(isPaid);
    await collectRewards(stage.lab, pillar);
    expect(await rewards()).toEqual([]);
  });

  it("the host or its successor is unreachable", async () => {
    const { host, successor } = last;
    const away = (login: typeof host) => ({ ...login, ssh: { ...login.ssh, port: 1 } });
    // Both are waited for a while.
    const [own, next] = await Promise.all([
      refuse({ host: away(host) }),
      refuse({ stack: "other", successor: { ...successor, host: away(successor?.host ?? host) } }),
    ]);
    expect(whats(own)).toContain(`this host, ${stage.old.address}, does not answer: its node may still run`);
    expect(whats(next)).toContain(`the successor, ${stage.fresh.address}, does not answer`);
  });

  it("the successor's node was stopped", async () => {
    await onHost(stage.fresh, "systemctl stop go-node");
    expect(whats(await refuse())).toContain(`the successor's node, ${stage.fresh.address}, is not synced now`);
    await onHost(stage.fresh, "systemctl start go-node");
    const isOfStop = (line: string) => /^the successor('s node, .*, is not synced| misses most)/.test(line);
    // The stop's epoch is poor, and judged anew as each later epoch begins: a whole one after it must be paid.
    const ofStop = async () => {
      await stage.lab.chain("PATCH", "/truth", { rewardDelaySeconds: quick.rewardDelaySeconds });
      // No later epoch is paid, which the successor could miss because the machine is busy.
      await collectLastRewards(stage.lab, pillar);
      return whats(await refuse(kept())).filter(isOfStop);
    };
    await expect.poll(ofStop, { timeout: 300_000 }).toEqual([]);
  });
});

describe("an orchestrator on the host", () => {
  const unit = "/etc/systemd/system/orchestrator.service";

  it("has a text for each state: signing, stopped, fenced", async () => {
    await stage.lab.chain("PATCH", "/orchestrators/old", { syncPollMs: 500, stopMs: 100 });
    await setUpOrchestrator(stage.lab, stage.old);
    const of = async () => whats(await refuse()).filter((line) => !line.includes("rewards"));
    expect(await of()).toEqual([`an orchestrator runs on this host, ${stage.old.address}`]);
    expect(whats(await asked.shutDown(last))).toEqual([`an orchestrator runs on this host, ${stage.old.address}`]);
    await onHost(stage.old, "systemctl stop orchestrator");
    const open = `the orchestrator on this host, ${stage.old.address}, is not fenced: it would sign again after a start`;
    expect(await of()).toEqual([open, noAnswer]);
    await onHost(stage.old, `mv ${unit} ${unit}.moved; ln -s /dev/null ${unit}; systemctl daemon-reload`);
    expect(await of()).toEqual([open, noAnswer]);
    await onHost(stage.old, "mv /root/.orchestrator/producer /root/.orchestrator/producer.moved-to-x");
    expect(await of()).toEqual([noAnswer]);
  });

  it("keeps the host without a key share and a proved backup here", async () => {
    const away = "/root/localstate.away";
    await onHost(stage.old, `mkdir ${away}; mv /root/.orchestrator/tss/localstate-*.json ${away}`);
    const conditions = conditionsOf(await refuse());
    expect(conditions).toContain(
      `- this machine has no proved backup of the orchestrator that was fenced on ${stage.old.address}, and the final backup would be incomplete`,
    );
    expect(conditions).toContain("found: the orchestrator's directory there lacks its key share");
    await onHost(stage.old, `mv ${away}/* /root/.orchestrator/tss/`);
    expect(conditionsOf(await refuse()).join("\n")).not.toContain("no proved backup");
  });
});

describe("the operator's override", () => {
  /** Ticks of four seconds: a busy machine takes its time to look, and each look is to find the same. */
  const slow = { network: { momentum: 1000, tickMomentums: 4 } };

  it("offers a sentence for the last open condition", async () => {
    const found = async () => {
      await collectRewards(stage.lab, pillar);
      return whats(await refuse(slow));
    };
    await expect.poll(found, { interval: 2000 }).toEqual([noAnswer]);
  });

  it("accepts only the refusal's own sentence, records it, and uses it for both guards", async () => {
    const plain = await refuse(slow);
    expect(plain.error?.message).toMatch(/Only if a condition can never be met: .*The way around$/);
    const refused = await refuse(slow, { [overrideVariable]: "?" });
    const sentence = new RegExp(`${overrideVariable}='(.*)'`).exec(refused.error?.message ?? "")?.[1] ?? "";
    expect(sentence).toMatch(/^Anvil, stack \S+, host \S+: I accept to lose .*the orchestrator$/);
    const wrong = await refuse(slow, { [overrideVariable]: sentence.replace("Anvil", "Bolt") });
    expect(wrong.error?.message).toContain(`${overrideVariable} is set, but not to this sentence.`);
    expect(await onHost(stage.old, "systemctl is-active go-node")).toBe("active");
    const gone = await refuse(slow, { [overrideVariable]: sentence });
    expect(gone.error).toBeUndefined();
    const backup = movesIn(directoryOf(stage))
      .flatMap((each) => (each.event === "backup" ? [each.details] : []))
      .at(-1);
    expect(readFileSync(String(backup?.manifestFile), "utf8")).toMatch(
      /"root\/\.orchestrator\/producer\.moved-to-x"[\s\S]*"root\/\.orchestrator\/tss\/localstate-/,
    );
    expect(await onHost(stage.old, "systemctl is-active go-node || systemctl is-enabled go-node || true")).toBe(
      "inactive\nmasked",
    );
    // The other guard of the same destroy does not ask again.
    expect((await asked.remove({ ...first, ...slow } as Stored)).error).toBeUndefined();
    const journey = journeyIn(directoryOf(stage), "Anvil").filter(({ event }) =>
      ["override", "released"].includes(event),
    );
    expect(journey.map(({ event }) => event)).toEqual(["override", "released"]);
    expect(journey[0]?.details).toMatchObject({
      sentence,
      reasons: [noAnswer],
    });
  });
});
