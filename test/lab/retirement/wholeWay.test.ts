import { join } from "node:path";
import { expect, it } from "vitest";
import type { ChainTruth } from "../../../lab/doubles/chain";
import { collectRewards } from "../../../lab/wallet";
import { readJourney } from "../../../providers/journey";
import { onHost } from "../fixture";
import { configureOld, elect, epochPaid, pillar, retirementStage } from "./stage";

const stage = retirementStage();

/** Names, modes and sums of all that is not the node's own work. */
const ownFiles =
  "find /etc /usr/local /root /var/lib/pillar-host -path /root/.znn -prune -o -type f -printf '%p %m %s %T@\\n' 2> /dev/null | sort | sha256sum";

it("adopts a producing host without a change to it, and refuses to retire it", async () => {
  const { stack, old } = stage;
  const before = await onHost(old, ownFiles);
  const { exitCode, output } = await stack.up();
  expect(exitCode, output).toBe(0);
  console.log(output);
  expect(await onHost(old, ownFiles)).toBe(before);
  await configureOld(stage, { lifecycle: "retiring" });
  const refused = await stack.up();
  console.log(refused.output);
  expect(refused.exitCode).not.toBe(0);
});

it("retires it once the successor produces", async () => {
  await elect(stage, stage.addresses.fresh);
  const { exitCode, output } = await stage.stack.up();
  console.log(output);
  expect(exitCode, output).toBe(0);
  expect(await onHost(stage.old, "systemctl is-active go-node || true")).toBe("inactive");
});

it("refuses the destroy until the rewards are collected", async () => {
  const first = await stage.stack.destroy();
  console.log(first.output);
  expect(first.exitCode).not.toBe(0);
  await epochPaid();
  const second = await stage.stack.destroy();
  console.log(second.output);
  const truth = await stage.lab.chain<ChainTruth>("GET", "/truth");
  const withdraw = truth.pillars.find(({ name }) => name === pillar)?.withdrawAddress ?? "";
  await collectRewards(stage.lab, withdraw);
  const third = await stage.stack.destroy();
  console.log(third.output);
  expect(third.exitCode, third.output).toBe(0);
  console.log(readJourney(join(stage.stack.programDirectory, "backups", pillar)));
  const end = await stage.lab.chain<ChainTruth>("GET", "/truth");
  expect(end.doubleProduced).toEqual([]);
  expect(end.missed).toEqual([]);
});
