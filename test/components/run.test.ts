import { expect, test } from "vitest";
import { refuseUnknownName } from "../../components/run.ts";
import type { LastRun } from "../../core/journey/outputs.ts";
import { fakeNode, synced, use } from "../core/chain/fakes.ts";
import { configOf } from "./exampleConfig.ts";

const first: LastRun = { finished: false };
const registration = { state: "earlier" as const, registered: false };

test("a run refuses a name that no Pillar has until a run saw the Pillar, and never for a node that is behind", async () => {
  const answers: Record<string, unknown> = { ...synced(2752), "embedded.pillar.getByName": null };
  const node = await use(fakeNode(answers));
  const sync = { references: [`http://127.0.0.1:${node.port}`] };
  const refuse = (last: LastRun, lifecycle = "active") =>
    refuseUnknownName(configOf({ sync, lifecycle, pillar: { name: "Anvill" } }), last);
  await expect(refuse(first)).rejects.toThrow(
    `no Pillar "Anvill" on the chain of reference ${sync.references[0]} (height 2752); nothing was changed
  found: no registered name is similar
  needed: use the name as the wallet shows it under Pillars; upper and lower case count
  pulumi config set --type string --path pillar-host:pillar.name NAME -s prod && pulumi up -s prod`,
  );
  await expect(refuse(first, "adopted")).rejects.toThrow("no Pillar");
  await expect(refuse({ finished: false, registration })).rejects.toThrow("no Pillar");
  const asked = node.asked.length;
  const known = { ...registration, address: "z1qo", pillar: "Anvill" };
  await refuse({ finished: true, registration: known });
  expect(node.asked.length).toBe(asked);
  await expect(refuse({ finished: true, registration: { ...known, pillar: "Anvil" } })).rejects.toThrow("no Pillar");
  const timestamp = Math.floor(Date.now() / 1000) - 3600;
  answers["ledger.getFrontierMomentum"] = { height: 9, timestamp, hash: "ab", producer: "z1q" };
  await refuse(first);
  expect(node.asked.length).toBeGreaterThan(asked);
});
