import { describe, expect, test } from "vitest";
import { keepEngineLogs } from "../../../lab/toolchain/engineLogs.ts";
import { createKeyPair } from "../../../providers/hostKey.ts";
import { expectFailure, expectSuccess, linesOf } from "../fixture.ts";
import { cloudStage, destroyAll, keeper } from "./cloudStack.ts";

keepEngineLogs();

// The real engine and the plugin against the API on loopback: the server and all around it, and nothing that connects.

const stage = cloudStage("hetzner");
const { said, kept } = keeper();
const writes = () => stage.cloud.requests.filter(({ method, status }) => method !== "GET" && status < 400).length;
const upToServer = () => kept(stage.upToServer());
const preview = () => kept(stage.stack.preview());
/** Returns the firewall's openings in a fixed order: rules and sources are sets that reach the API in any order. */
const openings = () =>
  [...stage.cloud.account.firewalls.values()]
    .flatMap(({ rules }) => rules)
    .map(({ protocol, ports, sources }) => [protocol, ports, ...sources.toSorted()].join(" "))
    .toSorted();
const protection = () => stage.servers().map(({ isProtected }) => isProtected);
const serverIds = () => stage.servers().map(({ id }) => id);
const labels = { "pillar-host-stack": "prod", "pillar-host-pillar": "Anvil" };
const number = expect.stringMatching(/^[0-9a-f]{16}$/);

describe("a new stack", () => {
  test("its preview shows plan, location, price and next step, and creates nothing", async () => {
    const { output, exitCode } = await preview();
    expect(linesOf(output)).toContain(
      "host: a server at Hetzner, cx33 in fsn1: 4 cores, 8 GB of memory, 80 GB of disk, 10.70 EUR a month; image ubuntu-22.04; Hetzner lists no room for this server now, but the order is tried\n" +
        "ideal for the initial sync: 8 cores",
    );
    expect([exitCode, writes()]).toEqual([0, 0]);
    const shown = { wish: "hetzner, auto, 4 cores, 4 GB, 40 GB", monthly: 10.7, currency: "EUR" };
    expect(await stage.record()).toEqual({ attempts: [], shown });
  });

  test("accepts the token of the provider's own plugin", async () => {
    await stage.stack.pulumi(["config", "rm", "--path", "pillar-host:host.token"]);
    expect(linesOf((await preview()).output)).toContain(
      "- pillar-host:host.token: missing, needed: An API token with read and write permission.",
    );
    await stage.stack.pulumi(["config", "set", "--secret", "hcloud:token"], { input: stage.cloud.token });
    await expectSuccess(preview());
    await stage.configure({});
  });

  test("up creates one server, behind a firewall, protected and labelled; a second up changes nothing", async () => {
    await expectSuccess(upToServer());
    expect(stage.servers()).toMatchObject([
      {
        ...{ name: "pillar-anvil-prod", location: "fsn1", plan: "cx33", isProtected: true },
        labels: { ...labels, "pillar-host-order": number },
      },
    ]);
    expect([...stage.cloud.account.firewalls.values()]).toMatchObject([{ labels }]);
    expect(openings()).toEqual(["tcp 22 198.51.100.7/32", "tcp 35995 0.0.0.0/0 ::/0", "udp 35995 0.0.0.0/0 ::/0"]);
    expect(await stage.record()).toEqual({ attempts: [], sent: [{ number, at: expect.any(String) }] });
    const before = writes();
    const again = await upToServer();
    expect(again.output).toMatch(/\d+ unchanged/);
    // The program did not print the engine's own warning about a plugin of another version.
    expect(again.output).not.toMatch(/created|updated|replaced|warning: (?!resource plugin)/);
    expect(writes()).toBe(before);
  });
});

describe("the stack of a live server", () => {
  test("another image, plan, location or key replaces nothing, and the run says so", async () => {
    await stage.configure(
      {},
      { image: "debian-11", plan: "ccx23", locations: ["nbg1"], acceptDistributions: ["debian-12"] },
    );
    await stage.stack.pulumi(["config", "set", "--secret", "--path", "pillar-host:ssh.privateKey"], {
      input: createKeyPair().privateKey,
    });
    const { output } = await preview();
    expect(output).toMatch(
      /warning: server \d+ was made as cx33 in fsn1 with ubuntu-22.04: another plan, location or image in pillar-host:host changes nothing on it/,
    );
    expect(output).not.toMatch(/replace|hcloud:index:\w+ \S+ update/);
    await stage.configure({});
  });

  test("creates a vanished server again only on the operator's word", async () => {
    const [id = 0] = serverIds();
    stage.cloud.account.servers.clear();
    const output = await expectFailure(upToServer());
    expect(linesOf(output)).toContain(
      `server ${id}, this stack's host, is no longer at Hetzner, or lost its labels there\nIf the server is gone, create another one with: pulumi refresh -s prod && pulumi up -s prod\n`,
    );
    expect(output).not.toContain(" at /");
    expect([serverIds(), (await stage.record())?.pending]).toEqual([[], undefined]);
    await stage.refresh();
    await expectSuccess(upToServer());
    expect([serverIds().length, serverIds().includes(id)]).toEqual([1, false]);
  });

  test("the engine wrote and printed neither token nor keys", async () => {
    const all = (await stage.stack.written()) + said.join("");
    for (const secret of [stage.cloud.token, "PRIVATE KEY", "ssh_deletekeys"]) expect(all).not.toContain(secret);
    expect(all).toContain("pillar-anvil-prod");
  });

  test("destroy lifts the delete protection, and says what to do if that is refused", async () => {
    const before = writes();
    expect((await kept(stage.stack.destroy())).output).toContain("because it is protected");
    expect(writes()).toBe(before);
    await stage.configure({ lifecycle: "retiring" });
    const up = await stage.stack.up(["--skip-preview"]);
    expect(up.exitCode, up.output).toBe(0);
    const path = "/servers/*/actions/change_protection";
    stage.cloud.account.faults.add({ kind: "answer", method: "POST", path, status: 403 });
    const output = await expectFailure(kept(stage.stack.destroy(["--skip-preview"])));
    const [id] = serverIds();
    expect(linesOf(output)).toMatch(
      new RegExp(
        `the host of stack prod, is shut down, but server ${id} can't be deleted: hetzner protects it\n` +
          `found: pillar-host:host.token: Hetzner answered 403 .*\n` +
          "needed: wait until hetzner.s API answers, or use a token that may read and write .*\nThen, after a change of the token: pulumi up -s prod && pulumi destroy -s prod; else: pulumi destroy -s prod\n",
      ),
    );
    expect(protection()).toEqual([true]);
  });

  test("a destroy that ends before the deletion leaves the server unprotected until the next up", async () => {
    stage.cloud.account.faults.add({ kind: "answer", method: "DELETE", path: "/servers/*", status: 423 });
    const destroy = await kept(stage.stack.destroy(["--skip-preview"]));
    stage.cloud.account.faults.clear();
    const [id] = serverIds();
    expect(destroy.exitCode, destroy.output).not.toBe(0);
    expect(destroy.output).toContain(`retirement: the delete protection of server ${id} at hetzner is lifted; `);
    await stage.configure({});
    expect((await preview()).output).toContain(
      `server ${id} at hetzner is not protected against deletion: the next run protects it again`,
    );
    expect(protection()).toEqual([false]);
    const up = await expectSuccess(upToServer());
    expect(up).toContain(`server ${id} at hetzner is protected against deletion again`);
    expect([serverIds(), protection()]).toEqual([[id], [true]]);
  });

  test("destroy of a retiring stack leaves nothing in the cloud", () => destroyAll(stage));
});
