import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { type OwnProcess, startDetached } from "../../../lab/hosts/machine.ts";
import { operatorAddress } from "../../../lab/hosts/network.ts";
import type { Lab, LabHost } from "../../../lab/lab.ts";
import { keepEngineLogs } from "../../../lab/toolchain/engineLogs.ts";
import { databaseOf, linesOf, onHost, pastPackages, reconfigure, staged, transcripts } from "../fixture.ts";

keepEngineLogs();

/** A proxy for https, which writes the name of each server that is asked for; all of them are at the operator's end. */
const proxySource = `const { connect } = require("node:net");
require("node:http").createServer().on("connect", ({ url, headers }, socket) => {
  const way = headers["proxy-authorization"] ? "by name" : "unnamed";
  require("node:fs").appendFileSync(process.argv[1], url + " " + way + "\\n");
  const to = connect(url.split(":")[1], "${operatorAddress}", () => socket.write("HTTP/1.1 200 OK\\r\\n\\r\\n"));
  to.on("error", () => socket.destroy()).pipe(socket).on("error", () => to.destroy()).pipe(to);
}).listen(3128, "${operatorAddress}");`;

describe("the deploy", () => {
  let proxy: OwnProcess | undefined;
  const proxyPassword = "Proxy-Mule-3";
  const asked = (lab: Lab) => join(lab.dir, "proxied");
  /** Gives services and logins a proxy that works for https, and one for http that nobody serves. */
  const behindProxy = async (lab: Lab, host: LabHost) => {
    await pastPackages(lab, host);
    proxy = await startDetached(
      lab.atOperator([process.execPath, "-e", proxySource, asked(lab)]),
      join(lab.dir, "p.log"),
    );
    const own = `http_proxy=http://127.0.0.1:9 https_proxy=http://op:${proxyPassword}@${operatorAddress}:3128`;
    await onHost(
      host,
      `mkdir -p /etc/systemd/system.conf.d
       printf '[Manager]\nDefaultEnvironment=%s\n' '${own}' > /etc/systemd/system.conf.d/proxy.conf
       printf '%s\n' http_proxy=http://127.0.0.1:9 https_proxy=http://127.0.0.1:9 TAR_OPTIONS=--no-such-option >> /etc/environment
       echo 'https_proxy = http://127.0.0.1:9' > /root/.wgetrc; echo 'proxy = http://127.0.0.1:9' > /root/.curlrc
       systemctl daemon-reexec`,
    );
  };
  const stage = staged(undefined, behindProxy);
  afterAll(() => proxy && process.kill(proxy.pid));
  let shown = "";

  const node = (settings: object) => stage.lab.chain("PATCH", "/nodes/host1", settings);
  const up = async () => {
    const { exitCode, output } = await stage.stack.up();
    shown += output;
    return { exitCode, output, lines: linesOf(output) };
  };
  const succeeds = async () => {
    const { exitCode, output, lines } = await up();
    expect(output).not.toContain("error");
    expect(exitCode).toBe(0);
    return lines;
  };
  const producer = async () => JSON.parse(await onHost(stage.host, "cat /root/.znn/config.json")).Producer;
  const wallet = () => onHost(stage.host, "ls /root/.znn/wallet");
  const until = (condition: string) => onHost(stage.host, `timeout 120 sh -c 'until ${condition}; do sleep 0.2; done'`);
  const killStep = () => onHost(stage.host, "systemctl kill -s KILL pillar-host-step");

  it("is an error that quotes the controller if it fails with exit code 0", async () => {
    await node({ failBuild: true, buildSeconds: 1, buildLines: 100 });
    const { exitCode, lines } = await up();
    expect(exitCode).not.toBe(0);
    expect(lines).toContain(
      `${stage.host.address}: the controller ended, but the node does not run
the controller said: Error! Could not build go-node. Aborting.
service go-node: inactive
RPC on 127.0.0.1:35997: no answer`,
    );
    expect(lines).toMatch(
      /The transcript: \/var\/log\/pillar-host\/deploy-\S+\.log on the host\. Run pulumi up -s prod again: the deploy is repeated, and a producer key that it had already made is kept\./,
    );
  });

  it("downloads through the proxy of the host's services, which the login's does not replace", async () => {
    expect(shown).toContain(`downloads go through the proxy http://${operatorAddress}:3128`);
    expect((await readFile(asked(stage.lab), "utf8")).split("\n")).toContain("releases.pillar-lab.test:443 by name");
  });

  it("stops at an unknown question, and shows it", async () => {
    await node({ failBuild: false, unknownQuestion: "Do you want to join the newer network?" });
    const { exitCode, lines } = await up();
    expect(exitCode).not.toBe(0);
    expect(lines).toContain(
      `${stage.host.address}: the controller asked something that this program does not know, and was stopped
found: Do you want to join the newer network? (Y/n):`,
    );
    expect(await onHost(stage.host, "pgrep -f [n]ode-controller || true")).toBe("");
    expect(await wallet()).toBe("");
  });

  it("says that it was killed while it built", async () => {
    await node({ unknownQuestion: null, buildSeconds: 60, buildLines: 3000 });
    const running = up();
    await until('[ "$(ls /var/log/pillar-host/deploy-* | wc -l)" = 3 ] && pgrep -f [n]ode-controller > /dev/null');
    await until("grep -q compiling $(ls /var/log/pillar-host/deploy-* | tail -n 1)");
    await killStep();
    const { exitCode, lines } = await running;
    expect(exitCode).not.toBe(0);
    expect(lines).toContain(`${stage.host.address}: deploy was stopped before it finished`);
    expect(lines).toContain("Run pulumi up -s prod again: it continues from where it was.");
    expect(await onHost(stage.host, "pgrep -f [n]ode-controller || true")).toBe("");
  });

  it("makes a new key and keeps the other after a kill between key store and configuration", async () => {
    await onHost(stage.host, "echo cut > /root/.znn/wallet/producer");
    await node({ buildSeconds: 1, rpcDown: true });
    const running = up();
    await until("grep -q Address /root/.znn/config.json && systemctl is-active -q go-node");
    await until("! pgrep -f [n]ode-controller > /dev/null");
    await killStep();
    const { exitCode, lines } = await running;
    expect(exitCode).not.toBe(0);
    expect(lines).toMatch(
      /an earlier deploy was interrupted before it wrote its configuration; its key store is kept as \/root\/\.znn\/wallet\/producer\.unfinished-\d{8}T\d{6}Z/,
    );
    expect(await wallet()).toMatch(/^producer\nproducer\.unfinished-\S+$/);
    expect(await onHost(stage.host, "cat /root/.znn/wallet/producer.unfinished-*")).toBe("cut");
  });

  it("ends with the same producer after a kill behind the configuration", async () => {
    const before = await producer();
    const keys = await wallet();
    await node({ rpcDown: false });
    await succeeds();
    expect(await producer()).toEqual(before);
    expect(await wallet()).toBe(keys);
    expect((await stage.stack.outputs()).producerAddress).toBe(before.Address);
    expect((await transcripts(stage.host)).at(-1)).toContain(
      "Producer configuration detected. Continue using the existing configuration? (Y/n): y\n",
    );
  });

  it("lets the node close its database before it runs again, as every later stop does", async () => {
    expect((await transcripts(stage.host)).at(-1)).toContain("Stopping go-node.service ...");
    expect(await onHost(stage.host, "cat /etc/systemd/system/go-node.service")).toContain("ExecStop=/usr/bin/pkill -9");
    expect(await onHost(stage.host, "systemctl show -p ExecStop -p TimeoutStopUSec go-node")).toBe(
      "TimeoutStopUSec=5min",
    );
    expect(await databaseOf(stage.host)).toBe("open");
  });

  it("is never repeated once done: a stopped node is only started", async () => {
    const before = { deploys: (await transcripts(stage.host)).length, producer: await producer() };
    expect(before.deploys).toBe(5);
    await onHost(stage.host, "systemctl stop go-node");
    expect(await databaseOf(stage.host)).toBe("");
    await reconfigure(stage.stack, stage.host, {
      controller: { release: { url: stage.lab.releaseUrl() }, deployTimeout: "3h" },
    });
    expect(await succeeds()).toMatch(/deployed before, at \S+, but go-node is not running: starting it/);
    expect(await onHost(stage.host, "systemctl is-active go-node")).toBe("active");
    expect({ deploys: (await transcripts(stage.host)).length, producer: await producer() }).toEqual(before);
  });

  it("leaves no secret in transcripts, markers, state or output", async () => {
    const { Password } = await producer();
    const places = {
      transcripts: (await transcripts(stage.host)).join("\n"),
      kept: await onHost(stage.host, "cat /var/log/pillar-host/* /var/lib/pillar-host/*"),
      state: await stage.stack.written(),
      shown,
    };
    for (const [place, text] of Object.entries(places)) {
      expect(text.length, place).toBeGreaterThan(100);
      for (const secret of [Password, JSON.stringify(Password).slice(1, -1), proxyPassword]) {
        expect(text.includes(secret), `${place} holds the password`).toBe(false);
      }
    }
  });
});
