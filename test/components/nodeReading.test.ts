import { afterAll, beforeEach, expect, test, vi } from "vitest";
import { createHostReader } from "../../components/node/nodeReading.ts";
import { type NodeStatus, readNodeStatus } from "../../core/sync/nodeStatus.ts";
import { soon } from "../soon.ts";
import { configOf } from "./exampleConfig.ts";

vi.mock("../../core/sync/nodeStatus.ts", async (original) => ({
  ...(await original<typeof import("../../core/sync/nodeStatus.ts")>()),
  readNodeStatus: vi.fn(async () => ({ synced: true, known: true, why: "synced" })),
}));
const drop = vi.hoisted(() => {
  // Files share a process: a module that another file has loaded would keep the real node.
  vi.resetModules();
  return vi.fn();
});
// Later files would get the modules with this file's node.
afterAll(() => void vi.resetModules());
vi.mock("../../core/ssh/connection.ts", () => ({
  createConnection: () => ({ session: () => Promise.reject(new Error("no host here")), drop }),
}));

const hostKey = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIOMqqnkVzrm0SdG6UOoqKLsabgH5C9okWi0dh2l9GKJl";
const withKey = configOf({ host: { provider: "existing", address: "203.0.113.7", hostKey } });
const last = { finished: true, address: "203.0.113.7", hostKey };
const looks = () => vi.mocked(readNodeStatus).mock.calls.map(([target]) => target.ssh?.address);
beforeEach(() => void vi.mocked(readNodeStatus).mockClear());

test("begins at once if the last run completed, and serves all callers", async () => {
  const look = createHostReader(withKey, last);
  await soon(() => expect(looks()).toEqual(["203.0.113.7"]));
  await Promise.all([look("203.0.113.7", hostKey), look("203.0.113.7", hostKey)]);
  expect(looks()).toEqual(["203.0.113.7"]);
});

test.each([
  ["the last run failed: the node may come up in this one", withKey, { ...last, finished: false }],
  ["the last run's host had another key: it was installed anew", withKey, { ...last, hostKey: "ssh-ed25519 BBBB" }],
  ["the host's key is not configured", configOf({ host: { provider: "existing", address: "203.0.113.7" } }), last],
])("is repeated for each caller if %s", async (_, config, before) => {
  const look = createHostReader(config, before);
  expect(looks()).toEqual([]);
  for (const _ of [1, 2]) await (await look("203.0.113.7", hostKey)).node;
  expect(looks()).toEqual(["203.0.113.7", "203.0.113.7"]);
});

test("returns the reason from the chain, and no crontab, if the host does not answer", async () => {
  const { agreement, hourlyRestart } = await createHostReader(withKey, { finished: false })("203.0.113.7", hostKey);
  const why = "this host's node (203.0.113.7) is left out: no host here";
  expect(await agreement).toMatchObject({ kind: "unknown", why });
  expect(await hourlyRestart).toBeUndefined();
});

test("keeps the connection open for a reading that is under way", async () => {
  drop.mockClear();
  let answer: (status: NodeStatus) => void = () => undefined;
  vi.mocked(readNodeStatus).mockReturnValueOnce(
    new Promise((resolve) => {
      answer = resolve;
    }),
  );
  const { agreement, closed } = await createHostReader(withKey, { finished: false })("203.0.113.7", hostKey);
  await agreement;
  expect(drop).not.toHaveBeenCalled();
  answer({ synced: false, known: false, why: "no answer" });
  await closed;
  expect(drop).toHaveBeenCalled();
});
