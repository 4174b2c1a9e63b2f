import { expect, test, vi } from "vitest";
import { createHostReader } from "../../components/node/nodeReading";
import { type NodeStatus, readNodeStatus } from "../../core/sync/nodeStatus";
import { configOf } from "./exampleConfig";

vi.mock("../../core/sync/nodeStatus", async (original) => ({
  ...(await original<typeof import("../../core/sync/nodeStatus")>()),
  readNodeStatus: vi.fn(async () => ({ synced: true, known: true, why: "synced" })),
}));
const drop = vi.hoisted(() => vi.fn());
vi.mock("../../core/ssh/connection", () => ({
  createConnection: () => ({ session: () => Promise.reject(new Error("no host here")), drop }),
}));

const hostKey = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIOMqqnkVzrm0SdG6UOoqKLsabgH5C9okWi0dh2l9GKJl";
const withKey = configOf({ host: { provider: "existing", address: "203.0.113.7", hostKey } });

test("returns the reason from the chain, and no crontab, if the host does not answer", async () => {
  const { readings, hourlyRestart } = await createHostReader(withKey)("203.0.113.7", hostKey);
  const fault = { kind: "silent", why: "no host here" };
  expect(await readings).toMatchObject([{ client: { name: "the node of 203.0.113.7" }, fault }]);
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
  const { readings, closed } = await createHostReader(withKey)("203.0.113.7", hostKey);
  await readings;
  expect(drop).not.toHaveBeenCalled();
  answer({ synced: false, known: false, why: "no answer" });
  await closed;
  expect(drop).toHaveBeenCalled();
});
