import { createServer } from "node:net";
import { expect, test } from "vitest";
import { HostPair } from "../../../../core/orchestrator/hosts/hostPair.ts";
import { exampleHost, exampleInputs } from "../exampleMove.ts";

/** Returns a port of this machine that nobody listens on. */
function closedPort(): Promise<number> {
  const server = createServer();
  return new Promise((resolve) =>
    server.listen(0, "127.0.0.1", () => {
      const { port } = server.address() as { port: number };
      server.close(() => resolve(port));
    }),
  );
}

test("a lost host that refuses its port is asked four times within half a minute, and let nobody in before", async () => {
  const { host } = exampleHost("127.0.0.1");
  const old = { ...exampleHost("127.0.0.1"), host: { ...host, ssh: { ...host.ssh, port: await closedPort() } } };
  const slept: number[] = [];
  const said: string[] = [];
  const ticks = () => slept.reduce((sum, each) => sum + each, 0);
  const sleep = async (milliseconds: number) => void slept.push(milliseconds);
  const deps = { now: () => 0, ticks, sleep, say: (line: string) => void said.push(line) };
  const pair = new HostPair(exampleInputs({ old, restoreFrom: "/b.tar.age" }), deps);
  const before = { new: undefined, old: { journal: undefined, active: false, masked: false } };
  expect(await pair.look(before)).toEqual({ old: undefined, new: undefined });
  expect(slept).toEqual([8000, 8000, 8000]);
  expect(said).toEqual([expect.stringMatching(/^the old host does not answer: .*ECONNREFUSED(?!.*accepted a login)/)]);
});
