import { expect, it } from "vitest";
import type { Slot } from "../../../lab/doubles/chain";
import { roundsVariable } from "../../../lab/explore/rounds";
import { keepEngineLogs } from "../../../lab/toolchain/engineLogs";
import { onHost, pastPackages, reconfigure, staged } from "../fixture";
import { type ServedRelease, serveNode } from "./release";

keepEngineLogs();

/** A network of 100 Pillars in a hurry: a tick of 15 s. */
const hurry = { momentumSeconds: 0.5, backgroundPillars: 99, height: 200_000 };
const releases: ServedRelease[] = [];
let reference: string;
const settings = () => ({ sync: { references: [reference], tolerance: 100 }, network: { momentum: "500ms" } });
const stage = staged(settings, async (lab, host) => {
  await pastPackages(lab, host);
  await lab.chain("PATCH", "/truth", hurry);
  reference = await lab.addReference("ref1");
  for (const version of ["v0.0.10", "v0.0.11"]) releases.push(await serveNode(lab, { version }));
});

/** By hand, 20: `npm run explore -- upgrades --rounds 20`. */
const upgrades = Number(process.env[roundsVariable] ?? 3);

it("nine of ten upgrades of a host that produces cost no momentum", { timeout: 3_000_000 }, async () => {
  expect((await stage.stack.up()).exitCode).toBe(0);
  const address = await onHost(stage.host, `sed -nE 's/.*"Address": "(z1q[^"]*)".*/\\1/p' /root/.znn/config.json`);
  await stage.lab.chain("PATCH", "/pillars/Anvil", { producerAddress: address });
  const slots = async () =>
    (await stage.lab.chain<Slot[]>("GET", "/production")).filter(({ producer }) => producer === address);
  const missed = async () => (await slots()).filter(({ nodes }) => nodes.length === 0).length;
  await expect.poll(async () => (await slots()).some(({ nodes }) => nodes.length > 0)).toBe(true);
  const costs: number[] = [];
  const seconds: number[] = [];
  for (let count = 0; count < upgrades; count++) {
    const before = await missed();
    await reconfigure(stage.stack, stage.host, { ...settings(), node: { release: releases[count % 2] } });
    const { exitCode, output } = await stage.stack.up();
    expect({ exitCode, output }).toMatchObject({ exitCode: 0 });
    costs.push((await missed()) - before);
    seconds.push(Number(/the node was down for ([\d.]+) s/.exec(output)?.[1]));
    console.log(`upgrade ${count + 1}: ${costs.at(-1)} missed, ${seconds.at(-1)} s without the node`);
  }
  seconds.sort((a, b) => a - b);
  console.log(
    `seconds without the node: ${seconds[0]} to ${seconds.at(-1)}, median ${seconds[Math.floor(upgrades / 2)]}`,
  );
  expect(costs.filter((cost) => cost > 0).length).toBeLessThanOrEqual(Math.ceil(upgrades / 10));
});
