import { cp, mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parseDocument } from "yaml";
import type { SignersTruth } from "../../lab/doubles/chain/index.ts";
import { certificateFile } from "../../lab/hosts/labHosts.ts";
import { ensurePackagedImage } from "../../lab/images/packagedImage.ts";
import type { Lab, LabHost } from "../../lab/lab.ts";
import { setUpOrchestrator } from "../../lab/oldHost/runningOrchestrator.ts";
import { setUpSyncedNode } from "../../lab/oldHost/syncedNode.ts";
import type { TerminalSize } from "../../lab/operator/screen.ts";
import { inTerminal, typeCommand } from "../../lab/operator/typist.ts";
import { collectLastRewards, updateProducer } from "../../lab/operator/wallet.ts";
import { LabStack } from "../../lab/stack/stack.ts";
import { keepPrinted, noteSecret } from "../../lab/testRun/printed.ts";
import { onHost, serveNode, stackFile, testLab } from "./fixture.ts";
import { codeBlocks, commandsOf } from "./readme.ts";

const root = join(import.meta.dirname, "../..");
const { version } = JSON.parse(await readFile(join(root, "package.json"), "utf8")) as { version: string };
const blocks = codeBlocks(await readFile(join(root, "docs/steps.md"), "utf8"));
const commands = commandsOf(blocks);
const inReadme = commandsOf(codeBlocks(await readFile(join(root, "README.md"), "utf8")));
const below = (heading: string, among = commands) =>
  among.filter((each) => each.heading === heading).map(({ command }) => command);

/** A pattern of the terminal's output, and the answer to type. */
type Exchange = readonly [seen: RegExp, answer: string, only?: "where asked"];

const passphrase = "Correct Horse 'battery' 7";
const unlock: Exchange = [/passphrase to unlock config\/secrets|Pass phrase of stack \S+:/, `${passphrase}\r`];
const roomy: TerminalSize = { columns: 150, rows: 50 };
const narrow: TerminalSize = { columns: 80, rows: 24 };
const wide: TerminalSize = { columns: 120, rows: 40 };
const unlocked: Exchange = [/Pass phrase of stack \S+:/, `${passphrase}\r`, "where asked"];
/** A chain whose ticks take a second, and whose epochs take eight. */
const quick = { momentumSeconds: 0.25, tickMomentums: 4, epochSeconds: 8, rewardDelaySeconds: 1 };
const network = { epoch: "8s", momentum: "250ms", tickMomentums: 4 };

