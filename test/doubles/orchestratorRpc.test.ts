import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { defaultOrchestratorSettings, type OrchestratorSettings } from "../../lab/doubles/chain";
import { hasRpc, orchestratorBuild } from "../../lab/doubles/orchestrator/build";
import { RateLimit } from "../../lab/doubles/orchestrator/rateLimit";
import { createRpcServer } from "../../lab/doubles/orchestrator/rpcServer";

const servers: Server[] = [];

afterEach(() => {
  for (const server of servers.splice(0)) server.close().closeAllConnections();
});

const json = { "content-type": "application/json" };
const buildInfo = '{"method":"getBuildInfo","params":[]}';

async function serve(settings: Partial<OrchestratorSettings> = {}, version = "v0.0.9a") {
  const server = createRpcServer({
    settings: () => ({ ...defaultOrchestratorSettings, ...settings }),
    version: () => version,
    call: (method) => (method === "getBuildInfo" ? Promise.resolve({ version }) : undefined),
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return async (body: string | undefined, init: RequestInit = {}) => {
    const given = { method: "POST", headers: json, ...(body === undefined ? {} : { body }), ...init };
    const response = await fetch(`http://127.0.0.1:${port}`, given);
    return [response.status, await response.text()] as const;
  };
}

describe("the orchestrator's RPC", () => {
  it("answers with a result and an empty error", async () => {
    const call = await serve();
    expect(await call(buildInfo)).toEqual([200, '{"result":{"version":"v0.0.9a"},"error":""}\n']);
  });

  it.each([
    [404, "Method getNope not found", '{"method":"getNope","params":[]}', {}],
    [404, "Method  not found", '{"params":[]}', {}],
    [400, "Invalid request: EOF", '{"method":', {}],
    [400, "Invalid request: EOF", undefined, { method: "GET" }],
    [500, "this method does not accept parameters", '{"method":"getBuildInfo","params":[1]}', {}],
  ])("refuses with %i: %s", async (status, error, body, init) => {
    const call = await serve();
    expect(await call(body, init)).toEqual([status, `${JSON.stringify({ result: null, error })}\n`]);
  });

  it("takes any verb, path and type, and answers as plain text", async () => {
    const server = createRpcServer({
      settings: () => defaultOrchestratorSettings,
      version: () => "v0.0.9a",
      call: () => Promise.resolve({}),
    });
    servers.push(server);
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}/any/path`;
    const response = await fetch(address, {
      method: "PUT",
      headers: { "content-type": "text/plain" },
      body: buildInfo,
    });
    expect([response.status, response.headers.get("content-type")]).toEqual([200, "text/plain; charset=utf-8"]);
  });

  it("takes two requests a second, the refused ones not counted", async () => {
    const call = await serve();
    const statuses = [];
    for (let index = 0; index < 4; index++) statuses.push((await call(buildInfo))[0]);
    expect(statuses).toEqual([200, 200, 429, 429]);
    expect((await call(buildInfo))[1]).toContain("Too many requests per second. Maximum ");
  });

  it("answers what it is told", async () => {
    expect(await (await serve({ rpcError: "no tss" }))(buildInfo)).toEqual([500, '{"result":null,"error":"no tss"}\n']);
    const raw = { status: 200, body: "<html>" };
    expect(await (await serve({ rawAnswer: raw }))(buildInfo)).toEqual([200, "<html>\n"]);
    const call = await serve({ freeze: true });
    await expect(call(buildInfo, { signal: AbortSignal.timeout(50) })).rejects.toThrow(/timeout/);
  });
});

describe("a rate limit", () => {
  it("lets through as many in any second as it has", () => {
    const limit = new RateLimit(2);
    const times = [0, 100, 200, 600, 700, 5000, 5000, 5000];
    expect(times.map((time) => limit.allows(time))).toEqual([true, true, false, true, false, true, true, false]);
  });
});

describe("a build", () => {
  it("has a commit of its own, and an RPC from v0.0.8 on", () => {
    expect(orchestratorBuild("v0.0.9a").gitCommit).toMatch(/^[0-9a-f]{40}$/);
    expect(orchestratorBuild("v0.0.9a").gitCommit).not.toBe(orchestratorBuild("v0.0.9").gitCommit);
    expect(["v0.0.7", "v0.0.8", "v0.0.9a", "v0.1.0"].map(hasRpc)).toEqual([false, true, true, true]);
  });
});
