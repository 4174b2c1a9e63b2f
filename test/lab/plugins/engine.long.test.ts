import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import ssh2 from "ssh2";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ensureToolchain } from "../../../lab/toolchain";
import { contract, kindOf } from "../contracts/contract";
import { SshServer } from "./sshServer";
import { makeTinyProject, runInTiny } from "./tinyProject";

// The real engine, a tiny TypeScript program and the command plugin.

const hostKey = ssh2.utils.generateKeyPairSync("ed25519");
const userKey = ssh2.utils.generateKeyPairSync("ed25519");
// It reads its stdin: a command that ends without may fail with EOF, in the real plugin too.
const DELETE = "cat > /dev/null; echo gone";

const program = `import * as command from "@pulumi/command";
const connection = {
  host: "127.0.0.1",
  port: Number(process.env.SSH_PORT),
  privateKey: process.env.SSH_KEY!,
  hostKey: process.env.SSH_HOST_KEY!,
};
export const node = [...process.execArgv, Reflect.get(globalThis, "loadedFirst")];
const { args, opts } = JSON.parse(process.env.COMMAND!);
export const stdout = new command.remote.Command("tiny", { connection, ...args }, opts).stdout;
`;

contract("language host", ["pulumi-language-nodejs", "pulumi-resource-command"], (kind) => {
  let work: string;
  let server: SshServer;
  let pulumi: (...args: string[]) => Promise<string>;
  let said = "";

  beforeAll(async () => {
    work = fs.mkdtempSync(path.join(os.tmpdir(), "toolchain-"));
    server = await SshServer.start({ hostKey: hostKey.private });
    // Each run would check the types of the SDK anew.
    const compilerOptions = { target: "ES2022", module: "commonjs", moduleResolution: "node10", noCheck: true };
    const files = {
      "first.js": "globalThis.loadedFirst = true;\n",
      "tsconfig.json": JSON.stringify({ compilerOptions, files: ["index.ts"] }),
      "index.ts": program,
    };
    makeTinyProject(work, files, { nodeargs: "--title=tiny  --require=./first.js" });

    const toolchain = await ensureToolchain({ home: path.join(work, "home"), kind: kindOf(kind) });
    const env = { SSH_PORT: String(server.port), SSH_KEY: userKey.private, SSH_HOST_KEY: hostKey.public };
    pulumi = async (...args) => {
      const { exitCode, all } = await runInTiny(work, toolchain, args, env);
      said += all;
      if (exitCode !== 0) throw new Error(all);
      return all;
    };
    await pulumi("stack", "init", "test");
  }, 900_000);

  afterAll(async () => {
    delete process.env.COMMAND;
    await server.stop();
    fs.rmSync(work, { recursive: true, force: true });
  });

  function up(args: object, opts: object = {}): Promise<string> {
    process.env.COMMAND = JSON.stringify({ args, opts });
    server.commands.length = 0;
    return pulumi("up", "--yes", "--skip-preview", "--stack", "test");
  }

  interface Resource {
    type: string;
    outputs: Record<string, unknown>;
  }

  async function recorded(): Promise<Resource[]> {
    const state = JSON.parse(await pulumi("stack", "export", "--stack", "test")) as {
      deployment: { resources?: Resource[] };
    };
    return (state.deployment.resources ?? []).filter(({ type }) => type === "command:remote:Command");
  }

  describe("a program under the lab's engine", () => {
    const args = { create: "cat; echo made", stdin: "hush ", delete: DELETE, triggers: ["a"] };

    test("previews without running anything", async () => {
      process.env.COMMAND = JSON.stringify({ args });
      expect(await pulumi("preview", "--stack", "test")).toContain("stdout: [unknown]");
      expect(server.connections).toBe(0);
    });

    test("does not record a create that failed, and says why", async () => {
      const failed = await up({ create: "echo no luck; exit 3" }).catch(String);
      expect(failed).toContain('Process exited with status 3: running "echo no luck; exit 3":');
      expect(await recorded()).toEqual([]);
    });

    test("runs a command, and not again while nothing changed", async () => {
      expect(await up(args)).toContain('stdout: "hush made"');
      expect(await up(args)).toContain("2 unchanged");
      expect(server.commands).toEqual([]);
    });

    test("begins its Node as Pulumi.yaml's nodeargs say", async () => {
      const node = await pulumi("stack", "output", "node", "--json", "--stack", "test");
      expect(JSON.parse(node)).toEqual(["--title=tiny", "--require=./first.js", true]);
    });

    test("runs create again on a changed input", async () => {
      expect(await up({ ...args, stdin: "again " })).toContain("1 updated");
      expect(server.commands).toEqual(["cat; echo made"]);
    });

    test("replaces on changed triggers: the new create, then the old delete", async () => {
      expect(await up({ ...args, triggers: ["b"] })).toContain("1 replaced");
      expect(server.commands).toEqual(["cat; echo made", DELETE]);
    });

    test("keeps output in clear unless told otherwise, and then out of the log too", async () => {
      await up(args);
      expect((await recorded())[0]?.outputs.stdout).toBe("hush made");
      const quiet = { ...args, logging: "none", stdin: "whispered " };
      const printed = await up(quiet, { additionalSecretOutputs: ["stdout", "stderr"] });
      expect((await recorded())[0]?.outputs.stdout).toHaveProperty("ciphertext");
      expect(printed).not.toContain("whispered");
    });

    test("runs delete on destroy", async () => {
      server.commands.length = 0;
      await pulumi("destroy", "--yes", "--skip-preview", "--stack", "test");
      expect(server.commands).toEqual([DELETE]);
    });

    test("leaves the private key nowhere: not in what was printed, not in state, history or home", () => {
      const lines = userKey.private.split("\n").filter((line) => line.length > 40);
      const files = fs.readdirSync(work, { recursive: true, encoding: "utf8" });
      const contents = files
        .filter((name) => !name.startsWith("node_modules") && !name.startsWith("home/plugins"))
        .map((name) => path.join(work, name))
        .filter((name) => fs.lstatSync(name).isFile())
        .map((name) => fs.readFileSync(name, "utf8"));
      expect(contents.length).toBeGreaterThan(5);
      expect(lines.length).toBeGreaterThan(1);
      expect(lines.filter((line) => [said, ...contents].some((content) => content.includes(line)))).toEqual([]);
    });
  });
});
