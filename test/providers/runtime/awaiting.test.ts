import { spawn } from "node:child_process";
import { once } from "node:events";
import { createRequire } from "node:module";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { afterAll, beforeAll, expect, test } from "vitest";

const root = join(__dirname, "../../..");
const sdk = createRequire(require.resolve("@pulumi/pulumi/package.json"));
const grpc = sdk("@grpc/grpc-js");
const { Struct } = sdk("google-protobuf/google/protobuf/struct_pb");
const messages = sdk("./proto/provider_pb");
const { ResourceProviderClient } = sdk("./proto/provider_grpc_pb");
const { Status } = sdk("./proto/status_pb");

const program = "providers/runtime/process/dynamic-provider.js";
const starter = spawn(process.execPath, [program, "127.0.0.1:1"], { cwd: root });
let client: InstanceType<typeof ResourceProviderClient>;

beforeAll(async () => {
  const [port] = await once(createInterface({ input: starter.stdout }), "line");
  client = new ResourceProviderClient(`127.0.0.1:${port}`, grpc.credentials.createInsecure());
});
afterAll(() => {
  client.close();
  starter.kill();
});

/** Returns the details that the engine gets with the error of a provider that throws this id. */
async function sentFor(method: "create" | "update", id: string | undefined): Promise<string[]> {
  const text = `exports.handler = () => ({
    ${method}: async () => { throw Object.assign(new Error("not yet"), { id: ${JSON.stringify(id)}, properties: {} }); } });`;
  const properties = Struct.fromJavaScript({ __provider: text });
  const request =
    method === "create"
      ? new messages.CreateRequest().setProperties(properties)
      : new messages.UpdateRequest().setId("its id").setOlds(properties).setNews(properties);
  const error = await new Promise<{ details: string; metadata: { get(key: string): Buffer[] } }>((resolve) =>
    client[method](request, resolve),
  );
  expect(error.details).toBe("not yet");
  const [status] = error.metadata.get("grpc-status-details-bin");
  const details: { getTypeUrl(): string }[] = status ? Status.deserializeBinary(status).getDetailsList() : [];
  return details.map((detail) => detail.getTypeUrl().replace(/.*[.]/, ""));
}

test.each(["create", "update"] as const)(
  "%s sends a provider's error as awaiting, as kept, or as failed",
  async (method) => {
    expect(await sentFor(method, "pillar-host:awaiting")).toEqual(["ErrorResourceAwaitFailed"]);
    expect(await sentFor(method, "sync-gate")).toEqual(["ErrorResourceInitFailed"]);
    expect(await sentFor(method, undefined)).toEqual([]);
  },
);
