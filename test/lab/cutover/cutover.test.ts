import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import type { LogEvent } from "../../../core/eventLog/events.ts";
import type { RegisteredPillar, Slot } from "../../../lab/doubles/chain/index.ts";
import { awaitProduction, updateProducer } from "../../../lab/operator/wallet.ts";
import { expectSuccess, onHost, reconfigure } from "../fixture.ts";
import { catchUp, gateStage, watchUp } from "../gate/watch.ts";

interface Outputs {
  readonly registration: Record<string, unknown>;
  readonly producerAddress?: string;
  readonly nextStep: readonly string[];
}

let reference: string;
let earlier: string;
let ours: string;
// A tick of 20 s: elections take 40 to 60.
const network = { tickMomentums: 100 };
const own = { ...network, momentum: "200ms" };
const sync = (wait: "block" | "check") => ({ wait, references: [reference], tolerance: 100 });

const stage = gateStage(
  () => ({ sync: sync("check"), network: own }),
  async (lab) => {
    reference = await lab.addReference("ref1");
    await lab.chain("PATCH", "/truth", network);
    earlier = (await lab.chain<RegisteredPillar>("PATCH", "/pillars/Anvil", {})).producerAddress;
  },
);

const journey = async (): Promise<LogEvent[]> => {
  const file = join(stage.stack.records("Anvil"), "record.jsonl");
  return (await readFile(file, "utf8"))
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as LogEvent);
};
/** Events of the registration, and of the sync between them. */
const watched = ["registered", "registeredTooEarly", "registeredElsewhere", "synced", "producing"];
const events = async () => (await journey()).map(({ event }) => event).filter((event) => watched.includes(event));
const setAgain = "(crontab -l; echo '0 * * * * /usr/bin/sudo /usr/sbin/service go-node restart') | crontab -";
const active = () => onHost(stage.host, "crontab -l | grep -c '^0 \\* \\* \\* \\*' || true");

it("warns of an update that came too early, with the way back, and records it", async () => {
  // The first wait finds the earlier registered address; the wallet's update comes between the two.
  const { output: first } = await stage.stack.up();
  expect(first).toContain("is not synced yet (pillar-host:sync.wait is check)");
  ours = await onHost(stage.host, `sed -nE 's/.*"Address": "(z1q[^"]*)".*/\\1/p' /root/.znn/config.json`);
  await updateProducer(stage.lab, "Anvil", ours);
  await reconfigure(stage.stack, stage.host, { sync: sync("block"), network: own });
  const up = await watchUp(stage.stack);
  await up.hears(/^sync: REGISTERED TOO EARLY/);
  await up.hears(new RegExp(`^sync: The way back.*, producer address: ${earlier}$`));
  await up.hears(/^sync: the wait for the sync continues$/);
  const last = async () => {
    const { event, details } = (await journey()).at(-1) as LogEvent;
    return { event, details };
  };
  const tooEarly = { event: "registeredTooEarly", details: { producerAddress: ours, earlier } };
  await expect.poll(last).toEqual(tooEarly);

  // The operator takes the way back, at once: no election has seen the new address.
  await stage.lab.chain("PATCH", "/pillars/Anvil", { producerAddress: earlier });
  await catchUp(stage.lab);
  await expectSuccess(up.run.end());
  const { registration, producerAddress, nextStep } = await stage.stack.outputs<Outputs>();
  expect(registration).toMatchObject({ state: "earlier", registered: false, producing: false, address: earlier });
  expect(producerAddress).toBe(ours);
  expect(nextStep).toContain(`  3. Producer address field: ${ours}`);
  expect(await events()).toEqual(["registered", "registeredTooEarly", "synced", "registeredElsewhere"]);
});

it("finds the switch after the wallet's update, and turns off an hourly restart that is on again", async () => {
  await onHost(stage.host, setAgain);
  expect(await active()).toBe("1");
  await updateProducer(stage.lab, "Anvil", ours);
  const early = await stage.stack.up();
  expect(early.output).toContain(
    "hourly restart: found on again in root's crontab of 10.77.0.11, after the node had synced",
  );
  expect(early.output).toContain(
    "hourly restart: off, in root's crontab; no other crontab or timer was found that restarts the node",
  );
  expect(await active()).toBe("0");
  await awaitProduction(stage.lab, ours);
  await expectSuccess(stage.stack.up());

  const slots = await stage.lab.chain<Slot[]>("GET", "/production");
  const first = slots.find(({ producer, nodes }) => producer === ours && nodes.length > 0);
  const { registration, producerAddress, nextStep } = await stage.stack.outputs<Outputs>();
  expect(registration).toMatchObject({
    state: "producing",
    registered: true,
    producing: true,
    address: ours,
    earlier,
    height: first?.height,
  });
  expect(producerAddress).toBe(ours);
  expect(nextStep).toContain("  ./pillar-host retire OLD --successor prod");
  expect((await events()).slice(4)).toEqual(["registered", "producing"]);
});

it("changes nothing after that, and warns again of an hourly restart that is set again", async () => {
  const { output } = await stage.stack.up();
  expect(output).toMatch(/Resources:\s+\d+ unchanged\n/);
  await onHost(stage.host, setAgain);
  const again = await stage.stack.up();
  expect(again.output).toContain("hourly restart: found on again");
  expect(again.output).toMatch(/Resources:\s+~ 1 updated\s+(1 change\. )?\d+ unchanged\n/);
  expect(await active()).toBe("0");
  expect((await stage.stack.up()).output).toMatch(/Resources:\s+\d+ unchanged\n/);
  expect((await events()).slice(4)).toEqual(["registered", "producing"]);
});
