import { expect, test } from "vitest";
import type { SshSession, SshTarget } from "../../core/ssh/ssh";
import { createLoginRefusal } from "../../core/ssh/sshErrors";
import { authorizeKey, isOrderedByState } from "../../providers/loginKey";

const login = { address: "203.0.113.7", port: 22, user: "root", hostKey: "ssh-ed25519 AAAA" };
const target = (privateKey: string): SshTarget => ({ ...login, privateKey });
const olds = { target: target("old"), publicKey: "ssh-ed25519 OLD" };
const news = { target: target("new"), publicKey: "ssh-ed25519 NEW", library: "authorize_in() { :; }" };

/** Creates a host that accepts these keys, and authorises others on request, unless it ignores the request. */
function host(letIn: string[], ignores = false) {
  const ran: string[] = [];
  const connect = async ({ privateKey = "", address }: SshTarget): Promise<SshSession> => {
    if (!letIn.includes(privateKey))
      throw createLoginRefusal("login", { what: `root@${address}:22 refuses the login`, needed: "…" });
    return {
      isOpen: true,
      tookMs: 0,
      forward: () => expect.unreachable(),
      start: () => expect.unreachable(),
      close: () => undefined,
      run: async (command, input) => {
        ran.push(`${privateKey}: ${command}`);
        const assigned = "host_name='203.0.113.7'\nuser='root'\nline='ssh-ed25519 NEW'";
        expect(input).toContain(`${assigned}\nauthorize_in() { :; }\nauthorize_in `);
        if (!ignores) letIn.push("new");
        return { exitCode: 0, stdout: "", stderr: "" };
      },
    };
  };
  return { connect, ran };
}

test.each([
  ["a changed key is authorised with the old one, and tried", "old", ["old: bash -euo pipefail -s"]],
  ["keeps a key that the host accepts already", "new", []],
])("%s", async (_what, letIn, calls) => {
  const { connect, ran } = host([letIn]);
  await authorizeKey(olds, news, connect);
  expect(ran).toEqual(calls);
});

test("tells the operator what to do if the host accepts neither key", async () => {
  await expect(authorizeKey(olds, news, host([]).connect)).rejects.toThrow(
    "203.0.113.7 accepts neither the new ssh key (pillar-host:ssh) nor the one before it\n" +
      "  needed: set the previous key again, or add this line to /root/.ssh/authorized_keys in the provider's console: ssh-ed25519 NEW\n" +
      "  Then run the same command again.",
  );
});

test("a login that ran nothing, although it said so, is an error", async () => {
  await expect(authorizeKey(olds, news, host(["old"], true).connect)).rejects.toThrow(
    "203.0.113.7 refuses the new ssh key, although root's login was told to add it",
  );
});

test("an unreachable host does not count as refusing", async () => {
  const connect = () => Promise.reject(new Error("203.0.113.7:22: timed out"));
  await expect(authorizeKey(olds, news, connect)).rejects.toThrow("timed out");
});

const key = (serverId: string, isOrder: boolean) => ({ ...news, serverId, isOrder });

test.each<[string, object, ReturnType<typeof key>, boolean]>([
  ["stays known after the run of the order", { serverId: "52", isOrdered: true }, key("52", false), true],
  ["stays known of one that was taken over", { serverId: "52", isOrdered: false }, key("52", true), false],
  ["is no for another one that was taken over", { serverId: "52", isOrdered: true }, key("53", false), false],
  ["is yes for another one that was ordered", { serverId: "52", isOrdered: false }, key("53", true), true],
  ["is no for one of a state that does not tell", {}, key("52", false), false],
])("whether the server was ordered %s", (_what, olds, now, is) => expect(isOrderedByState(olds, now)).toBe(is));
