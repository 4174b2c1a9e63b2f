import { beforeAll, expect, it } from "vitest";
import { formatFenceSentence } from "../../../cli/restore/fenceHost.ts";
import { ensurePackagedImage } from "../../../lab/images/packagedImage.ts";
import type { LabHost } from "../../../lab/lab.ts";
import { realSignerPrograms, setWorld } from "../../../lab/real/realSigner.ts";
import { keepEngineLogs } from "../../../lab/toolchain/engineLogs.ts";
import { cli } from "../cli/fixture.ts";
import { realOnly } from "../contracts/contract.ts";
import { expectSuccess, onHost, testStack } from "../fixture.ts";
import { ask, configureReal, logOf, opens, realStage, signature } from "./realStage.ts";

keepEngineLogs();

realOnly("one of three real orchestrators moves", realSignerPrograms, () => {
  const stage = realStage();
  const signs = (host: LabHost) =>
    onHost(host, "systemctl is-active orchestrator || true; pgrep -x orchestrator > /dev/null && echo runs || true");
  const configOf = async (host: LabHost) =>
    JSON.parse(await onHost(host, "cat /root/.orchestrator/config.json")) as {
      GlobalState: number;
      TssConfig: { PublicKey: string };
    };
  let identity: Record<string, unknown>;

  beforeAll(async () => {
    identity = await ask(stage.hosts.old, "getIdentity");
  });

  it("moves in one up, installed from its official archive, with its share and both peers", async () => {
    const { old, fresh } = stage.hosts;
    expect(await onHost(fresh, "ls /usr/local/bin/orchestrator 2> /dev/null || true")).toBe("");
    const output = await expectSuccess(stage.stack.up());
    expect(output).toMatch(/backup: \d+ files, \d+ bytes of \S+, proved by decrypting: \S+-first-/);
    expect(output).toContain("orchestrator v0.0.9a installed as /usr/local/bin/orchestrator");
    expect(output).toContain("the new host is connected with 2 other orchestrators");
    expect(await ask(fresh, "getIdentity")).toEqual(identity);
    expect(await ask(fresh, "getStatus")).toMatchObject({ state: 0, stateName: "LiveState" });
    expect(await signs(old)).toBe("inactive");
    expect((await configOf(fresh)).TssConfig.PublicKey).not.toBe("");
    for (const form of [stage.passphrase, JSON.stringify(stage.passphrase).slice(1, -1)])
      for (const text of [output, await stage.stack.written()]) expect(text.includes(form)).toBe(false);
  });

  it("takes part in the bridge's next signature, and its peers learn the new address", async () => {
    const { fresh, second, third } = stage.hosts;
    const book = (host: LabHost) => onHost(host, "cat /root/.orchestrator/tss/address_book.seed");
    expect(await book(second)).not.toContain(`/${fresh.address}/`);
    await setWorld(second, { wraps: stage.wraps });
    for (const host of [second, third])
      await expect
        .poll(() => book(host), { timeout: 300_000, interval: 5000, message: host.name })
        .toContain(`/${fresh.address}/`);
  });

  it("moves back on request", async () => {
    const { old, fresh, second } = stage.hosts;
    await setWorld(second, { wraps: "[]" });
    await configureReal(stage, { rollback: true });
    await expectSuccess(stage.stack.up());
    expect(await ask(old, "getIdentity")).toEqual(identity);
    expect([await signs(old), await signs(fresh)]).toEqual(["active\nruns", "inactive"]);
  });

  it("is not stopped in a key generation that getStatus did not report", async () => {
    const { old, fresh, second, third } = stage.hosts;
    await configureReal(stage, { attempt: 2 });
    const began = new Date();
    const run = await stage.stack.begin();
    await run.hears((text) => (/bulk copy to the new host/.test(text) ? "heard" : undefined), "the bulk copy");
    await run.freeze(true);
    // The program must not use its earlier answer, so this waits for the 25 seconds of the orchestrator's cache. It
    // looks at the bridge 11 seconds after its turn for one kind of requests, and 22 seconds later for the other.
    await onHost(old, "sleep 26");
    const turns = async () => (await logOf(old, began)).match(/\tstate (wrap|unwrap) - /g) ?? [];
    const before = (await turns()).length;
    const isNew = async () => (await turns()).slice(before).at(-1);
    await expect.poll(isNew, { interval: 200 }).toContain("state unwrap");
    expect(await ask(old, "getStatus")).toMatchObject({ state: 0 });
    await setWorld(second, { keygen: "1" });
    await expect.poll(() => logOf(old, began), { timeout: 24_000, interval: 200 }).toContain("New state: KeyGenState");
    await run.freeze(false);
    const { exitCode, output } = await run.end();
    await setWorld(second, { keygen: "0" });
    expect(exitCode).not.toBe(0);
    expect(output).toContain("the orchestrator of the old host is not stopped: the bridge's key generation is at work");
    expect(output).toContain("docs/orchestrator.md, An orchestrator that stays in state 1");
    expect(output).not.toContain("stopping the orchestrator of the old host");
    expect([await signs(old), await signs(fresh)]).toEqual(["active\nruns", "inactive"]);
    // The cure of docs/orchestrator.md, for each that was in it.
    for (const host of [old, second, third])
      await onHost(
        host,
        `systemctl stop orchestrator; sed -i 's/"GlobalState": 1/"GlobalState": 0/' /root/.orchestrator/config.json; systemctl start orchestrator`,
      );
    for (const host of [old, second, third]) await opens(host);
    expect(await ask(old, "getStatus")).toMatchObject({ state: 0, stateName: "LiveState" });
  });

  it("comes back on another host from a backup and its key alone, and signs with its peers", async () => {
    const { old, second, third } = stage.hosts;
    // The restore is another operator's, with an event log of its own. The simulation replays the moves of one log.
    expect(await stage.lab.recorder?.end([], stage.lab.dir)).toBeUndefined();
    delete stage.lab.recorder;
    const another = await stage.lab.addHost("another", ensurePackagedImage);
    const told = await expectSuccess(cli(stage.stack, ["backup", "prod", "--json"]));
    const { file } = JSON.parse(told.slice(told.indexOf("{"))) as { file: string };
    const next = await testStack(stage.lab, another, {}, "prod-3");
    await configureReal(stage, { backup: { identityFile: stage.stack.backupKey("Anvil") } }, another, next);
    await expectSuccess(next.up());
    await old.stop({ powerCut: true });
    const began = new Date();
    const fence = ["--first-move", "--fenced", formatFenceSentence(old.address)];
    await expectSuccess(cli(next, ["restore", "prod-3", "--backup", file, ...fence, "--", "--yes", "--skip-preview"]));
    expect(await ask(another, "getIdentity")).toEqual(identity);
    expect(await ask(another, "getStatus")).toMatchObject({ stateName: "LiveState" });
    // The orchestrators do not sign a request again.
    await setWorld(second, { wraps: stage.wraps.replace(/0050(?=")/, "0052") });
    const signed = () =>
      Promise.all([another, second, third].map(async (host) => signature.exec(await logOf(host, began))?.[2]));
    await expect.poll(async () => (await signed())[0], { timeout: 420_000, interval: 5000 }).toBeDefined();
    await expect.poll(async () => new Set(await signed()).size, { interval: 1000 }).toBe(1);
  });
});
