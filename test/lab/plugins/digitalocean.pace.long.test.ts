import { expect, test } from "vitest";
import { contract } from "../contracts/contract";
import { droplet, stack, usePlugin } from "./digitalocean";

contract("digitalocean plugin", ["pulumi-resource-digitalocean"], (kind) => {
  usePlugin(kind, { pace: 1 });

  test("left alone it is as slow as the official plugin: 10 s for a create, 20 s for a delete", async () => {
    const timed = async (work: () => Promise<string>): Promise<number> => {
      const began = Date.now();
      await work();
      return (Date.now() - began) / 1000;
    };
    expect(await timed(() => stack.up({ host: droplet() }))).toBeGreaterThan(10);
    expect(await timed(() => stack.pulumi("destroy", "--yes", "--skip-preview"))).toBeGreaterThan(20);
  }, 240_000);
});
