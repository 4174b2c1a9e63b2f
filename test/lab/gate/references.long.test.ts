import { describe, expect, it } from "vitest";
import type { ChainTruth } from "../../../lab/doubles/chain/index.ts";
import { healFaults, setFault } from "../../../lab/faults/index.ts";
import { cli } from "../cli/fixture.ts";
import { expectFailure, expectSuccess, linesOf, onHost, reconfigure } from "../fixture.ts";
import { catchUp, expectSynced, gateStage, progress, watchUp } from "./watch.ts";

interface Sync {
  readonly currentHeight: number;
  readonly syncedAt: string;
  readonly proved: readonly string[];
  readonly unproved: readonly string[];
}

const agrees = "height agrees with the references' median";
const fresh = "newest momentum is fresh by both clocks";

describe("doubts of the gate", () => {
  let urls: readonly [string, string, string];
  // The name has a letter too many. Without a witness nobody can be asked before the deploy.
  const stage = gateStage(
    () => ({ pillar: { name: "Anvill" } }),
    async (lab) => {
      urls = [await lab.addReference("ref1"), await lab.addReference("ref2"), await lab.addReference("ref3")];
    },
  );

  it("ends at once if the host presents another key", async () => {
    const up = await watchUp(stage.stack);
    await up.hears(progress);
    await onHost(
      stage.host,
      `cd /etc/ssh; mkdir kept; mv ssh_host_ed25519_key* kept
       ssh-keygen -q -t ed25519 -N '' -f ssh_host_ed25519_key; systemctl restart ssh`,
    );
    await setFault(stage.lab, "host1", "ssh-cut");
    const { exitCode, output } = await up.run.end();
    const changed = (await onHost(stage.host, "cut -d' ' -f2 /etc/ssh/ssh_host_ed25519_key.pub")).trim();
    await onHost(stage.host, "mv -f /etc/ssh/kept/* /etc/ssh; rmdir /etc/ssh/kept; systemctl restart ssh");
    expect(exitCode).not.toBe(0);
    expect(linesOf(output)).toContain(
      `10.77.0.11 shows another host key than the pinned one\nfound: ssh-ed25519 ${changed}\nneeded: ${stage.host.hostKey}\n`,
    );
    expect(output).not.toMatch(/\.ts:\d|\.js:\d/);
  });

  it("corrects the Pillar's name, with nothing deployed again, once references say that nobody has it", async () => {
    const references = { sync: { references: urls, tolerance: 100 } };
    const deployed = () => onHost(stage.host, "cat /var/lib/pillar-host/deploy.done; ls /var/log/pillar-host");
    const before = await deployed();
    const mark = () => onHost(stage.host, "cat /var/lib/pillar-host/stack");
    await reconfigure(stage.stack, stage.host, { ...references, pillar: { name: "Anvill" } });
    const refused = await expectFailure(stage.stack.up());
    expect(linesOf(refused)).toContain(`found: its nearest names: Anvil\n`);
    expect(await mark()).toBe("pillar-host/prod Anvill");
    // The node that was deployed is too old, and a wait with such a node does not begin.
    await reconfigure(stage.stack, stage.host, { ...references, node: { leastVersion: "v0.0.9" } });
    expect((await cli(stage.stack, ["check", "prod"])).output).not.toMatch(/FAULT +(host|Pillar's name) /);
    const output = await expectFailure(stage.stack.up());
    expect(output).toContain("pillar-host:pillar.name: corrected from Anvill to Anvil; what is deployed stays");
    expect(output).toContain(`${stage.host.address}: the node is too old for the network: its sync is not waited for`);
    expect(output).toMatch(/needed: install v0\.0\.9 or newer from https.*: set pillar-host:node\.release to its url,/);
    expect([await mark(), await deployed()]).toEqual(["pillar-host/prod Anvil", before]);
  });

  it("waits while two references contradict the node, and names each reference that is down or lags", async () => {
    const [first, , third] = urls;
    const { network } = await stage.lab.chain<ChainTruth>("GET", "/truth");
    const lie = String(network.height + 50_000);
    await setFault(stage.lab, "ref1", "lying-height", lie);
    await setFault(stage.lab, "ref2", "lying-height", lie);
    await catchUp(stage.lab);
    const runVersion = async (version: string) => {
      await stage.lab.chain("PATCH", "/nodes/host1", { version });
      await onHost(stage.host, "systemctl restart go-node");
    };
    await runVersion("v0.0.9");
    const up = await watchUp(stage.stack);
    await up.hears(new RegExp(`the node says synced at \\d+, the references are at ${lie}$`));
    await up.hears(new RegExp(`^sync: reference ${third} is at height \\d+, the others at ${lie}$`));
    await setFault(stage.lab, "ref3", "rpc-down");
    await up.hears(new RegExp(`^sync: reference ${third} is left out: ECONNREFUSED$`));
    await healFaults(stage.lab, "ref3");
    const old = { height: 1, timestamp: 1, hash: "", producer: "" };
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, result: old });
    await stage.lab.chain("PATCH", "/nodes/ref3", { rawAnswer: { status: 200, body } });
    await up.hears(
      new RegExp(
        `^sync: reference ${third} is left out: it is behind: its newest momentum, \\d+, is \\d+ d \\d\\d h old$`,
      ),
    );
    await stage.lab.chain("PATCH", "/nodes/ref3", { rawAnswer: null });

    // An older build replaces the node during the wait.
    await runVersion("v0.0.9-dev-55-gabc1234");
    await stage.lab.chain("PATCH", "/nodes/host1", { otherChain: true });
    await up.hears(
      /the node is on another chain than the references: its momentum \d+ is \w{12}, .* \(so say 3 of them\)$/,
    );
    await healFaults(stage.lab, "ref2");
    await stage.lab.chain("PATCH", "/nodes/host1", { otherChain: false });
    await up.hears(new RegExp(`^sync: reference ${first} is at height ${lie}, the others at \\d+$`));
    await up.hears(
      /the node is v0\.0\.9-dev-55-gabc1234; v0\.0\.9 or newer is required \(.*\): install v0\.0\.9 or newer from http/,
    );
    await runVersion("v0.0.10");
    const { proved, unproved: gaps } = await expectSynced<Sync>(stage, up);
    expect(proved).toEqual(expect.arrayContaining([fresh, agrees]));
    expect(gaps).toEqual([]);
  });

  it("hides the address of a node that lacks a version required later, and says what to install", async () => {
    const shown = async () => (await stage.stack.outputs<{ producerAddress?: string }>()).producerAddress;
    expect(await shown()).toMatch(/^z1q/);
    await reconfigure(stage.stack, stage.host, {
      sync: { references: urls, tolerance: 100 },
      node: { leastVersion: "v0.0.11" },
    });
    await expectSuccess(stage.stack.up());
    expect(await shown()).toBeUndefined();
    const words = /the node is v0\.0\.10; v0\.0\.11 or newer is required/;
    const checked = await cli(stage.stack, ["check", "prod"]);
    expect(checked.exitCode).toBe(1);
    expect(checked.output).toMatch(/FAULT +node's version +the node is v0\.0\.10; v0\.0\.11 or newer is required/);
    expect(checked.output).toMatch(/install v0\.0\.11 or newer from https:\/\//);
    // The references lack that version, too, so they are no witnesses.
    expect(checked.output).toContain(`reference ${urls[0]} is left out: it is v0.0.10; v0.0.11 or newer is required`);
    const { output } = await cli(stage.stack, ["status", "prod", "--json"]);
    expect(JSON.parse(output).versions).toMatchObject([
      { leastVersion: "v0.0.11", found: "v0.0.10", expectedAt: null },
    ]);
    expect((await cli(stage.stack, ["status", "prod"])).output).toMatch(words);
  });
});
