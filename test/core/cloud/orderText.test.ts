import { expect, test } from "vitest";
import { hetznerNoRoom } from "../../../core/cloud/hetzner";
import { formatFailedOrder, stripProviderError } from "../../../core/cloud/orderText";

const cloud = { provider: "Hetzner", limits: "its console", isNoRoom: (words: string) => hetznerNoRoom.test(words) };
const text = (words: string) => formatFailedOrder("prod", cloud, { plan: "cx33", location: "fsn1" }, words);
test("says what comes next if there is no room", () => {
  expect(text("error during placement (resource_unavailable, 1d)")).toBe(
    "Hetzner has no room for cx33 in fsn1 (error during placement (resource_unavailable, 1d))\n" +
      "  pulumi up -s prod tries the next server: the preview names it",
  );
});

test("prints any other error as it came, with the remedies for a limit and the token's rights", () => {
  expect(text("server limit exceeded (resource_limit_exceeded)")).toBe(
    "the order of cx33 in fsn1 at Hetzner failed (server limit exceeded (resource_limit_exceeded))\n" +
      "  If the account's limit is reached: request a higher limit (its console), or delete a server\n" +
      "  If the token may not create servers: pulumi config set --secret --path pillar-host:host.token -s prod\n" +
      "  Then run pulumi up -s prod. It orders cx33 in fsn1 again, and no other type. If the failed order left a server, the run uses or removes it",
  );
});

test("reduces a plugin's error to one line, without its frame and the token", () => {
  const error =
    "rpc error: code = Unknown desc = 1 error occurred:\n\t* creating urn:pulumi:prod::pillar-host::hcloud:index/server:Server::server: 1 error occurred:\n\t* error for hunter2 (forbidden, 2b)\n\n";
  expect(stripProviderError(error, "hunter2")).toBe("error for [token] (forbidden, 2b)");
  expect(stripProviderError("x".repeat(1000), "hunter2").length).toBe(400);
});
