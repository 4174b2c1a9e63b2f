import fs from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { contract } from "../contracts/contract";
import { COMMAND, failure, leaks, plugin, startServer, to, usePlugin, userKey, work } from "./fixture";
import { isSecret, type Properties, secret, UNKNOWN } from "./provider";
import type { SshServer } from "./sshServer";

// After each test, usePlugin searches all that the plugin said for keys, password and pass phrase.
contract("command plugin", ["pulumi-resource-command"], (kind) => {
  usePlugin(kind);

  describe("a run", () => {
    test("gets stdin, and end of file where there is none", async () => {
      const server = await startServer();
      const connection = to(server);
      const fed = await plugin.create(COMMAND, { connection, create: "cat", stdin: "one\ntwo" });
      expect(fed.outputs.stdout).toBe("one\ntwo");
      const unfed = await plugin.create(COMMAND, { connection, create: "cat; echo end" });
      expect(unfed.outputs.stdout).toBe("end");
    });

    test("keeps both streams apart and trims one newline at the end of each", async () => {
      const server = await startServer();
      const create = "printf 'a\\n\\n'; printf 'b\\n' >&2";
      const { outputs } = await plugin.create(COMMAND, { connection: to(server), create });
      expect([outputs.stdout, outputs.stderr]).toEqual(["a\n", "b"]);
    });

    test("gets the environment that the host accepts, and fails on what it refuses", async () => {
      const server = await startServer({ acceptEnv: ["GREETING"] });
      const connection = to(server);
      const environment = { GREETING: "good morning" };
      const { outputs } = await plugin.create(COMMAND, { connection, environment, create: 'echo "$GREETING"' });
      expect(outputs.stdout).toBe("good morning");

      const refused = { connection, environment: { OTHER: "x" }, create: "echo never" };
      expect(await failure(plugin.create(COMMAND, refused))).toBe(
        'could not set environment variable "OTHER": ssh: setenv failed',
      );
      expect(server.commands).toEqual(['echo "$GREETING"']);
      expect(plugin.log.map(({ severity, message }) => [severity, message.slice(0, 21)])).toContainEqual([
        "error",
        "Unable to set 'OTHER'",
      ]);
    });

    test("that fails tells status, command and all output, and leaves nothing to record", async () => {
      const server = await startServer();
      const create = "echo out; sleep 0.2; echo err >&2; exit 3";
      const attempt = plugin.create(COMMAND, { connection: to(server), create });
      expect(await failure(attempt)).toBe(`Process exited with status 3: running "${create}":\nout\nerr\n`);
      // A partial state would come as a detail of the error.
      const error = await attempt.catch((reason: { metadata: { getMap(): object } }) => reason);
      expect(Object.keys((error as { metadata: { getMap(): object } }).metadata.getMap())).not.toContain(
        "grpc-status-details-bin",
      );
    });

    test("without a command is none", async () => {
      const server = await startServer();
      const { id, outputs } = await plugin.create(COMMAND, { connection: to(server) });
      expect([id.length > 0, outputs.stdout, server.connections]).toEqual([true, "", 0]);
    });

    test("of a preview is none, and its outputs are unknown", async () => {
      const server = await startServer();
      const { outputs } = await plugin.create(COMMAND, { connection: to(server), create: "echo ran" }, true);
      expect([outputs.stdout, outputs.stderr, outputs.create]).toEqual([UNKNOWN, UNKNOWN, "echo ran"]);
      const state = (await plugin.create(COMMAND, { connection: to(server), create: "echo first" })).outputs;
      const planned = await plugin.update(COMMAND, state, { connection: to(server), create: "echo second" }, true);
      expect(planned.stdout).toBe(UNKNOWN);
      expect(server.commands).toEqual(["echo first"]);
    });
  });

  describe("the live log", () => {
    const create = "printf 'o1\\no2\\n'; sleep 0.2; echo e1 >&2";

    test.each([
      { logging: undefined, lines: ["o1", "o2", "e1"] },
      { logging: "stdoutAndStderr", lines: ["o1", "o2", "e1"] },
      { logging: "stdout", lines: ["o1", "o2"] },
      { logging: "stderr", lines: ["e1"] },
      { logging: "none", lines: [] },
    ])("with logging $logging has $lines", async ({ logging, lines }) => {
      const server = await startServer();
      const inputs = { connection: to(server), create, ...(logging ? { logging } : {}) };
      const { outputs } = await plugin.create(COMMAND, inputs);
      expect(plugin.live()).toEqual(lines);
      expect([outputs.stdout, outputs.stderr]).toEqual(["o1\no2", "e1"]);
    });

    test("refuses another value", async () => {
      const { failures } = await plugin.check(COMMAND, { connection: { host: "h" }, logging: ["stdout"] });
      expect(failures).toHaveLength(1);
    });

    test("hangs at one line over 64 KiB, as the real one does, unless logging is none", async () => {
      const server = await startServer();
      const create = "head -c 70000 /dev/zero | tr '\\0' x";
      const quiet = await plugin.create(COMMAND, { connection: to(server), create, logging: "none" });
      expect((quiet.outputs.stdout as string).length).toBe(70_000);
      const logged = plugin.create(COMMAND, { connection: to(server), create }).then(
        () => "ended",
        () => "ended",
      );
      const waited = new Promise((resolve) => setTimeout(resolve, 1500, "hangs"));
      expect(await Promise.race([logged, waited])).toBe("hangs");
      await plugin.stop();
      expect(await logged).toBe("ended");
    });
  });

  describe("a later run", () => {
    const previous = 'echo "[$PULUMI_COMMAND_STDOUT|$PULUMI_COMMAND_STDERR]"';
    const acceptEnv = ["PULUMI_COMMAND_STDOUT", "PULUMI_COMMAND_STDERR"];

    async function created(server: SshServer, more: Properties = {}): Promise<Properties> {
      const create = "echo out; echo err >&2";
      return (await plugin.create(COMMAND, { connection: to(server), create, ...more })).outputs;
    }

    test("is not needed while nothing changed", async () => {
      const server = await startServer();
      const inputs = { connection: to(server), create: "true", triggers: [1] };
      const { outputs } = await plugin.create(COMMAND, inputs);
      const diff = await plugin.diff(COMMAND, inputs, outputs, inputs);
      expect(diff).toEqual({ changes: false, replaces: [], deleteBeforeReplace: false });
    });

    test.each<{ what: string; change: Properties }>([
      { what: "create", change: { create: "false" } },
      { what: "stdin", change: { stdin: "x" } },
      { what: "environment", change: { environment: { A: "b" } } },
      { what: "logging", change: { logging: "none" } },
      { what: "connection", change: { connection: { host: "other" } } },
      // The SDK adds replaceOnChanges for triggers: see engine.long.test.ts.
      { what: "element of triggers", change: { triggers: ["b"] } },
    ])("updates, by itself never replaces, on a changed $what", async ({ change }) => {
      const server = await startServer();
      const inputs = { connection: to(server), create: "true", triggers: ["a"] };
      const { outputs } = await plugin.create(COMMAND, inputs);
      const diff = await plugin.diff(COMMAND, inputs, outputs, { ...inputs, ...change });
      expect(diff).toEqual({ changes: true, replaces: [], deleteBeforeReplace: false });
    });

    test("runs update, and create again where that is unset", async () => {
      const server = await startServer();
      const state = await created(server);
      const connection = to(server);
      const updated = await plugin.update(COMMAND, state, { connection, create: "echo c", update: "echo u" });
      expect(updated.stdout).toBe("u");
      expect((await plugin.update(COMMAND, updated, { connection, create: "echo c" })).stdout).toBe("c");
    });

    test("that fails is an error", async () => {
      const server = await startServer();
      const state = await created(server);
      const message = await failure(plugin.update(COMMAND, state, { connection: to(server), create: "exit 7" }));
      expect(message).toBe('Process exited with status 7: running "exit 7":\n');
    });

    test("gets the previous output, unless told not to", async () => {
      const server = await startServer({ acceptEnv });
      const state = await created(server);
      const inputs = { connection: to(server), create: previous };
      expect((await plugin.update(COMMAND, state, inputs)).stdout).toBe("[out|err]");
      const without = { ...inputs, addPreviousOutputInEnv: false };
      expect((await plugin.update(COMMAND, state, without)).stdout).toBe("[|]");
    });

    test("only warns where the host refuses the previous output", async () => {
      const server = await startServer();
      const state = await created(server);
      expect((await plugin.update(COMMAND, state, { connection: to(server), create: previous })).stdout).toBe("[|]");
      const warnings = plugin.log.filter(({ severity }) => severity === "warning");
      expect(warnings.map(({ message }) => message.slice(0, 37)).sort()).toEqual([
        "Unable to set 'PULUMI_COMMAND_STDERR'",
        "Unable to set 'PULUMI_COMMAND_STDOUT'",
      ]);
    });

    test("of delete runs where it is set, with the previous output", async () => {
      const server = await startServer({ acceptEnv });
      const target = path.join(work, "deleted");
      await plugin.delete(COMMAND, await created(server, { delete: `${previous} > ${target}` }));
      expect(fs.readFileSync(target, "utf8")).toBe("[out|err]\n");
    });

    test("of delete does not even connect where it is unset", async () => {
      const server = await startServer();
      const state = await created(server);
      const before = server.connections;
      await plugin.delete(COMMAND, state);
      expect(server.connections).toBe(before);
    });
  });

  describe("secrets", () => {
    test("the connection is secret in the schema, in the inputs and in the outputs", async () => {
      const { resources } = await plugin.schema();
      expect(resources[COMMAND]?.inputProperties.connection?.secret).toBe(true);
      const server = await startServer();
      const { outputs } = await plugin.create(COMMAND, { connection: to(server), create: "true" });
      expect(isSecret(outputs.connection)).toBe(true);
      const updated = await plugin.update(COMMAND, outputs, { connection: to(server), create: "echo" });
      expect(isSecret(updated.connection)).toBe(true);
    });

    test("an output is secret where the input of its name is; stdout and stderr never are", async () => {
      const server = await startServer();
      const inputs = {
        connection: secret(to(server)),
        create: secret("cat"),
        stdin: secret("hush"),
        environment: {},
        delete: "true",
      };
      const { outputs } = await plugin.create(COMMAND, inputs);
      const secrets = Object.keys(outputs).filter((name) => isSecret(outputs[name]));
      expect(secrets.sort()).toEqual(["connection", "create", "stdin"]);
      expect(outputs.stdout).toBe("hush");
    });

    test("the search for leaks finds what leaks: a key in the command is printed by its failure", async () => {
      const server = await startServer();
      await failure(plugin.create(COMMAND, { connection: to(server), create: `exit 1; ${userKey.private}` }));
      expect(leaks(plugin).length).toBeGreaterThan(1);
      plugin.said.length = 0;
    });
  });
});
