import { generateKeyPairSync } from "node:crypto";
import { describe, expect, test } from "vitest";
import type { OwnServer } from "../../../core/ssh/ownServer.ts";
import { bootTimeoutMs, formatLoginFailure, type ReachDeps, waitForLogin } from "../../../core/ssh/reachability.ts";
import { createUnreachedError } from "../../../core/ssh/sshErrors.ts";
import { commandsFor } from "../../../core/util/commands.ts";
import { ProblemError } from "../../../core/util/problem.ts";
import { keyPair } from "../chain/fakes.ts";

const target = { address: "203.0.113.7", port: 22, user: "op", hostKey: "ssh-ed25519 AAAA", password: "hunter2" };
const refusedLogin = new ProblemError({
  kind: "refusedLogin",
  what: "op@203.0.113.7:22 refuses the login",
  needed: "a key",
});
const otherKey = new ProblemError({ kind: "otherHostKey", what: "203.0.113.7 shows another host key" });
const refused = createUnreachedError("op@203.0.113.7:22", new Error("connect ECONNREFUSED 203.0.113.7:22"));

/** Creates a world whose logins end in these errors in turn, then succeed; its clock moves by each sleep. */
function worldOf(...errors: Error[]) {
  const said: string[] = [];
  const seen = { logins: 0, waited: 0 };
  const deps: ReachDeps = {
    login: async () => {
      const error = errors[Math.min(seen.logins, errors.length - 1)];
      seen.logins += 1;
      if (error && (errors.length === 1 || seen.logins <= errors.length)) throw error;
    },
    ticks: () => seen.waited,
    sleep: async (milliseconds) => {
      seen.waited += milliseconds;
    },
    say: (line) => said.push(line),
  };
  return { deps, said, seen };
}

const run = commandsFor("prod");

const failure = (deps: ReachDeps, server?: OwnServer, isNew = false) =>
  waitForLogin(target, deps, run, { server, isNew }).then(
    () => "",
    (error: Error) => error.message,
  );

test("waits for a host that boots, also if it refuses the login meanwhile, and says so once", async () => {
  const { deps, said, seen } = worldOf(refused, refused, refused);
  expect(await failure(deps)).toBe("");
  expect(said).toEqual([`waiting for a host that boots, 0 of 60 s: ${refused.message}`]);
  expect(seen).toMatchObject({ logins: 4, waited: 6000 });
  const refusing = worldOf(refused, refusedLogin);
  expect(await failure(refusing.deps)).toBe("");
  expect(refusing.seen).toMatchObject({ logins: 3, waited: 22_000 });
});

test("tries a refused login so seldom that no host bans this machine", async () => {
  const { deps, seen } = worldOf(refused, ...Array.from({ length: 99 }, () => refusedLogin));
  expect(await failure(deps)).toContain("refuses the login");
  expect(seen.logins).toBeLessThan(6);
});

test("tries a refused port fewer than 6 times in 30 s, because of limits on connections", async () => {
  const { deps, seen } = worldOf(refused);
  const times: number[] = [];
  const { login } = deps;
  await failure({
    ...deps,
    login: (to) => {
      times.push(seen.waited);
      return login(to);
    },
  });
  for (const time of times.filter((each) => each > 30_000))
    expect(times.filter((each) => each <= time && each > time - 30_000).length).toBeLessThan(6);
});

test("fails for a silent host with found, needed and the next commands", async () => {
  const { deps, seen } = worldOf(refused);
  expect(await failure(deps)).toBe(
    `203.0.113.7: no login is possible
  found: connect ECONNREFUSED 203.0.113.7:22, for 60 s
  needed: start the host, and make its sshd reachable from here on port 22
  See it with: ssh -p 22 op@203.0.113.7
  Is it another address? pulumi config set --path pillar-host:host.address ADDRESS -s prod
  Then: pulumi up -s prod`,
  );
  expect(seen.waited).toBe(bootTimeoutMs);
});

test("fails at once for an unknown name, another host key and a refused login", async () => {
  const noName = Object.assign(new Error("getaddrinfo ENOTFOUND nowhere.example"), { code: "ENOTFOUND" });
  const name = worldOf(createUnreachedError("op@nowhere.example:22", noName));
  expect(await failure(name.deps)).toContain(
    "  found: getaddrinfo ENOTFOUND nowhere.example. Is it a name of ~/.ssh/config, which only init and adopt read? ssh -G NAME shows its hostname\n",
  );
  const key = worldOf(otherKey);
  expect(await failure(key.deps)).toBe(
    "203.0.113.7 shows another host key\n  If the new key is right, as the host's console shows it: pulumi config set --path pillar-host:host.hostKey 'ssh-ed25519 AAAA…' -s prod && pulumi up -s prod",
  );
  const login = worldOf(refusedLogin);
  expect(await failure(login.deps)).toBe(
    `op@203.0.113.7:22 refuses the login
  needed: let sshd accept passwords, and set the right one: pulumi config set --secret --path pillar-host:ssh.password -s prod
  Is it another key? pulumi config set --path pillar-host:ssh.privateKeyFile FILE -s prod
  Is it another user? pulumi config set --path pillar-host:ssh.user USER -s prod
  Then: pulumi up -s prod
  See it with: ssh -v -p 22 op@203.0.113.7`,
  );
  const rsa = generateKeyPairSync("rsa", { modulusLength: 2048 }).privateKey.export({ type: "pkcs1", format: "pem" });
  expect(formatLoginFailure({ ...target, privateKey: String(rsa) }, refusedLogin, run)).toContain("try an ed25519 key");
  expect(formatLoginFailure({ ...target, privateKey: keyPair().private }, refusedLogin, run)).not.toContain("try an");
  expect(name.seen.waited + key.seen.waited + login.seen.waited).toBe(0);
});

