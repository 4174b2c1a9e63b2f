import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { LogEvent } from "../../../core/eventLog/events.ts";
import { overrideVariable } from "../../../core/retirement/refusalText.ts";
import type { ChainTruth } from "../../../lab/doubles/chain/index.ts";
import { ensurePackagedImage } from "../../../lab/images/packagedImage.ts";
import type { Lab } from "../../../lab/lab.ts";
import { awaitProduction, updateProducer } from "../../../lab/operator/wallet.ts";
import { journeyIn } from "../../recordIn.ts";
import { expectFailure, expectSuccess, linesOf, missedByNodes, pastPackages, testLab } from "../fixture.ts";
import { orderOldServer } from "../journey/oldServer.ts";
import { hurry, makeStacks, pillar, type Stacks } from "../journey/stacks.ts";

// A silent host may be deleted only here, because its provider can switch it off.

/** The demo's chain makes the wait for a switch short. */
const quick = { ...hurry, tickMomentums: 5 };

describe("a provider's old server that died after orchestrator and Pillar had moved", () => {
  let lab: Lab;
  let stacks: Stacks;
  let address: string;
  const journey = () => journeyIn(join(lab.dir, "backups"), pillar).filter(({ stack }) => stack === "prod");
  const detailsOf = (event: LogEvent["event"]) => journey().findLast((entry) => entry.event === event)?.details;
  const servers = () => lab.cloud<{ status: string }[]>("hetzner", "GET", "/_lab/servers");
  const requests = async () => {
    const all = await lab.cloud<{ method: string; path: string; status: number }[]>("hetzner", "GET", "/_lab/requests");
    return all
      .filter(({ method, status }) => method !== "GET" && status < 400)
      .map((one) => `${one.method} ${one.path}`);
  };
  const destroy = async (env: Record<string, string> = {}) => {
    const { exitCode, output } = await stacks.old.destroy(["--skip-preview"], env);
    return { exitCode, output: linesOf(output) };
  };
  const run = async (stack: Stacks["old"]) => {
    await expectSuccess(stack.up());
  };

  beforeAll(async () => {
    lab = await testLab();
    await lab.chain("PATCH", "/truth", {
      ...quick,
      defaults: { behind: 0, rate: 1e6, startRefusedMs: 0 },
    });
    const server = await orderOldServer(lab);
    address = server.address;
    await lab.chain("PATCH", `/pillars/${pillar}`, { producerAddress: server.producer.address });
    const host = await lab.addHost("host1", ensurePackagedImage);
    await pastPackages(lab, host);
    stacks = await makeStacks(lab, server, host, quick);
    await run(stacks.old);
    // The node, then the orchestrator.
    await run(stacks.fresh);
    await run(stacks.fresh);
    const { producerAddress } = await stacks.fresh.outputs<{ producerAddress: string }>();
    await updateProducer(lab, pillar, producerAddress);
    await awaitProduction(lab, producerAddress);
    await run(stacks.fresh);
    const [machine] = await lab.machineRoom.servers();
    if (machine) lab.recorder?.see([machine]);
    // The server refuses all logins; its node and its kernel keep running.
    await machine?.run("systemctl mask --now ssh; pkill -KILL sshd");
    await stacks.configureRetirement();
  }, 900_000);
  afterAll(() => lab?.down());

  it("is retired, and the run says that it could not stop its node", async () => {
    await run(stacks.old);
    const { nextStep } = await stacks.old.outputs<{ nextStep: string[] }>();
    expect(nextStep[0]).toBe("The node of this host could not be stopped: it does not answer.");
    expect(await servers()).toMatchObject([{ status: "running" }]);
  });

  const lost = "no node can tell whether the rewards since the switch were paid and collected";
  const sentence = () => `${pillar}, stack prod, host ${address}: I accept to lose rewards`;

  it("is kept while no node can tell whether the rewards were collected", async () => {
    await lab.chain("PATCH", "/nodes/host1", { noRewards: true });
    const before = await requests();
    const output = await expectFailure(destroy());
    expect(output).toContain(`One condition is not met:\n- ${lost}`);
    expect(output).toContain("if no node can tell even then, see in the wallet that none is left to collect");
    expect(output).toContain(`${overrideVariable}='${sentence()}' pulumi destroy -s prod`);
    expect(await requests()).toEqual(before);
  });

  it("is powered off through the provider, then deleted, once the operator accepts to lose them", async () => {
    const before = (await requests()).length;
    const output = await expectSuccess(destroy({ [overrideVariable]: sentence() }));
    expect(output).toContain(`retirement: ${address} does not answer; switching it off at hetzner`);
    expect(await servers()).toEqual([]);
    expect(await lab.machineRoom.servers()).toEqual([]);
    const made = (await requests()).slice(before).map((line) => line.replace(/\d+/g, "N"));
    const [off, gone] = [/POST .*poweroff/, /DELETE .*servers/].map((one) => made.findIndex((line) => one.test(line)));
    expect([off, gone].every((place) => (place ?? -1) >= 0) && (off ?? 0) < (gone ?? 0), made.join()).toBe(true);
    expect(detailsOf("rewards")).toBeUndefined();
    expect(detailsOf("override")).toEqual({ sentence: sentence(), reasons: [lost] });
    expect(detailsOf("released")).toMatchObject({
      evidence: expect.arrayContaining([
        `typed by the operator: ${sentence()}`,
        expect.stringMatching(`^${address} does not answer .*: hetzner will switch it off`),
      ]),
    });
  });

  it("cost no momentum, and there were never two producers", async () => {
    const truth = await lab.chain<ChainTruth>("GET", "/truth");
    expect(missedByNodes(truth).filter((slot) => slot.pillar === pillar)).toEqual([]);
    expect(truth.doubleProduced).toEqual([]);
  });
});
