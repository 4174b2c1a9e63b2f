import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import ssh2 from "ssh2";
import { afterEach, beforeAll, beforeEach, expect } from "vitest";
import { ensurePlugins } from "../../../lab/toolchain/plugins";
import { type Kind, kindOf } from "../contracts/contract";
import { type Properties, Provider } from "./provider";
import { SshServer, type SshServerOptions } from "./sshServer";

export const COMMAND = "command:remote:Command";
export const PASSWORD = "a password that nobody has";
export const PASS_PHRASE = "a pass phrase";

const generate = ssh2.utils.generateKeyPairSync;
export const hostKey = generate("ed25519");
export const userKey = generate("ed25519");
export const lockedKey = generate("ed25519", { passphrase: PASS_PHRASE, cipher: "aes256-ctr", rounds: 16 });

// The lines of the private keys that say something, the password and the pass phrase.
const unspeakable = [userKey, lockedKey]
  .flatMap(({ private: key }) => key.split("\n").filter((line) => line.length > 40))
  .concat(PASSWORD, PASS_PHRASE);

/** The plugin, started anew for each test. */
export let plugin: Provider;
/** A directory of the test's own. */
export let work: string;

let executable: string;
const cleanups: (() => unknown)[] = [];
const started: Provider[] = [];

/** Runs after the test, the last one first. */
export function cleanUp(cleanup: () => unknown): void {
  cleanups.push(cleanup);
}

/** Takes the plugin, runs one for each test and searches all that it said for secrets. */
export function usePlugin(kind: Kind): void {
  beforeAll(async () => {
    const { directory } = await ensurePlugins("pulumi", ["command"], kindOf(kind));
    executable = path.join(directory, fs.readdirSync(directory)[0] as string, "pulumi-resource-command");
  }, 900_000);

  beforeEach(async () => {
    work = fs.mkdtempSync(path.join(os.tmpdir(), "command-plugin-"));
    plugin = await startPlugin();
  });

  afterEach(async () => {
    for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
    fs.rmSync(work, { recursive: true, force: true });
    expect(started.splice(0).flatMap(leaks)).toEqual([]);
  });
}

/** Starts one more plugin, with other environment variables. */
export async function startPlugin(env: NodeJS.ProcessEnv = {}): Promise<Provider> {
  const { SSH_AUTH_SOCK: _, ...own } = process.env;
  const one = await Provider.start(executable, { ...own, ...env });
  started.push(one);
  cleanUp(() => one.stop());
  return one;
}

/** Which secrets stand in a plugin's answers, errors, log lines and stderr. */
export function leaks(one: Provider): string[] {
  const said = [...one.said, JSON.stringify(one.log)].join("\n");
  return unspeakable.filter((secret) => said.includes(secret));
}

export async function startServer(options: Partial<SshServerOptions> = {}): Promise<SshServer> {
  const server = await SshServer.start({ hostKey: hostKey.private, ...options });
  cleanUp(() => server.stop());
  return server;
}

/** A connection to a server with the user's key that gives up at the first error. */
export function to(server: { port: number }, more: Properties = {}): Properties {
  return { host: "127.0.0.1", port: server.port, privateKey: userKey.private, dialErrorLimit: 0, ...more };
}

/** The message of a call that must fail. */
export function failure(call: Promise<unknown>): Promise<string> {
  return call.then(
    () => "no failure",
    (error: { details?: string }) => error.details ?? String(error),
  );
}