describe("the server of a stack", () => {
  const server: OwnServer = {
    provider: "Hetzner",
    id: "52",
    name: "pillar-anvil-prod",
    console: "https://console.example, server 52",
    sshFrom: ["198.51.100.7/32"],
    startTimeout: 100_000,
    isOrdered: true,
  };

  test("is reported while it does not boot, and ends in an error with all that helps", async () => {
    const { deps, said } = worldOf(refused);
    expect(await failure(deps, server, true)).toBe(
      `server pillar-anvil-prod (52) at Hetzner, 203.0.113.7: no login is possible
  found: connect ECONNREFUSED 203.0.113.7:22, for 100 s
  needed: start the host, and make its sshd reachable from here on port 22
  See it with: ssh -p 22 op@203.0.113.7
  Is this machine's address among pillar-host:host.sshFrom (198.51.100.7/32)? See it with: curl -4 https://ifconfig.co
  Open its console: https://console.example, server 52
  Then: pulumi up -s prod
  To delete it and to begin again with another one:
    pulumi config set --path pillar-host:lifecycle retiring -s prod && pulumi up -s prod && pulumi destroy -s prod
    pulumi config rm --path pillar-host:lifecycle -s prod && pulumi up -s prod`,
    );
    expect(said).toEqual([
      "waiting up to 100 s for server pillar-anvil-prod (52) to boot",
      ...[30, 62, 94].map(
        (s) => `waiting for server pillar-anvil-prod (52) to boot, ${s} of 100 s: ${refused.message}`,
      ),
    ]);
  });

  test("gets a shorter wait and no deletion if a login worked before", async () => {
    const { deps, seen } = worldOf(refused);
    expect(await failure(deps, server)).not.toMatch(/retiring|destroy/);
    expect(seen.waited).toBe(bootTimeoutMs);
  });

  test("gets no proposal to delete it if this state did not order it, or it shows another key", async () => {
    expect(await failure(worldOf(refused).deps, { ...server, isOrdered: false }, true)).not.toMatch(/retiring|destroy/);
    expect(await failure(worldOf(otherKey).deps, server, true)).not.toMatch(/retiring|destroy/);
  });

  test("may show another key until cloud-init has ended", async () => {
    const passing = worldOf(refused, otherKey, otherKey);
    expect(await failure(passing.deps, server, true)).toBe("");
    const lasting = worldOf(otherKey);
    expect(await failure(lasting.deps, server, true)).toContain(
      "203.0.113.7 shows another host key\n  Open its console: https://console.example, server 52\n  If the new key is right",
    );
    expect(lasting.seen.waited).toBe(bootTimeoutMs + 2000);
    const later = worldOf(otherKey);
    await failure(later.deps, server);
    expect(later.seen.waited).toBe(0);
  });
});

describe("a proxy that fails", () => {
  const through = { ...target, proxy: { ...target, address: "203.0.113.9" } };
  const server = {
    provider: "Hetzner",
    id: "52",
    name: "anvil",
    console: "",
    sshFrom: [],
    startTimeout: 1,
    isOrdered: true,
  };
  const help = (error: Error) =>
    formatLoginFailure(through, Object.assign(error, { isFromProxy: true }), run, {
      server,
      seconds: 60,
      isUnused: true,
    });

  test("is to be started, and never its server to be deleted", () => {
    expect(help(createUnreachedError("op@203.0.113.9:22", new Error("connect ECONNREFUSED 203.0.113.9:22")))).toBe(
      `203.0.113.9: no login is possible
  found: connect ECONNREFUSED 203.0.113.9:22, for 60 s
  needed: start the proxy, and make its sshd reachable from here on port 22
  See it with: ssh -p 22 op@203.0.113.9
  Is it another address? pulumi config set --path pillar-host:ssh.proxy.address ADDRESS -s prod
  Then: pulumi up -s prod`,
    );
  });

  test("gets its own key, and not the host's", () => {
    expect(help(new ProblemError({ kind: "otherHostKey", what: "203.0.113.9 shows another host key" }))).toContain(
      "pulumi config set --path pillar-host:ssh.proxy.hostKey 'ssh-ed25519 AAAA…' -s prod",
    );
  });
});

describe("the help for a refused login", () => {
  const { password: _, ...bare } = target;

  test.each([undefined, "pass-phrase"])("has a key's line for the host, not the key (pass phrase: %s)", (phrase) => {
    const pair = keyPair(phrase);
    const line = pair.public.trim().split(" ").slice(0, 2).join(" ");
    const login = { ...bare, privateKey: pair.private, privateKeyPassword: phrase };
    const help = formatLoginFailure(login, refusedLogin, run);
    expect(help).toContain(`needed: add the key of pillar-host:ssh to ~op/.ssh/authorized_keys on the host: ${line}\n`);
    expect(help).not.toContain("PRIVATE");
    expect(help).toContain("sshd's log on the host says why it refuses the key: journalctl -u ssh -n 20\n");
  });

  test("names the proxy's login", () => {
    const through = { ...bare, proxy: { ...target, address: "203.0.113.9" } };
    const help = formatLoginFailure(
      through,
      Object.assign(new ProblemError(refusedLogin.problem), { isFromProxy: true }),
      run,
    );
    expect(help).toContain("--path pillar-host:ssh.proxy.password -s prod\n");
    expect(help).toContain("See it with: ssh -v -p 22 op@203.0.113.9");
  });
});