describe("docs/steps.md typed in a fresh terminal, to the old host's destroy", () => {
  let lab: Lab;
  let old: LabHost;
  let fresh: LabHost;
  let project: LabStack;
  let env: NodeJS.ProcessEnv;

  /** Types a command of the README in a terminal, with the lab's addresses instead of the examples'. */
  const type = async (command: string, exchanges: readonly Exchange[] = [], size = roomy) => {
    const line = command.replaceAll("203.0.113.7", fresh.address).replaceAll("198.51.100.9", old.address);
    const ended = await typeCommand(lab.atOperator(inTerminal(line, size)), {
      cwd: project.programDirectory,
      env,
      size,
      answers: exchanges.map(([seen, reply, only]) => ({ seen, reply, isOptional: only !== undefined })),
      isOrdered: true,
      questionMs: 120_000,
    });
    keepPrinted(ended.shown);
    return ended;
  };
  /** Expects success, and these words on the screen at the end. */
  const succeeds = async (
    command: string,
    exchanges: readonly Exchange[] = [],
    { size = roomy, words = [] }: { readonly size?: TerminalSize; readonly words?: readonly string[] } = {},
  ) => {
    const { exitCode, shown, screen } = await type(command, exchanges, size);
    expect(exitCode, `${command}\n${shown}`).toBe(0);
    for (const word of words) expect(screen).toContain(word);
    expect(screen).not.toContain("Outputs:");
    return shown;
  };
  const agreed = (what: "update" | "destroy"): Exchange[] => [
    unlock,
    [new RegExp(`Do you want to perform this ${what}`), "yes\r"],
  ];
  /** Returns the changes of a stack's file for another network. */
  const edit = async (stack: string, changes: readonly (readonly [path: string, value: unknown])[]) => {
    const file = join(project.programDirectory, `Pulumi.${stack}.yaml`);
    const document = parseDocument(await readFile(file, "utf8"));
    for (const [path, value] of changes) {
      const [key = "", ...inner] = path.split(".");
      const place = ["config", `pillar-host:${key}`, ...inner];
      if (value === undefined) document.deleteIn(place);
      else document.setIn(place, document.createNode(value));
    }
    await writeFile(file, document.toString());
  };
  const until = async (isSo: () => Promise<boolean>) => {
    const deadline = Date.now() + 120_000;
    while (!(await isSo())) {
      if (Date.now() > deadline) throw new Error("it did not come to pass in two minutes");
      await sleep(250);
    }
  };

  beforeAll(async () => {
    noteSecret("the pass phrase that is typed", passphrase);
    lab = await testLab();
    await lab.chain("PATCH", "/truth", {
      ...quick,
      chainId: "main",
      defaults: { behind: 0, rate: 1e6, startRefusedMs: 0 },
    });
    old = await lab.addHost("old", ensurePackagedImage);
    fresh = await lab.addHost("fresh", ensurePackagedImage);
    await lab.chain("PATCH", "/nodes/old", { version: "v0.0.10" });
    const producer = await setUpSyncedNode(lab, old);
    await setUpOrchestrator(lab, old);
    await lab.chain("PATCH", "/pillars/Anvil", { producerAddress: producer.address });
    // This stack provides its program's directory and its engine; the typed commands have their own home and state.
    project = await LabStack.create(lab, "other", stackFile(lab, fresh), {}, { folder: "readme" });
    // A clone's old host has the example's stack name.
    await cp(join(import.meta.dirname, "../../Pulumi.prod.yaml"), join(project.programDirectory, "Pulumi.prod.yaml"));
    const home = join(lab.dir, "reader");
    await mkdir(join(home, ".ssh"), { recursive: true, mode: 0o700 });
    await cp(lab.privateKeyFile, join(home, ".ssh/id_ed25519"));
    const certificates = { NODE_EXTRA_CA_CERTS: certificateFile(lab.dir) };
    env = { ...process.env, ...project.toolchain.env, ...certificates, HOME: home, TERM: "xterm" };
    for (const name of Object.keys(env))
      if (/^PULUMI_(CONFIG_PASSPHRASE|BACKEND_URL|STACK)|^SSH_AUTH_SOCK$/.test(name)) delete env[name];
  });
  afterAll(async () => {
    await project?.endRuns();
    await lab?.down();
  });

  it("has all its commands below the headings that this test plays", () => {
    const played = ["1. Set up the new host", "2. Adopt the old host", "3. Move the orchestrator"];
    played.push("4. Update the wallet", "5. Retire the old host", "6. Destroy the old host's stack");
    expect([...new Set(commands.map(({ heading }) => heading))]).toEqual(played);
    const lab = ["See it", "Rehearse it"];
    const others = inReadme.filter(({ heading }) => ![...lab, "Install"].includes(heading));
    // cli/migrate.long.test.ts types the first one.
    expect(others.map(({ command }) => command)).toEqual([
      "./pillar-host migrate prod-1 prod-2",
      "./pillar-host status prod-2 --watch",
      "./pillar-host next prod-2",
      "./pillar-host report prod-2",
    ]);
  });

  it("installs, and logs in to a directory of this machine", async () => {
    const [clone, install, login = "", ...more] = below("Install", inReadme);
    // The lab's program is there already, with its libraries.
    expect([clone, install, more]).toEqual([
      `git clone --branch v${version} REPOSITORY pillar-host && cd pillar-host`,
      "npm ci --omit=dev --omit=optional --ignore-scripts",
      [],
    ]);
    // The engine takes ~ from the system's list of users, which has no user of the lab.
    expect(login).toBe("pulumi login --local --non-interactive");
    await succeeds(`pulumi login file://${env.HOME} --non-interactive`);
    const other = `${passphrase}\r`;
    await succeeds("pulumi stack init other2", [
      [/Enter your passphrase to protect config/, other],
      [/Re-enter/, other],
    ]);
  });

  let producerAddress = "";

  it("1: creates the new host's stack and stands it up, with another stack selected", async () => {
    const [init = "", up = "", status = "", next = "", ...more] = below("1. Set up the new host");
    expect(more).toEqual([]);
    // The chain requires it, and the controller builds v0.0.8.
    const release = await serveNode(lab, { version: "v0.0.10" });
    const shown = await succeeds(init, [
      [/the Pillar's name on chain\?/, "Anvil\r"],
      [/Which host\?/, "\r"],
      // Pasted with blanks; nothing listens there: it asks again, and keeps the other answers.
      [/the host's address\?/, " 127.0.0.9 \r"],
      [/no ssh server with an ed25519 key answers at 127\.0\.0\.9:22[\s\S]*the host's address\?/, `${fresh.address}\r`],
      [/Is it the same key\?/, "y\r"],
      [/Which user/, "\r"],
      // Typed by mistake: it asks again.
      [/the Pillar's present host/, `${fresh.address}\r`],
      [/is the new host itself[\s\S]*What is the address of the Pillar's present host/, `${old.address}\r`],
      [/Is it the same key\?/, "y\r"],
      [/independent nodes' RPCs/, "\r"],
      [/The controller sets up the node[\s\S]*its newest release for Linux/, `${lab.releaseUrl()}\r`],
      [/The hash is from: \S+SHA256CHECKSUMS\.txt[\s\S]*Install this release\?/, "y\r"],
      [
        /On the main network v0\.0\.10 or newer is required[\s\S]*the node's release for linux-amd64/,
        `${release.url}\r`,
      ],
      [/Install this release\?/, "y\r"],
      // README's address names its version.
      [/Which version is it\?/, "\r"],
      [/How does the program log in\?/, "\r"],
      [/Choose a pass phrase:/, "x\r"],
      [/This one is too short: choose one of at least 12 characters[\s\S]*Choose a pass phrase:/, `${passphrase}\r`],
      [/Repeat the pass phrase:/, `${passphrase}\r`],
    ]);
    const fingerprintAt = async (host: LabHost) =>
      (await onHost(host, "ssh-keygen -lf /etc/ssh/ssh_host_ed25519_key.pub")).split(" ")[1] ?? "";
    const [fingerprint, oldFingerprint] = [await fingerprintAt(fresh), await fingerprintAt(old)];
    expect(shown).toContain(fingerprint);
    const screen = blocks.find(({ heading, language }) => heading === "1. Set up the new host" && language === "text");
    const example = (screen?.text ?? "")
      .replaceAll("203.0.113.7", fresh.address)
      .replaceAll("198.51.100.9", old.address)
      .replace(/SHA256:\S+/, "FRESH")
      .replace(/SHA256:\S+/, oldFingerprint)
      .replace("FRESH", fingerprint)
      .replaceAll(/https:\S+\.tar\.gz/g, release.url)
      .replace(/https:\S+\.zip/, lab.releaseUrl())
      .replace(/(?<=Its page: ).*/, new URL(".", release.url).href)
      .replace(/(?<=The hash is from: ).*/, new URL("SHA256CHECKSUMS.txt", release.url).href)
      .replace(/\b[0-9a-f]{64}\b/, release.sha256);
    for (const line of example.split("\n").filter((each) => each !== "[…]")) expect(shown).toContain(line);
    expect(shown).not.toContain(passphrase);
    expect(shown.trim().split("\n").at(-1)?.trim()).toBe(up);
    await edit("prod-2", [
      ["host.minimums", { cores: 1, diskGb: 1 }],
      ["controller", { release: { url: lab.releaseUrl() } }],
      ["node.service", undefined],
      ["network", network],
    ]);
    await endsBeforeTheSync(up);
    await edit("prod-2", [["node.release", release]]);
    const cut = await type(up, [...agreed("update"), [/Updating \(prod-2\)[\s\S]*node-sync/, "\u0003"]], narrow);
    expect(cut.exitCode, cut.shown).not.toBe(0);
    expect(cut.screen).toMatch(/error: .*cancel/);
    const words = ["What comes next:", "desktop wallet:", "field: z1q", "Then: pulumi up -s prod-2"];
    const stood = await succeeds(up, agreed("update"), { size: narrow, words });
    [producerAddress = ""] = /z1q[0-9a-z]{37}/.exec(stood) ?? [];
    expect(producerAddress).not.toBe("");
    expect(await succeeds(status, [unlocked])).toContain("synced");
    await succeeds(next, [unlocked]);
  });

  /** Runs without node.release: the source tells which version Deploy would build; if it does not, the node tells it. */
  async function endsBeforeTheSync(up: string): Promise<void> {
    const controller = { release: { url: lab.releaseUrl() } };
    const isSetUp = () => onHost(fresh, "ls /var/lib/pillar-host 2> /dev/null || true");
    await edit("prod-2", [
      ["node", { leastVersion: "v0.0.10" }],
      ["controller", { ...controller, source: lab.sourceUrl() }],
    ]);
    const early = await type(up, agreed("update"), narrow);
    // The fault and the next command; the heading of a long refusal may be above them.
    expect(early.screen).toContain("the node's version: found v0.0.8");
    expect(early.screen).toContain("then run pulumi up -s prod-2 again.");
    expect(early.exitCode, early.shown).not.toBe(0);
    const words =
      / the node's version: found v0\.0\.8 \(by Deploy, from \S+\), needed another: v0\.0\.10 or newer is required .*: set pillar-host:node\.release to its url, sha256 and version/;
    expect(early.shown).toMatch(words);
    expect(await isSetUp()).toBe("");

    await edit("prod-2", [
      ["node", undefined],
      ["controller", controller],
    ]);
    const late = await type(up, agreed("update"), wide);
    expect(late.screen).toContain("the node is too old for the network");
    expect(late.exitCode, late.shown).not.toBe(0);
    expect(late.shown).toContain(`${fresh.address}: the node is too old for the network: its sync is not waited for`);
    expect(late.shown).toMatch(/found: the node is v0\.0\.8; v0\.0\.10 or newer is required from height 14567887 on/);
    expect(late.shown).toMatch(/needed: install v0\.0\.10 or newer from https:.*, then pulumi up -s prod-2/);
    expect(late.shown).not.toMatch(/z1q[0-9a-z]{37}/);
    expect(await isSetUp()).not.toMatch(/^synced$/m);
  }

  it("2: adopts the old host, and nothing on it changes", async () => {
    const [adopt = "", ...more] = below("2. Adopt the old host");
    expect(more).toEqual([]);
    const pid = () => onHost(old, "systemctl show -p MainPID go-node orchestrator");
    const before = await pid();
    // The run that it ends in has the pass phrase that was typed.
    const [, update] = agreed("update");
    const shown = await succeeds(
      adopt,
      [[/Pass phrase of stack prod-2:/, `${passphrase}\r`], ...(update ? [update] : [])],
      { size: wide, words: ["What comes next:", "./pillar-host next prod-2"] },
    );
    // Its key was compared when prod-2 was made.
    expect(shown).not.toContain("Is it the same key?");
    expect(shown).toContain("running: pulumi up -s prod-1\n");
    expect(shown).not.toContain(passphrase);
    expect(await readFile(join(project.programDirectory, "Pulumi.prod-1.yaml"), "utf8")).not.toMatch(
      /go-zenon|node-v0/,
    );
    expect(shown.trim().split("\n").at(-1)?.trim()).toBe("./pillar-host next prod-2");
    expect(await pid()).toBe(before);
  });

  it("3: moves the orchestrator with README.md's lines for the stack's file", async () => {
    const [write = "", check = "", move = "", ...more] = below("3. Move the orchestrator");
    expect(more).toEqual([]);
    const { url, version: release } = lab.orchestratorRelease();
    const line = `${write} --release ${url} --release-version ${release}`;
    const refused = await type(line, [[/Install this release\?/, "n\r"]]);
    expect(refused.exitCode).toBe(2);
    expect(refused.shown).toMatch(/SHA-256: [0-9a-f]{64}[\s\S]*The hash is from: \S+\/SHA256CHECKSUMS\.txt/);
    const shown = await succeeds(line, [[/Install this release\?/, "y\r"], [/Type\s+never:/, "never\r"], unlocked]);
    expect(shown).toContain(check);
    await edit("prod-2", [["orchestrator.steadySeconds", 3]]);
    expect(await succeeds(check, [unlocked])).toContain("the bridge will be without this orchestrator for");
    const words = ["The orchestrator signs here now", "desktop wallet:", "field: z1q", "Then: pulumi up -s prod-2"];
    await succeeds(move, agreed("update"), { size: narrow, words });
    expect(await readFile(join(project.programDirectory, "Pulumi.prod-2.yaml"), "utf8")).not.toContain("firstMove");
    expect(await onHost(fresh, "systemctl is-active orchestrator")).toBe("active");
    expect((await lab.chain<SignersTruth>("GET", "/signers")).doubles).toEqual([]);
  });

  it("4: the wallet's new address carries momentums", async () => {
    const [up = "", ...more] = below("4. Update the wallet");
    expect(more).toEqual([]);
    await updateProducer(lab, "Anvil", producerAddress);
    let screen = "";
    await until(async () => {
      ({ screen } = await type(up, agreed("update"), narrow));
      return screen.includes("has produced here since");
    });
    expect(screen).toMatch(/What comes next:[\s\S]*pulumi destroy -s OLD\n/);
  });

  it("5: shuts the old host's node down", async () => {
    const [retire = "", ...more] = below("5. Retire the old host");
    expect(more).toEqual([]);
    const words = ["What comes next:", "  pulumi destroy -s prod-1"];
    const shown = await succeeds(retire, agreed("update"), { size: narrow, words });
    expect(shown).toContain("running: pulumi up -s prod-1\n");
    expect(await onHost(old, "systemctl is-active go-node || true")).not.toBe("active");
    expect(await onHost(fresh, "systemctl is-active go-node")).toBe("active");
  });

  it("6: destroys the old host after the rewards, and reports", async () => {
    const [destroy = "", report = "", ...more] = below("6. Destroy the old host's stack");
    expect(more).toEqual([]);
    const early = await type(destroy, agreed("destroy"), narrow);
    expect(early.exitCode, early.shown).not.toBe(0);
    expect(early.screen).toContain("needed: ");
    await collectLastRewards(lab, "Anvil");
    await succeeds(destroy, agreed("destroy"));
    expect(await succeeds(report)).toContain("prod-2");
  });
});
