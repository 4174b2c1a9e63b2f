import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createKeyPair } from "../../../providers/hostKey.ts";
import { closedPort } from "../../core/chain/fakes.ts";
import { scratchDirectory } from "../../scratchDirectory.ts";

const root = join(import.meta.dirname, "../../..");
const sdk = createRequire(createRequire(import.meta.url).resolve("@pulumi/pulumi/package.json"));
const grpc = sdk("@grpc/grpc-js");
const { Struct } = sdk("google-protobuf/google/protobuf/struct_pb");
const messages = sdk("./proto/provider_pb");
const { ResourceProviderClient } = sdk("./proto/provider_grpc_pb");
const { Status } = sdk("./proto/status_pb");

const program = "providers/runtime/process/dynamic-provider.cjs";
const starter = spawn(process.execPath, [program, "127.0.0.1:1"], { cwd: root });
const complaints = text(starter.stderr);
let client: InstanceType<typeof ResourceProviderClient>;
const scratch = scratchDirectory();

beforeAll(async () => {
  const [port] = await once(createInterface({ input: starter.stdout }), "line");
  client = new ResourceProviderClient(`127.0.0.1:${port}`, grpc.credentials.createInsecure());
});
afterAll(() => {
  client.close();
  starter.kill();
});

type Refusal = { details: string; metadata: { get(key: string): Buffer[] } };

/** Calls a method as the engine does, and returns the error. */
function refusalOf(method: string, properties: object): Promise<Refusal | null> {
  const sent = Struct.fromJavaScript(properties);
  const requests: Record<string, () => object> = {
    check: () => new messages.CheckRequest().setOlds(sent).setNews(sent),
    diff: () => new messages.DiffRequest().setId("id").setOlds(sent).setNews(sent),
    create: () => new messages.CreateRequest().setProperties(sent),
    read: () => new messages.ReadRequest().setId("id").setProperties(sent),
    update: () => new messages.UpdateRequest().setId("id").setOlds(sent).setNews(sent),
    delete: () => new messages.DeleteRequest().setId("id").setProperties(sent),
  };
  return new Promise((resolve) => client[method](requests[method]?.(), resolve));
}

test.each(["check", "diff", "create", "read", "update", "delete"])(
  "%s runs the code of a name alone, and no text of the state",
  async (method) => {
    const marker = join(scratch(), "marker");
    const code = `require("node:fs").writeFileSync(${JSON.stringify(marker)}, ""); exports.handler = () => ({});`;
    const file = "pillar-host:../providers/hostKey";
    // The SDK keeps providers in a plain object, which has the last two keys of its own.
    for (const __provider of [code, file, "HostKey", "", 1, null, [code], undefined, "toString", "__proto__"]) {
      const refusal = await refusalOf(method, { ...(__provider !== undefined && { __provider }), stateVersion: 1 });
      expect(refusal?.details).toMatch(
        /^the state has code of another version of this program, or of somebody else: it is not run\n {2}found: .*\n {2}needed: finish the stack with the checkout that made it\. .*\(SECURITY\.md, Limits\)\n {2}To read the state, which runs nothing: pulumi stack export$/,
      );
      expect(existsSync(marker)).toBe(false);
    }
    expect(await refusalOf(method, { __provider: "pillar-host:HostKey", stateVersion: 1 })).toBeNull();
  },
);

/** Returns the details that the engine gets with an error. */
async function detailsOf(method: string, properties: object): Promise<string[]> {
  const refusal = await refusalOf(method, { stateVersion: 1, ...properties });
  expect(refusal?.details).toMatch(/^(127\.0\.0\.1: )?(not yet|the node (is|has) not synced)/);
  const [status] = refusal?.metadata.get("grpc-status-details-bin") ?? [];
  const details: { getTypeUrl(): string }[] = status ? Status.deserializeBinary(status).getDetailsList() : [];
  return details.map((detail) => detail.getTypeUrl().replace(/.*[.]/, ""));
}

test.each(["create", "update"] as const)(
  "%s sends a provider's error as awaiting, as kept, or as failed",
  async (method) => {
    const port = await closedPort();
    const ssh = { address: "127.0.0.1", port, user: "root", hostKey: createKeyPair().publicKey };
    const gate = {
      __provider: "pillar-host:SyncGate",
      target: { ssh, via: "direct", address: "127.0.0.1", port },
      ...{ confirmations: 1, confirmSpan: 0, tolerance: 20, deadline: 0, stallAfter: 900_000, stack: "prod" },
      ...{ service: "go-node", references: [], isChainUnverified: true, title: "Pillar Anvil (prod)", factsScript: "" },
      record: { directory: scratch(), stack: "prod", pillar: "Anvil" },
    };
    expect(await detailsOf(method, { ...gate, wait: "await" })).toEqual(["ErrorResourceAwaitFailed"]);
    expect(await detailsOf(method, { ...gate, wait: "block" })).toEqual(["ErrorResourceInitFailed"]);
    const other = { __provider: "pillar-host:HostKey", stranger: "not yet", otherOrder: "not yet", seen: "" };
    expect(await detailsOf(method, other)).toEqual([]);
  },
);

test("prints no stack trace of a refusal", async () => {
  starter.kill();
  expect(await complaints).not.toMatch(/\.js:\d/);
});
