import { expect, test } from "vitest";
import { expectFailure, expectSuccess } from "../fixture";
import { adoptForeign, cloudStage, until } from "./cloudStack";

// The real engine and the plugin against the API on loopback, with its faults. More of them: hetznerFailures.long.test.ts.

const stage = cloudStage("hetzner", ["fsn1", "nbg1"]);

test("without capacity for the chosen server, the run says what comes next; the next run does it", async () => {
  stage.cloud.account.faults.add({ kind: "noCapacity", location: "fsn1", shows: "create" });
  const first = await expectFailure(stage.upToServer());
  expect(first).toContain("the next run tries cx33 in nbg1");
  expect(first).toContain("warning: Hetzner has no room for cx33 in fsn1 (");
  const pending = { plan: "cx33", location: "fsn1", reason: expect.stringContaining("(resource_unavailable") };
  expect(await stage.record()).toMatchObject({ attempts: [], pending });
  expect(stage.servers()).toEqual([]);

  const second = await expectSuccess(stage.upToServer());
  expect(second).toMatch(/sold out: cx33 in fsn1 at 20/);
  expect(stage.servers()).toMatchObject([{ location: "nbg1" }]);
  expect(await stage.record()).toMatchObject({ attempts: [], ordered: expect.any(String) });
  await stage.anew();
});

test("an engine killed while it orders leads to one server, taken over and protected by the next run", async () => {
  stage.cloud.account.faults.add({ kind: "slowAction", command: "create_server" });
  await stage.killUpToServer(() => stage.servers().length > 0);
  stage.cloud.account.faults.clear();
  const [{ id } = { id: 0 }] = stage.servers();

  const second = await expectSuccess(stage.upToServer());
  expect(second).toContain(`the creation of server ${id} was interrupted: the server is kept`);
  // A plugin that outlived its engine may still change the server, which the provider then locks.
  await until(() => stage.servers().every((server) => !stage.cloud.account.isBusy(server)));
  await expectSuccess(stage.upToServer());
  expect(stage.servers()).toMatchObject([{ id, isProtected: true }]);
  await stage.anew();
});

test("adopts a server that somebody else created, and keeps it while no other host produces", () =>
  adoptForeign(stage, "/servers", {
    name: "old-pillar",
    server_type: "cpx32",
    image: "debian-12",
    location: "hel1",
    labels: { mine: "yes" },
  }));
