import { expect, it } from "vitest";
import { collectLastRewards } from "../../../lab/operator/wallet.ts";
import { expectSuccess, onHost } from "../fixture.ts";
import { configureOld, elect, pillar, retirementStage } from "../retirement/stage.ts";
import { cli } from "./fixture.ts";
import { watching } from "./watcher.ts";

const stage = retirementStage();
const watch = watching(stage);

const status = (...args: string[]) => cli(stage.stack, ["status", "prod", ...args]);
/** Names, modes, sums and times of all on a host that is not the node's own work. */
const ownFiles =
  "find /etc /usr/local /root /var/lib/pillar-host -path /root/.znn -prune -o -type f -printf '%p %m %s %T@\\n' 2> /dev/null | sort | sha256sum";

it("shows an adopted host as registered and producing, with what blocks its destroy", async () => {
  const { stack, old, addresses } = stage;
  await expectSuccess(stack.up());
  const before = await onHost(old, ownFiles);
  const { exitCode, output } = await status();
  expect(await onHost(old, ownFiles)).toBe(before);
  expect(exitCode).toBe(0);
  expect(output).toMatch(/^stage +adopted, node synced$/m);
  expect(output).toMatch(new RegExp(`^address +registered: Anvil has this host's address, ${addresses.old}$`, "m"));
  expect(output).toMatch(/^producing +yes, since momentum \d+/m);
  expect(output).toMatch(/^orchestrator +none on this host$/m);
  expect(output).toMatch(/^rewards +.*paid last: epoch \d+/m);
  expect(output).toMatch(/^destroy +refused: \d conditions are not met$/m);
  expect(output).toMatch(/^ {14}- pillar-host:lifecycle is adopted$/m);
  expect(output).toMatch(/^ {14}- this host's producer address is the registered one, say /m);
  // It is not registered: only a run that saw its node synced shows it.
  expect(output).not.toContain(addresses.fresh);
});

it("lists all stacks of the backend, a line each, first those that need the operator", async () => {
  await stage.stack.pulumi(["stack", "init", "bare", "--no-select"]);
  const { exitCode, output } = await cli(stage.stack, ["status"]);
  expect(exitCode).toBe(2);
  const lines = output.split("\n");
  expect(lines[0]).toMatch(/^NEEDS {4}STACK {2}PILLAR {2}HOST +STAGE$/);
  expect(lines[1]).toBe("unseen   bare");
  expect(output).toContain("pillar-host:pillar");
  expect(lines).toContain(`nothing  prod   Anvil   ${stage.old.address}  adopted, node synced`);
  const json = await cli(stage.stack, ["status", "--all", "--json"]);
  expect(JSON.parse(json.output)).toMatchObject([
    { stack: "bare", needs: "unseen", looked: false },
    { stack: "prod", needs: "nothing", lifecycle: "adopted" },
  ]);
  await stage.stack.pulumi(["stack", "rm", "bare", "--yes"]);
  await expectSuccess(cli(stage.stack, ["status", "--all"]));
});

it("shows what the destroy of a host that is shut down waits for", async () => {
  const { stack, lab, addresses } = stage;
  await elect(stage, addresses.fresh);
  await configureOld(stage, { lifecycle: "retiring" });
  await expectSuccess(stack.up());
  const waits = await status();
  expect(waits.exitCode).toBe(1);
  expect(waits.output).toMatch(/^stage +shut down: its node is off and masked$/m);
  expect(waits.output).toMatch(/^sync +the node is off and masked$/m);
  expect(waits.output).toContain(`not registered: Anvil has another host's address, ${addresses.fresh}`);
  expect(waits.output).toMatch(/^destroy +refused: one condition is not met$/m);
  expect(waits.output).toMatch(/^ {14}- the rewards since the switch are not collected, says /m);

  await collectLastRewards(lab, pillar);
  const free = await expectSuccess(status());
  expect(free).toMatch(/^next +the host may be deleted now: pulumi destroy -s prod$/m);
  expect(free).toMatch(/^destroy +allowed: all conditions are met$/m);
});

it("notifies once of a retired node that could start again, and once when it is solved", async () => {
  const { old } = stage;
  await watch.begin();
  await watch.calm();
  const sign = "the node was shut down for good, but its unit is not masked any more";
  await onHost(old, "systemctl unmask -q go-node");
  await watch.toldSince(0, [sign]);
  await watch.calm();
  // The way back is the one that is printed.
  await expectSuccess(stage.stack.up());
  await watch.toldSince(0, [`Solved: ${sign}`]);
  await watch.calm();
  expect(await onHost(old, "systemctl is-enabled go-node || true")).toBe("masked");
  const events = (await watch.notices()).map(({ body }) => body.event);
  // The run sends its notifications itself.
  expect(events.filter((event) => event.startsWith("sign"))).toEqual(["sign", "signOver"]);
});
