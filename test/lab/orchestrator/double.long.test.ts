import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import type { SignersTruth } from "../../../lab/doubles/chain/index.ts";
import type { ExampleDir } from "../../../lab/doubles/orchestrator/exampleDir.ts";
import type { Lab, LabHost } from "../../../lab/lab.ts";
import { setUpOrchestrator, waitForOrchestrator } from "../../../lab/oldHost/runningOrchestrator.ts";
import { setUpSyncedNode } from "../../../lab/oldHost/syncedNode.ts";
import { filesWith, onHost, testLab } from "../fixture.ts";

let lab: Lab;
let oldHost: LabHost;
let newHost: LabHost;
let state: ExampleDir;

beforeAll(async () => {
  lab = await testLab();
  oldHost = await lab.addHost("old");
  newHost = await lab.addHost("new");
});

afterAll(async () => lab?.down());

const signers = () => lab.chain<SignersTruth>("GET", "/signers");
const patch = (host: LabHost, settings: object) => lab.chain("PATCH", `/orchestrators/${host.name}`, settings);
const sum = (host: LabHost) => onHost(host, "sha256sum < /root/.orchestrator/config.json");
const journal = (host: LabHost) => onHost(host, "journalctl -u orchestrator --no-pager");
const waitFor = (look: () => Promise<void>) => vi.waitFor(look, { timeout: 300_000, interval: 200 });
const getBuildInfo = `curl -s -w '%{http_code}' -H 'Content-Type: application/json' -d '{"method":"getBuildInfo","params":[]}' http://127.0.0.1:55000`;

describe("the orchestrator's double on a host", () => {
  it("ends while its node is down, then answers on all addresses, with its peer port open", async () => {
    await patch(oldHost, { syncPollMs: 500, stopMs: 300 });
    state = await setUpOrchestrator(lab, oldHost, { started: false, extraFiles: { count: 250, bytes: 10_000 } });
    await onHost(oldHost, "systemctl start orchestrator");
    await waitFor(async () => expect(await journal(oldHost)).toContain("failed to create the node"));
    expect(await onHost(oldHost, "systemctl show -p ExecMainStatus --value orchestrator")).toBe("1");
    expect((await oldHost.run(getBuildInfo)).exitCode).toBe(7);
    await setUpSyncedNode(lab, oldHost);
    await waitForOrchestrator(lab, oldHost, state.identity);
    const answers = await onHost(oldHost, `sleep 1; for i in 1 2 3; do ${getBuildInfo}; done`);
    const info = '{"result":{"version":"v0.0.9a","gitCommit":"[0-9a-f]{40}","goVersion":"go1.22.1"},"error":""}\\n200';
    expect(answers).toMatch(new RegExp(`^${info}${info}.*\\n429$`));
    expect(await onHost(oldHost, "ss -Hltn | awk '{print $4}' | grep :55 | sort")).toBe("*:55000\n0.0.0.0:55055");
  });

  it("leaves its secrets where the tests' search finds them", async () => {
    expect(await filesWith(oldHost, state.passphrase)).toContain("journal");
    expect(await onHost(oldHost, "find /root/.orchestrator/events -name '*.ldb' | wc -l")).toBe("250");
    expect(await onHost(oldHost, "stat -c '%a %U' /root/.orchestrator /root/.orchestrator/producer")).toBe(
      "700 root\n600 root",
    );
  });

  it("holds a lock against a second process in its directory", async () => {
    const { exitCode, stderr } = await oldHost.run("cd /tmp && HOME=/root orchestrator");
    expect(exitCode).toBe(1);
    expect(stderr).toContain("unable to acquire file-lock");
  });

  it("rewrites its configuration when it stops, and reports the exact time", async () => {
    const before = await sum(oldHost);
    await onHost(oldHost, "systemctl stop orchestrator");
    expect(await sum(oldHost)).not.toBe(before);
    expect((await signers()).identities[state.identity]?.intervals.at(-1)).toMatchObject({ stopped: true });
    expect(await onHost(oldHost, "systemctl show -p Result --value orchestrator")).toBe("success");
  });

  it("crashes on a damaged key share, and restarts until the share is repaired", async () => {
    const share = `/root/.orchestrator/${state.keyShareFile}`;
    await onHost(oldHost, `sed -i.whole 's/"Xi":"./"Xi":"x/' '${share}' && systemctl start orchestrator`);
    await waitFor(async () => expect(await journal(oldHost)).toContain("local state is corrupted"));
    await onHost(oldHost, `mv '${share}.whole' '${share}'`);
    await waitForOrchestrator(lab, oldHost, state.identity);
    expect((await signers()).doubles).toEqual([]);
  });

  it("the chain notices a second one with its identity on another host", async () => {
    await setUpSyncedNode(lab, newHost);
    await setUpOrchestrator(lab, newHost, { copyOf: state });
    await waitFor(async () => expect((await signers()).doubles).toHaveLength(1));
    await onHost(newHost, "systemctl kill -s KILL orchestrator; systemctl stop orchestrator");
    const { doubles } = await signers();
    expect(doubles.map(({ identity, hosts }) => [identity, [...hosts].sort()])).toEqual([
      [state.identity, ["new", "old"]],
    ]);
  });
});
