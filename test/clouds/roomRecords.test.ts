import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { MachineRecords } from "../../lab/clouds/room/records";
import { nspawnArguments } from "../../lab/hosts/machine";
import { firstServer } from "../../lab/hosts/network";

let dir: string;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), "pillar-host-room-"));
});
afterEach(() => rm(dir, { recursive: true }));

test("gives concurrent processes different numbers, and reuses a released number", async () => {
  const rooms = [new MachineRecords(dir), new MachineRecords(dir)];
  const claims = ["a", "b", "c", "d"].map((id, at) => rooms[at % 2]?.claim({ id, name: id }));
  const numbers = (await Promise.all(claims)).map((record) => record?.n ?? 0);
  expect(numbers.toSorted()).toEqual([firstServer, firstServer + 1, firstServer + 2, firstServer + 3]);
  await rooms[0]?.release(firstServer + 1);
  expect((await rooms[1]?.claim({ id: "e", name: "e" }))?.n).toBe(firstServer + 1);
});

test("finds a record by its id, and ignores an interrupted claim", async () => {
  const records = new MachineRecords(dir);
  const record = await records.claim({ id: "h1", name: "prod" });
  await records.save({ ...record, process: { pid: 7, startTime: "99" } });
  await records.claim({ id: "h2", name: "prod-2" });
  await writeFile(join(records.directory(firstServer + 1), "machine.json.new"), "{");
  await rm(join(records.directory(firstServer + 1), "machine.json"));
  expect(await records.all()).toEqual([
    { id: "h1", name: "prod", n: firstServer, process: { pid: 7, startTime: "99" } },
  ]);
  expect(await records.find("h2")).toBeUndefined();
  await expect(records.claim({ id: "h1", name: "again" })).rejects.toThrow("there is a machine h1 already");
});

test("a server's root has no rights over its firewall's network namespace", () => {
  const options = { machine: "m", hostname: "h", root: "/r", namespace: "n", log: "/l", binds: [] };
  const capability = "--capability=CAP_NET_ADMIN";
  expect(nspawnArguments({ ...options, ownsNetwork: false })).not.toContain(capability);
  expect(nspawnArguments(options)).toContain(capability);
});
