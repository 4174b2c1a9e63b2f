import * as pulumi from "@pulumi/pulumi";
import { expect, onTestFinished, test, vi } from "vitest";
import type { CloudRun } from "../../../components/host/cloudParts.ts";
import { handleOrderError, stripProviderError } from "../../../components/host/cloudServer.ts";
import type { MakeDecision } from "../../../core/cloud/decideServer.ts";
import { createHetzner } from "../../../core/cloud/hetzner.ts";
import type { OrderRecord } from "../../../core/cloud/orderRecord.ts";

const token = "hunter2";
const pending = { plan: "cx33", location: "fsn1", at: "2026-11-21T14:00:00.000Z" };
const shown = { wish: "hetzner, auto", monthly: 10.7, currency: "EUR" };

/** Returns the recorded orders and the warnings after an operation failed with this error. */
async function failed(error: string, record: OrderRecord, failedOperation = "create") {
  const warn = vi.spyOn(pulumi.log, "warn").mockResolvedValue();
  onTestFinished(() => warn.mockRestore());
  const kept = [record];
  const run = {
    config: { stack: "prod", host: { token } },
    cloud: createHetzner({ token }),
    plan: { offer: { plan: "cx33", location: "fsn1" } },
    orders: { read: async () => record, write: async (next: OrderRecord) => void kept.push(next) },
  } as unknown as CloudRun<MakeDecision>;
  const args = { urn: "urn", id: "", name: "server", type: "t", failedOperation, errors: [error, "older"] };
  const isRepeated = await handleOrderError(run)(args);
  return { isRepeated, record: kept.at(-1), warnings: warn.mock.calls.map(([text]) => text) };
}

test("keeps the provider's error with the order, without the token, and says what the next run does", async () => {
  const noRoom = "Hetzner has no room for cx33 in fsn1";
  const reason = "error during placement for [token] (resource_unavailable, 1d)";
  const error = "1 error occurred:\n\t* error during placement for hunter2 (resource_unavailable, 1d)\n";
  expect(await failed(error, { attempts: [], pending, shown })).toEqual({
    isRepeated: false,
    record: { attempts: [], pending: { ...pending, reason }, shown },
    warnings: [`${noRoom} (${reason})\n  pulumi up -s prod tries the next server: the preview names it`],
  });
});

test("prints any other error as it came; does not log an order that was not logged", async () => {
  const { record, warnings } = await failed("insufficient permissions (forbidden)", { attempts: [], shown });
  expect(record).toEqual({ attempts: [], shown });
  expect(warnings).toEqual([
    "the order of cx33 in fsn1 at Hetzner failed (insufficient permissions (forbidden))\n" +
      "  Once its cause is gone: pulumi up -s prod. It orders cx33 in fsn1 again, and no other type. If the failed order left a server, the run uses or removes it",
  ]);
});

test("says that the account's limit is reached, and where to raise it; the order stays as it is", async () => {
  const reason = "server limit exceeded (resource_limit_exceeded, 1d)";
  const { record, warnings } = await failed(reason, { attempts: [], pending, shown });
  expect(record).toEqual({ attempts: [], pending: { ...pending, reason }, shown });
  expect(warnings).toEqual([
    `the account's limit at Hetzner is reached: no server was ordered (${reason})\n` +
      "  Delete what you no longer need there, or ask for a higher limit: https://console.hetzner.cloud/limits\n" +
      "  Then: pulumi up -s prod. It orders cx33 in fsn1 again",
  ]);
});

test.each([
  "context deadline exceeded",
  "Error waiting for droplet (52000003) to become ready: timeout while waiting for state to become 'active' (timeout: 15m0s)",
])("says that an order which took too long may have made a server: %s", async (reason) => {
  const { record, warnings } = await failed(`1 error occurred:\n\t* ${reason}\n`, { attempts: [], pending, shown });
  expect(record).toEqual({ attempts: [], pending: { ...pending, reason }, shown });
  expect(warnings).toEqual([
    `Hetzner did not finish cx33 in fsn1 in time (${reason})\n` +
      "  In some minutes: pulumi up -s prod\n" +
      "  It goes on with the server that was made; if there is none, it orders cx33 in fsn1 again\n" +
      "  To wait longer: pulumi config set --path pillar-host:host.startTimeout 30m -s prod",
  ]);
});

test("does not count a failed deletion as an order", async () => {
  const record = { attempts: [], pending, shown };
  expect(await failed("server is protected", record, "delete")).toEqual({ isRepeated: false, record, warnings: [] });
});

test("reduces a plugin's error to one line, without its frame and the token", () => {
  const error =
    "rpc error: code = Unknown desc = 1 error occurred:\n\t* creating urn:pulumi:prod::pillar-host::hcloud:index/server:Server::server: 1 error occurred:\n\t* error for hunter2 (forbidden, 2b)\n\n";
  expect(stripProviderError(error, token)).toBe("error for [token] (forbidden, 2b)");
  const bridged =
    "sdk-v2/provider2.go:572: sdk.helper_schema: server limit exceeded (resource_limit_exceeded, 1d): provider=hcloud@1.41.0";
  expect(stripProviderError(bridged, token)).toBe("server limit exceeded (resource_limit_exceeded, 1d)");
  expect(stripProviderError("x".repeat(1000), token).length).toBe(400);
});
