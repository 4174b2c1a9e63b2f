import { readFile } from "node:fs/promises";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import type { Lab, LabHost } from "../../../lab/lab";
import { ensurePackagedImage } from "../../../lab/packagedImage";
import { hasReal } from "../../../lab/real";
import {
  installOrchestrator,
  realSignerPrograms,
  setUpRealSigner,
  setUpWorld,
  setWorld,
} from "../../../lab/realSigner";
import type { LabStack } from "../../../lab/stack";
import { onHost, testLab, testStack } from "../fixture";
import { moveConfig } from "./moveStage";

const missing = realSignerPrograms.filter((name) => !hasReal(name));
const why = missing.length === 0 ? "" : `: ${missing.join(", ")} not at hand`;

describe.skipIf(missing.length > 0)(`one of three real signers moves${why}`, () => {
  let lab: Lab;
  let stack: LabStack;
  const hosts: Record<string, LabHost> = {};
  let passphrase = "";
  let wraps = "";
  const ask = async (name: string, method: string) => {
    const body = JSON.stringify({ method, params: [] });
    const said = await onHost(hosts[name] as LabHost, `sleep 1; curl -s -d '${body}' http://127.0.0.1:55000`);
    return (JSON.parse(said) as { result: Record<string, unknown> }).result;
  };
  const opens = (name: string) =>
    vi.waitFor(
      async () => expect(await onHost(hosts[name] as LabHost, "ss -Hltn 'sport = :55000'"), name).not.toBe(""),
      { timeout: 60_000, interval: 500 },
    );

  beforeAll(async () => {
    lab = await testLab();
    for (const name of ["old", "fresh", "second", "third"]) hosts[name] = await lab.addHost(name, ensurePackagedImage);
    const { old, fresh, second, third } = hosts as Record<"old" | "fresh" | "second" | "third", LabHost>;
    const at = { 1: old.address, 2: second.address, 3: third.address };
    wraps = (await setUpWorld(second)).wraps;
    passphrase = await setUpRealSigner(old, 1, second.address, { 2: at[2], 3: at[3] });
    await setUpRealSigner(second, 2, second.address, { 1: at[1], 3: at[3] });
    await setUpRealSigner(third, 3, second.address, { 1: at[1], 2: at[2] });
    for (const host of [old, second, third]) await onHost(host, "systemctl start orchestrator");
    for (const name of ["old", "second", "third"]) await opens(name);
    // No release is named: the executable is there.
    await installOrchestrator(fresh);
    await lab.chain("PATCH", "/truth", { defaults: { behind: 0, rate: 1e6, startRefusedMs: 0, connectMs: 0 } });
    stack = await testStack(lab, fresh);
    await stack.configure(
      moveConfig({ lab, old, fresh, withSudo: false, bare: false }, { release: undefined, steadySeconds: 12 }),
      { "ssh.privateKey": await readFile(lab.privateKeyFile, "utf8") },
    );
    const { exitCode, output } = await stack.up();
    expect(exitCode, output).toBe(0);
  });
  afterAll(async () => {
    await stack?.endRuns();
    await lab?.down();
  });

  it("goes in one up: the same signer, with its share, connected with both others", async () => {
    const before = await ask("old", "getIdentity");
    const { exitCode, output } = await stack.up();
    expect(exitCode, output).toBe(0);
    expect(output).toContain("the new side is connected with 2 other signers");
    expect(await ask("fresh", "getIdentity")).toEqual(before);
    expect(await ask("fresh", "getStatus")).toMatchObject({ state: 0, stateName: "LiveState" });
    const { old, fresh } = hosts as Record<"old" | "fresh", LabHost>;
    expect(await onHost(old, "systemctl is-active orchestrator || true; pgrep -x orchestrator || true")).toBe(
      "inactive",
    );
    const config = JSON.parse(await onHost(fresh, "cat /root/.orchestrator/config.json")) as {
      TssConfig: { PublicKey: string };
    };
    expect(config.TssConfig.PublicKey).not.toBe("");
    for (const form of [passphrase, JSON.stringify(passphrase).slice(1, -1)])
      for (const text of [output, await stack.written()]) expect(text.includes(form)).toBe(false);
  });

  it("takes part in the bridge's next signature, after which the others know its new address", async () => {
    const { fresh, second, third } = hosts as Record<"fresh" | "second" | "third", LabHost>;
    const book = (host: LabHost) => onHost(host, "cat /root/.orchestrator/tss/address_book.seed");
    expect(await book(second)).not.toContain(`/${fresh.address}/`);
    await setWorld(second, { wraps });
    for (const host of [second, third])
      await expect
        .poll(() => book(host), { timeout: 300_000, interval: 5000, message: host.name })
        .toContain(`/${fresh.address}/`);
  });
});
