import { afterEach, describe, expect, test } from "vitest";
import { linesOf } from "../fixture";
import { until } from "./cloudStack";
import { hetznerStage, TOKEN } from "./hetznerStage";

// The real engine and the plugin against the API on loopback, with its faults. More of them: hetznerFailures.long.test.ts.

const stage = hetznerStage();
const { servers, anew } = stage;

afterEach(() => stage.hetzner.cloud.faults.clear());

describe("without capacity for the chosen server", () => {
  test("the run fails and says what comes next; the next run does it", async () => {
    stage.hetzner.cloud.faults.add({ kind: "noCapacity", location: "fsn1", shows: "create" });
    const first = await stage.cloud.upToServer();
    expect(first.exitCode).not.toBe(0);
    expect(first.output).toContain("the next run tries cx33 in nbg1");
    expect(first.output).toContain("warning: Hetzner has no room for cx33 in fsn1 (");
    const pending = { plan: "cx33", location: "fsn1", reason: expect.stringContaining("(resource_unavailable") };
    expect(await stage.cloud.record()).toMatchObject({ attempts: [], pending });
    expect(servers()).toEqual([]);

    const second = await stage.cloud.upToServer();
    expect(second.exitCode, second.output).toBe(0);
    expect(second.output).toMatch(/sold out: cx33 in fsn1 at 20/);
    expect(servers().map(({ place }) => place)).toEqual(["nbg1"]);
    expect(await stage.cloud.record()).toMatchObject({ attempts: [], ordered: expect.any(String) });
    await anew();
  });
});

test("an engine killed while it orders leads to one server, taken over and protected by the next run", async () => {
  stage.hetzner.cloud.faults.add({ kind: "slowAction", command: "create_server" });
  await stage.cloud.killUpToServer(() => servers().length > 0);
  stage.hetzner.cloud.faults.clear();
  const before = servers().map(({ id }) => id);

  const second = await stage.cloud.upToServer();
  expect(second.exitCode, second.output).toBe(0);
  expect(second.output).toContain(`the creation of server ${before[0]} was interrupted: the server is kept`);
  // A plugin that outlived its engine may still change the server, which the provider then locks.
  await until(() => !stage.hetzner.cloud.actions.isBusy({ id: before[0] ?? 0, type: "server" }));
  const third = await stage.cloud.upToServer();
  expect(third.exitCode, third.output).toBe(0);
  expect(servers().map(({ id, protection }) => [id, protection])).toEqual([
    [before[0], { delete: true, rebuild: true }],
  ]);
  await anew();
});

test("adopts a server that somebody else created, and keeps it while no other host produces", async () => {
  const headers = { authorization: `Bearer ${TOKEN}` };
  const order = {
    name: "old-pillar",
    server_type: "cpx32",
    image: "debian-12",
    location: "hel1",
    labels: { mine: "yes" },
  };
  const response = await fetch(`${stage.cloud.url}/v1/servers`, {
    method: "POST",
    headers,
    body: JSON.stringify(order),
  });
  const { server } = (await response.json()) as { server: { id: number } };
  // Its actions advance only when somebody polls them.
  const shown = async () => (await fetch(`${stage.cloud.url}/v1/servers/${server.id}`, { headers })).json();
  await expect.poll(shown).toMatchObject({ server: { status: "running" } });
  for (const one of servers()) one.protection = { delete: true, rebuild: true };
  const facts = () => servers().map(({ id, name, labels, protection }) => ({ id, name, labels, protection }));
  const before = structuredClone(facts());
  const writes = () => stage.hetzner.requests.filter(({ method }) => method !== "GET").length;
  const asked = writes();

  await stage.cloud.configure({ lifecycle: "adopted" }, { importId: server.id });
  // The server alone: nobody is there who could be logged in to.
  const adopting = ["--target", "**::host", "--target", "**::adopted-server"];
  const up = await stage.cloud.stack.up(adopting);
  expect(up.exitCode, up.output).toBe(0);
  expect((await stage.cloud.stack.up(adopting)).output).toMatch(/\d+ unchanged/);
  expect([facts(), writes()]).toEqual([before, asked]);
  expect((await stage.cloud.stack.destroy()).output).toContain("because it is protected");

  await stage.cloud.configure({ lifecycle: "retiring" }, { importId: server.id });
  const refused = await stage.cloud.stack.up();
  expect(refused.exitCode).not.toBe(0);
  expect(linesOf(refused.output)).toContain("- no successor of this host is configured\n");
  expect((await stage.cloud.stack.destroy()).output).toContain("because it is protected");
  expect([facts(), writes()]).toEqual([before, asked]);
});
