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
const { EngineService } = sdk("./proto/engine_grpc_pb");
const { Empty } = sdk("google-protobuf/google/protobuf/empty_pb");
const { ResourceProviderClient } = sdk("./proto/provider_grpc_pb");
const { Status } = sdk("./proto/status_pb");

type Client = InstanceType<typeof ResourceProviderClient>;

/** Starts the process and sends it a stack's configuration as the engine does: each value as a text. */
async function startProcess(blocks: object = {}, engine = "127.0.0.1:1") {
  const starter = spawn(process.execPath, ["providers/runtime/process/dynamic-provider.cjs", engine], { cwd: root });
  const complaints = text(starter.stderr);
  const [port] = await once(createInterface({ input: starter.stdout }), "line");
  const client: Client = new ResourceProviderClient(`127.0.0.1:${port}`, grpc.credentials.createInsecure());
  const texts = Object.entries(blocks).map(([key, value]) => [`pillar-host:${key}`, JSON.stringify(value)]);
  const request = new messages.ConfigureRequest().setArgs(Struct.fromJavaScript(Object.fromEntries(texts)));
  await new Promise((resolve) => client.configure(request, resolve));
  const end = () => {
    client.close();
    starter.kill();
    return complaints;
  };
  return { client, end };
}

let shared: Awaited<ReturnType<typeof startProcess>>;
const scratch = scratchDirectory();

beforeAll(async () => {
  shared = await startProcess();
});
afterAll(() => shared.end());

type Refusal = { details: string; metadata: { get(key: string): Buffer[] } };

/** Calls a method as the engine does, and returns the error. */
function refusalOf(method: string, properties: object, { client } = shared): Promise<Refusal | null> {
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
async function detailsOf(method: string, properties: object, to = shared): Promise<string[]> {
  const refusal = await refusalOf(method, { stateVersion: 1, ...properties }, to);
  expect(refusal?.details).toMatch(/^(127\.0\.0\.1: )?(not yet|the node (is|has) not synced)/);
  const [status] = refusal?.metadata.get("grpc-status-details-bin") ?? [];
  const details: { getTypeUrl(): string }[] = status ? Status.deserializeBinary(status).getDetailsList() : [];
  return details.map((detail) => detail.getTypeUrl().replace(/.*[.]/, ""));
}

const createGateSettings = async (wait: string) => ({
  pillar: { name: "Anvil" },
  host: { provider: "existing", address: "127.0.0.1" },
  ssh: { password: "login-pw" },
  controller: { release: { url: "https://release.example/node-controller.zip" } },
  node: { rpc: "direct", rpcPort: await closedPort() },
  orchestrator: { backup: { directory: scratch() } },
  sync: { unverifiedChain: "acknowledged", wait, confirmations: 1, confirmSeconds: 0 },
});

test("sends its lines to the engine one by one, and the error last, before the engine gets the answer", async () => {
  const lines: string[] = [];
  const engine = new grpc.Server();
  type Line = { request: { getMessage(): string; getEphemeral(): boolean } };
  // Each line takes longer than the next: lines that do not wait for each other would change places.
  const log = ({ request }: Line, answer: (error: null, empty: object) => void) =>
    setTimeout(
      () => {
        // An ephemeral line is one beside a resource.
        if (!request.getEphemeral()) lines.push(request.getMessage());
        answer(null, new Empty());
      },
      30 / (lines.length + 1),
    );
  engine.addService({ log: EngineService.log }, { log });
  const port = await new Promise<number>((resolve) =>
    engine.bindAsync("127.0.0.1:0", grpc.ServerCredentials.createInsecure(), (_: unknown, at: number) => resolve(at)),
  );
  const to = await startProcess(await createGateSettings("check"), `127.0.0.1:${port}`);
  const hostKey = createKeyPair().publicKey;
  const gate = { __provider: "pillar-host:SyncGate", stack: "prod", address: "127.0.0.1", hostKey, stateVersion: 1 };
  const refusal = await refusalOf("create", gate, to);
  expect(lines.length).toBeGreaterThan(1);
  expect(lines[0]).toMatch(/^sync: /);
  expect(lines.at(-1)).toBe(refusal?.details);
  to.end();
  engine.forceShutdown();
});

test.each([
  ["await", "ErrorResourceAwaitFailed"],
  ["check", "ErrorResourceInitFailed"],
])("sends the error of a gate that may only %s as awaiting, or as kept", async (wait, detail) => {
  const hostKey = createKeyPair().publicKey;
  const to = await startProcess(await createGateSettings(wait));
  const gate = { __provider: "pillar-host:SyncGate", stack: "prod", address: "127.0.0.1", hostKey };
  for (const method of ["create", "update"]) expect(await detailsOf(method, gate, to)).toEqual([detail]);
  to.end();
});

test.each(["create", "update"])("%s sends another error as failed", async (method) => {
  const other = { __provider: "pillar-host:HostKey", stranger: "not yet", otherOrder: "not yet", seen: "" };
  expect(await detailsOf(method, other)).toEqual([]);
});

test("prints no stack trace of a refusal", async () => {
  expect(await shared.end()).not.toMatch(/\.js:\d/);
});
