import { expect, test } from "vitest";
import { formatSyncAgain } from "../../../core/chain/nodeDatabases.ts";

test("a sync from nothing removes every database and no key, and starts the node whatever fails", () => {
  const node = { service: "go-zenon", dataDir: "/data/znn" };
  const work =
    "systemctl stop go-zenon && cd /data/znn && rm -rf nom consensus cache network; systemctl start go-zenon";
  const login = { address: "203.0.113.7", user: "root", port: 22 };
  expect(formatSyncAgain(login, node)).toBe(`ssh root@203.0.113.7 '${work}'`);
  expect(formatSyncAgain({ ...login, user: "op", port: 2222 }, node)).toBe(
    `ssh -t -p 2222 op@203.0.113.7 'sudo sh -c "${work}"'`,
  );
});
