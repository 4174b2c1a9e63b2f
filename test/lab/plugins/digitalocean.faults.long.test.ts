import { describe, expect, test } from "vitest";
import { READ_TOKEN } from "../../clouds/digitalocean/fixture";
import { contract } from "../contracts/contract";
import { changes, cloud, droplet, key, stack, usePlugin } from "./digitalocean";

contract("digitalocean plugin", ["pulumi-resource-digitalocean"], (kind) => {
  usePlugin(kind);
  const CREATE = { method: "POST", path: "/droplets" } as const;

  describe("a create that is refused leaves nothing, and says why in the API's words", () => {
    test.each([
      ["no capacity", "422 (request", "Size is not available in this region."],
      ["a read-only token", "403 (request", "You are not authorized to perform this operation"],
    ])("%s", async (what, status, message) => {
      if (what === "no capacity") await cloud.fault({ kind: "noCapacity", region: "fra1" });
      else stack.token = READ_TOKEN;
      const said = await stack.up({ host: droplet() });
      expect(said).toMatch(/error: 1 error occurred:\s+\* Error creating droplet: POST http\S+\/v2\/droplets: /);
      expect(said).toContain(status);
      expect(said).toContain(message);
      expect(await stack.kept("host")).toBeUndefined();
      expect(changes()).toEqual(["POST /v2/droplets"]);
    });
  });

  test("a limit that is over in time is waited for as told, and an error that stays is given up after five tries", async () => {
    await cloud.fault({ kind: "answer", ...CREATE, status: 429, retryAfter: 1, times: 2 });
    await cloud.fault({ kind: "answer", method: "POST", path: "/account/keys", status: 503 });
    const began = Date.now();
    const said = await stack.up({ host: droplet(), key });
    expect(Date.now() - began).toBeGreaterThan(2_000);
    expect(said).toContain("giving up after 5 attempt(s)");
    expect(changes().filter((change) => change === "POST /v2/droplets")).toHaveLength(3);
    expect(changes().filter((change) => change === "POST /v2/account/keys")).toHaveLength(5);
    expect((await stack.kept("host"))?.outputs.status).toBe("active");
  });

  test("a create whose answer was lost is made again: two Droplets, one of them in the state", async () => {
    await cloud.fault({ kind: "cutAnswer", ...CREATE, times: 1 });
    await stack.up({ host: droplet() });
    const ids = [...cloud.double.cloud.droplets.keys()];
    expect(ids).toHaveLength(2);
    expect((await stack.kept("host"))?.id).toBe(String(ids[1]));
  });
});
