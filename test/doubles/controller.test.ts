import { existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { addressForm } from "../../lab/doubles/address";
import type { ControllerBuild } from "../../lab/doubles/controller/build";
import { libraryName, runController } from "../../lab/doubles/controller/controller";
import { givenFiles, givenNodeDirectory } from "../../lab/doubles/controller/givenNode";
import { unitText } from "../../lab/doubles/controller/service";
import { type KeyStore, openKeyStore } from "../../lab/doubles/keyStore";
import { FakeMachine } from "./fakeMachine";

const build: ControllerBuild = {
  ...{ version: "v0.0.4", menu: "v0.0.4", unknownQuestion: null, failBuild: false },
  ...{ buildSeconds: 3, buildLines: 100 },
};

let machine: FakeMachine;

beforeEach(() => {
  machine = new FakeMachine();
});

afterEach(() => rmSync(machine.root, { recursive: true }));

async function run(answers: string[] | undefined, options: Partial<ControllerBuild> = {}): Promise<string> {
  machine.output = "";
  machine.answers = answers;
  await runController(machine, { ...build, ...options });
  return machine.output;
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: colour codes begin with one
const plain = (text: string) => text.replace(/\u001b\[[\d;]*m/g, "");
const path = (name: string) => join(machine.root, name);
const keyStore = () => JSON.parse(readFileSync(path("root/.znn/wallet/producer"), "utf8")) as KeyStore;
const producer = () =>
  (JSON.parse(readFileSync(path("root/.znn/config.json"), "utf8")) as { Producer: Record<string, unknown> }).Producer;
const green = (text: string) => `\u001b[32;1m${text}\u001b[0m`;

describe("the output", () => {
  it("comes in the real order, coloured", async () => {
    expect(await run(["7"])).toBe(
      [
        `Running Node Controller with ${green("superuser privileges")}`,
        green("Node Controller v0.0.4"),
        "Gathering system information ...",
        "System info:",
        `Shell: ${green("bash")}`,
        `User: ${green("root")}`,
        `Host: ${green("host1")}`,
        `Operating system: ${green("linux")}`,
        `OS version: ${green("Debian GNU/Linux 11 (bullseye)")}`,
        `Available CPU cores: ${green("8")}`,
        `Dart runtime: ${green('2.19.6 (stable) on "linux_x64"')}`,
        `IP address: ${green("10.77.0.11")}`,
        "  1) Deploy",
        "  2) Status",
        "  3) Start service",
        "  4) Stop service",
        "  5) Resync",
        "  6) Help",
        "  7) Quit",
        "Select an option from the ones listed above",
        " ",
      ].join("\n"),
    );
  });

  it("has Migrate first in the older version, so that every number moves", async () => {
    const output = await run(["8"], { version: "v0.0.1", menu: "v0.0.1" });
    expect(output).toContain("v0.0.1");
    expect(output).toContain("  1) Migrate\n  2) Deploy\n  3) Status\n");
  });

  it("stops without root, and leaves nothing behind", async () => {
    machine.euid = 1000;
    expect(plain(await run(["1"]))).toBe(
      "Cannot start Node Controller. Some commands require superuser privileges in order to successfully complete. Please run again using superuser privileges\n",
    );
    expect(existsSync(path("root"))).toBe(false);
  });

  it("stops without a network, also for Status", async () => {
    machine.address = undefined;
    const output = await run(["2"]);
    expect(plain(output)).toMatch(/Error! Not connected to the Internet\. Please retry\.\n$/);
    expect(output).not.toContain("Deploy");
  });

  it("stops outside its own directory", async () => {
    rmSync(join(machine.workingDirectory, libraryName));
    expect(plain(await run(["2"]))).toMatch(
      /Error! Invalid argument\(s\): Failed to load dynamic library '\.\/libargon2_ffi_plugin\.so': .* Aborting\.\n$/,
    );
    expect(existsSync(path("root"))).toBe(false);
  });
});

describe("Deploy", () => {
  it("installs, builds, configures and starts the node", async () => {
    const output = plain(await run(["1"]));
    expect(machine.commands).toEqual([
      "pgrep -x go-node",
      "git version",
      "apt -y install linux-kernel-headers",
      "apt -y install make",
      "apt -y install wget",
      "sh -c command -v shasum",
      "git version",
      "file /usr/local/bin/go-node",
      "systemctl is-active go-node.service",
      "systemctl enable go-node.service",
      "systemctl start go-node.service",
    ]);
    expect(readFileSync(path("etc/systemd/system/go-node.service"), "utf8")).toBe(unitText);
    expect(readFileSync(path("usr/local/bin/go-node"), "utf8")).toBe(machine.nodeExecutable);
    expect(statSync(path("usr/local/bin/go-node")).mode & 0o777).toBe(0o755);
    const { Index, KeyFilePath, Password, Address } = producer();
    expect([Index, KeyFilePath]).toEqual([0, "producer"]);
    expect(Password).toHaveLength(16);
    expect(Address).toMatch(addressForm);
    expect(openKeyStore(keyStore(), String(Password))).toBe(Address);
    expect(output.match(/example\.org\/module/g)).toHaveLength(100);
    expect(output).toContain(`Use the address ${Address} to update the producing address of your Pillar. Caution!`);
    expect(output).toMatch(/Starting go-node\.service \.\.\.\n$/);
    expect(output).not.toContain("Are you sure");
  });

  it("has the unit that the real one writes", () => {
    for (const line of ["Restart=on-failure", "ExecStop=/usr/bin/pkill -9 go-node", "TimeoutStopSec=10s"]) {
      expect(unitText).toContain(`    ${line}\n`);
    }
  });

  it("puts what the lab gives it in place: the executable, genesis, configuration and key store of a network", async () => {
    const given = { executable: "ELF", genesis: "{}", keyStore: "{}", config: "" };
    const Producer = { Index: 0, KeyFilePath: "producer", Password: "given", Address: "z1qgiven" };
    given.config = JSON.stringify({ Net: { Seeders: ["enode"] }, Producer });
    mkdirSync(path(givenNodeDirectory), { recursive: true });
    for (const [key, name] of Object.entries(givenFiles))
      writeFileSync(path(`${givenNodeDirectory}/${name}`), given[key as keyof typeof given]);
    expect(plain(await run(["1"]))).toContain(
      "Use the address z1qgiven to update the producing address of your Pillar.",
    );
    const written = (name: string) => readFileSync(path(name), "utf8");
    expect(written("usr/local/bin/go-node")).toBe("ELF");
    expect(written("root/.znn/genesis.json") + written("root/.znn/wallet/producer")).toBe("{}{}");
    expect(JSON.parse(written("root/.znn/config.json"))).toEqual({ Net: { Seeders: ["enode"] }, Producer });
  });

  it("stops a running service first", async () => {
    await run(["1"]);
    machine.commands.length = 0;
    await run(["1", ""]);
    expect(machine.commands.slice(0, 4)).toEqual([
      "systemctl is-active go-node.service",
      "systemctl is-active go-node.service",
      "systemctl stop go-node.service",
      "git version",
    ]);
  });

  it.each([
    [4, 4e9, true],
    [5, 4e9, false],
    [4, 4e9 + 1, false],
  ])("with %i cores and %i bytes asks about the hardware: %s", async (cores, memory, asked) => {
    machine.coreCount = cores;
    machine.memory = memory;
    const output = await run(asked ? ["1", "n"] : ["1"]);
    expect(output.includes("Are you sure you want to proceed with the deployment process? (Y/n): ")).toBe(asked);
    expect(existsSync(path("usr/local/bin/go-node"))).toBe(!asked);
  });

  it.each(["", "y", "YES"])("keeps the producer when the answer is '%s'", async (answer) => {
    await run(["1"]);
    const before = [keyStore(), producer()];
    const output = await run(["1", answer]);
    expect(output).toContain("Producer configuration detected. Continue using the existing configuration? (Y/n): ");
    expect([keyStore(), producer()]).toEqual(before);
  });

  it("overwrites the producer's key without a backup when the answer is no", async () => {
    await run(["1"]);
    const before = producer().Address;
    await run(["1", "n"]);
    expect(producer().Address).not.toBe(before);
    expect(keyStore().baseAddress).toBe(producer().Address);
  });

  it("asks for the password of a key store without configuration, and gives up after three", async () => {
    await run(["1"]);
    const { Address, Password } = producer();
    writeFileSync(path("root/.znn/config.json"), "{}");
    const output = plain(await run(["1", "y", "wrong", "wrong", "wrong"]));
    expect(output).toMatch(/2 attempts left[\s\S]*1 attempts left[\s\S]*0 attempts left/);
    expect(output).toMatch(/Error! Password verification failed 3 times\. Aborting\.\n$/);
    expect(producer()).toBeUndefined();
    await run(["1", "y", String(Password)]);
    expect(producer().Address).toBe(Address);
  });

  it("leaves what was done when it is killed in the build: the unit, no node, no key", async () => {
    machine.onSleep = () => {
      throw new Error("killed");
    };
    await run(["1"]);
    expect(existsSync(path("etc/systemd/system/go-node.service"))).toBe(true);
    expect(existsSync(path("usr/local/bin/go-node"))).toBe(false);
    expect(existsSync(path("root/.znn/wallet/producer"))).toBe(false);
    expect(readFileSync(path("root/.znn/config.json"), "utf8")).toBe("{}");
  });

  it("says Error! and goes quietly when a package cannot be had or the build fails", async () => {
    machine.aptStatus = 100;
    expect(plain(await run(["1"]))).toMatch(/Error! Could not install linux-kernel-headers\n$/);
    machine.aptStatus = 0;
    expect(plain(await run(["1"], { failBuild: true }))).toMatch(/Error! Could not build go-node\. Aborting\.\n$/);
    expect(existsSync(path("usr/local/bin/go-node"))).toBe(false);
    expect(machine.active).toBe(false);
  });

  it("asks one more question when built so, or told so by the lab", async () => {
    const question = "Do you like blue?";
    expect(await run(["1", "y"], { unknownQuestion: question })).toContain(`${question} (Y/n): `);
    machine.settings = { unknownQuestion: "And red?", buildLines: 5 };
    const output = await run(["1", "y", "y"]);
    expect(output).toContain("And red? (Y/n): ");
    expect(output.match(/example\.org\/module/g)).toHaveLength(5);
  });
});

describe("without a terminal", () => {
  it("deploys silently, taking every default", async () => {
    machine.coreCount = 1;
    machine.memory = 1e9;
    const output = await run(undefined, { unknownQuestion: "Do you like blue?" });
    expect(output).not.toMatch(/Select an option|1\) Deploy|Are you sure|blue/);
    expect(machine.active).toBe(true);
    const before = producer();
    await run(undefined);
    expect(producer()).toEqual(before);
  });

  it("migrates in the older version: what was synced is gone before it fails", async () => {
    await run(["2"], { menu: "v0.0.1" });
    mkdirSync(path("root/.znn/nom"));
    const before = producer();
    const output = await run(undefined, { menu: "v0.0.1" });
    expect(output).toMatch(/Preparing to download peers\.json\nError: cannot fetch ''\n$/);
    expect(existsSync(path("root/.znn/nom"))).toBe(false);
    expect(machine.active).toBe(false);
    expect(producer()).toEqual(before);
  });

  it("gives up at once where a password is needed", async () => {
    await run(["1"]);
    writeFileSync(path("root/.znn/config.json"), "{}");
    expect(plain(await run(undefined))).toMatch(/Password verification failed 3 times\. Aborting\.\n$/);
  });
});

describe("Status", () => {
  it("shows the producer in clear among decoys", async () => {
    await run(["1"]);
    const { Address, Password } = producer();
    const output = await run(["2"]);
    expect(output).toContain("go-node.service status:\n\njournal: Password:in-the-journal\n");
    expect(output).toContain(
      `Producer Node configuration:\n\tIndex: 0\n\tKeyFilePath: producer\n\tPassword: ${Password}\n\tAddress: ${green(String(Address))}\nSyncing with the network ...\n`,
    );
    expect(plain(output)).toMatch(
      new RegExp(`There is no Pillar registered with ${Address} at momentum hash ab12 and height 42\n$`),
    );
    const decoys = (plain(output).match(/z1q\w{37}/g) ?? []).filter((address) => address !== Address);
    expect(decoys).toHaveLength(3);
    expect(plain(output).match(/^\tAddress: /gm)).toHaveLength(1);
    expect(plain(output)).toMatch(/^\tRewardAddress: z1q\w{37}$/m);
    expect(plain(output)).toMatch(/^Address: z1q\w{37}$/m);
  });

  it("names the Pillar that has the address", async () => {
    await run(["1"]);
    const producerAddress = String(producer().Address);
    machine.pillars = [{ name: "Anvil", producerAddress, currentStats: { producedMomentums: 7 } }];
    expect(plain(await run(["2"]))).toMatch(
      /The Pillar Anvil has z1q\w{37} configured as the producer address and has produced 7 momentums this epoch\n$/,
    );
  });

  it("says when the node does not run, has no producer, or is not there", async () => {
    expect(await run(["2"])).toMatch(/Producer configuration not found\n$/);
    await run(["1"]);
    machine.active = false;
    expect(await run(["2"])).toMatch(/go-node is not running\n$/);
    machine.versionStatus = 127;
    expect(plain(await run(["2"]))).toMatch(/Error! go-node unavailable\. Aborting\.\n$/);
  });
});

describe("the other entries", () => {
  it("start and stop the service once", async () => {
    expect(await run(["3"])).toMatch(/Done\n$/);
    expect(await run(["3"])).toMatch(/go-node\.service is already active\n$/);
    expect(await run(["4"])).toMatch(/Done\n$/);
    expect(await run(["4"])).toMatch(/go-node\.service is not active\n$/);
  });

  it("resync: what was synced goes, the key stays, the node runs again", async () => {
    await run(["1"]);
    mkdirSync(path("root/.znn/nom"));
    expect(await run(["5", "n"])).toContain("resync the Node starting from genesis. Do you want to continue? (Y/n): ");
    expect(existsSync(path("root/.znn/nom"))).toBe(true);
    await run(["5", "y"]);
    expect(existsSync(path("root/.znn/nom"))).toBe(false);
    expect(keyStore().baseAddress).toBe(producer().Address);
    expect(machine.active).toBe(true);
  });

  it("help", async () => {
    expect(await run(["6"])).toMatch(/Deploy - will deploy a Node[\s\S]*\nHelp\nQuit\n$/);
  });
});
