import { expect, test } from "vitest";
import { digitaloceanFailure } from "../../../core/cloud/digitalocean";
import { failedOrderText, plainWords } from "../../../core/cloud/failedOrder";
import { hetznerFailure } from "../../../core/cloud/hetzner";

const cloud = { provider: "Hetzner", limits: "its console", failureOf: hetznerFailure };
const text = (words: string) => failedOrderText("prod", cloud, { plan: "cx33", location: "fsn1" }, words);
const again = "pulumi up -s prod orders cx33 in fsn1 again, and nothing else in its place";

test("no room: what comes next", () => {
  expect(text("error during placement (resource_unavailable, 1d)")).toBe(
    "Hetzner has no room for cx33 in fsn1 (error during placement (resource_unavailable, 1d))\n" +
      "  pulumi up -s prod tries what comes next: the preview names it",
  );
});

test.each([
  [hetznerFailure, "unsupported location for server type (invalid_input, 261e51cc9f7b737dd2412acadc7d08c4)"],
  [hetznerFailure, "location 'ash' not found (invalid_input)"],
  [hetznerFailure, "server location disabled (resource_unavailable)"],
  [hetznerFailure, "error during placement (placement_error)"],
  [digitaloceanFailure, "422 Size is not available in this region."],
  [digitaloceanFailure, "422 Region is not available"],
  [digitaloceanFailure, "422 (request 94739105) Size is unavailable."],
])("a provider's words for 'not here' lead to the next location: %#", (failureOf, words) => {
  expect(failedOrderText("prod", { ...cloud, failureOf }, { plan: "cx33", location: "fsn1" }, words)).toContain(
    "pulumi up -s prod tries what comes next",
  );
});

test("an input that is wrong everywhere is no lack of room", () => {
  expect(hetznerFailure("invalid input in field 'user_data' (invalid_input)")).toBe("other");
});

test("a quota is named, with where to ask for more", () => {
  expect(text("server limit exceeded (resource_limit_exceeded)")).toBe(
    "Hetzner allows no more of it to this account: the order of cx33 in fsn1 was refused (server limit exceeded (resource_limit_exceeded))\n" +
      `  needed: a higher limit (its console), or one server less\n  Then: ${again}`,
  );
});

test("a token's rights are named, with the command that sets another", () => {
  expect(text("insufficient permissions for this request (forbidden)")).toBe(
    "pillar-host:host.token: Hetzner refused the order of cx33 in fsn1 (insufficient permissions for this request (forbidden))\n" +
      "  needed: an API token that may make servers: pulumi config set --secret --path pillar-host:host.token -s prod\n" +
      `  Then: ${again}`,
  );
});

test("anything else is told as it came", () => {
  expect(text("context deadline exceeded")).toBe(
    `the order of cx33 in fsn1 at Hetzner failed (context deadline exceeded)\n  Where it left a server, pulumi up -s prod goes on with it or removes it; else ${again}`,
  );
});

test("a plugin's error is one line, without its frame and without the token", () => {
  const error =
    "rpc error: code = Unknown desc = 1 error occurred:\n\t* creating urn:pulumi:prod::pillar-host::hcloud:index/server:Server::server: 1 error occurred:\n\t* error for hunter2 (forbidden, 2b)\n\n";
  expect(plainWords(error, "hunter2")).toBe("error for [token] (forbidden, 2b)");
  expect(plainWords("x".repeat(1000), "hunter2").length).toBe(400);
});
