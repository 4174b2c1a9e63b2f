import { randomBytes } from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import { createOrchestratorClient, type OrchestratorClient, type RpcClock } from "../../chain/orchestrator.ts";
import { readMoveEvents } from "../../eventLog/eventLog.ts";
import { markOwn, parseEndpointWord } from "../../ssh/foreign.ts";
import type { RootHost } from "../../ssh/root.ts";
import type { Store } from "../../store/store.ts";
import { readNodeStatus } from "../../sync/nodeStatus.ts";
import { commandsFor } from "../../util/commands.ts";
import { parseJson } from "../../util/parseJson.ts";
import { toResult } from "../../util/result.ts";
import type { MoveInputs, SecureOptions } from "../hosts/moveInputs.ts";
import { readOrchestratorFacts } from "../hosts/orchestratorFacts.ts";
import { confirmFor } from "../rules/confirmations.ts";
import { type Endpoint, listEndpoints } from "../rules/endpoints.ts";
import type { WhichHost } from "../rules/journal.ts";
import { summarizeMoves } from "../rules/moveHistory.ts";
import { parseOrchestratorConfig } from "../rules/orchestratorConfig.ts";
import { readHostBridge } from "./bridgeState.ts";

/** Task of a move, and the facts that are known before its hosts are read. */
export type Requirements = Readonly<Awaited<ReturnType<typeof createRequirements>>>;

export async function createRequirements(options: SecureOptions, { old, new: fresh }: SurveyRoots, store: Store) {
  const known = summarizeMoves(await readMoveEvents(store), options.move);
  const run = commandsFor(options.stack);
  return {
    ...confirmFor(options, known, run),
    old: { ...options.old, address: old.address },
    new: { ...options.new, address: fresh.address },
    backupDirectory: store.directory,
    known,
    run,
    /** Makes the hashes of both hosts' variables comparable, in this run only. */
    salt: randomBytes(16).toString("hex"),
  };
}

/** State of both hosts, the chain and this machine before a move; no secret. */
export type MoveSurvey = Readonly<Awaited<ReturnType<typeof surveyBoth>>>;

export type OldHost = Awaited<ReturnType<typeof readOldHost>>;
export type NewHost = Awaited<ReturnType<typeof readNewHost>>;

export type ChainReaders = Readonly<ReturnType<typeof createChainReaders>>;

export const createChainReaders = (inputs: MoveInputs) => ({
  readNodeSync: () => readNodeStatus(inputs.node, inputs),
  /** Reads the bridge's state on the chain. Never throws. */
  readBridge: () => readHostBridge(inputs),
});

type SurveyRoots = Readonly<Record<WhichHost, RootHost>>;

export interface MoveSurveyDeps extends RpcClock, ChainReaders {
  readonly roots: SurveyRoots;
}

/** Reads both hosts at once, and this machine. Changes nothing; a failed read becomes a problem in the result. */
export async function surveyBoth(wanted: Requirements, deps: MoveSurveyDeps) {
  const files = readFiles(deps.roots.old, wanted, deps);
  // Both hosts try these nodes: one that the old host does not reach either is no problem of the new host.
  const endpoints = files.then(
    ({ json, facts }) => listEndpoints(json ?? {}, [wanted.old.address, wanted.copyAddress, ...facts.addresses]),
    () => [],
  );
  const [old, next, node, bridge] = await Promise.all([
    toResult(readOldHost(wanted, files, endpoints, deps)),
    toResult(readNewHost(wanted, endpoints, deps)),
    deps.readNodeSync(),
    deps.readBridge(),
  ]);
  /** `room`: free bytes for the backups on this machine. */
  return { old, new: next, node, bridge, room: readFreeBytes(wanted.backupDirectory) };
}

async function readOldHost(
  { old: paths }: Requirements,
  files: ReturnType<typeof readFiles>,
  endpoints: Promise<readonly Endpoint[]>,
  deps: MoveSurveyDeps,
) {
  const root = deps.roots.old;
  const { facts, json } = await files;
  const config = parseOrchestratorConfig(json ?? {});
  const [has, answers, reached] = await Promise.all([
    root.call("orchestrator_has", markOwn({ file: path.posix.join(paths.directory, config.keyStore) })),
    readAnswers(createOrchestratorClient(root, paths.rpcPort, deps)),
    readReached(root, endpoints, "old"),
  ]);
  return {
    ...answers,
    facts,
    config,
    /** False if config.json is missing, or no whole JSON. */
    hasConfig: json !== undefined,
    hasKeyStore: has.trim() === "yes",
    endpoints: await endpoints,
    /** Those endpoints (host:port) that answer this host. */
    reached,
  };
}

async function readAnswers(client: OrchestratorClient) {
  const build = await toResult(client.buildInfo());
  // Without the first answer, do not wait for the others.
  const status = "value" in build ? await toResult(client.status()) : build;
  const identity = "value" in build ? await toResult(client.identity()) : build;
  return { build, status, identity };
}

async function readNewHost(wanted: Requirements, endpoints: Promise<readonly Endpoint[]>, deps: MoveSurveyDeps) {
  const root = deps.roots.new;
  const { new: paths, copyAddress, sshPort, hostKey } = wanted;
  const keyType = /^(?:ssh-)?(\w+)/.exec(hostKey)?.[1] ?? "";
  const facts = await readOrchestratorFacts(root, paths, wanted.salt);
  const [scan, build, reached] = await Promise.all([
    root.call("orchestrator_scan", markOwn({ address: copyAddress, port: sshPort, key_type: keyType })),
    facts.unit.active === "active"
      ? toResult(createOrchestratorClient(root, paths.rpcPort, deps).buildInfo())
      : { problem: "it does not run" },
    readReached(root, endpoints, "new"),
  ]);
  /** Keys of the pinned one's type, each as type and key, that the old host's ssh shows this host. */
  return { facts, build, shownKeys: scan.split("\n").filter(Boolean), reached };
}

/** Reads facts and configuration. Keeps the configuration's secrets in memory only. */
async function readFiles(root: RootHost, { old: paths, salt }: Requirements, clock: RpcClock) {
  const facts = await readOrchestratorFacts(root, paths, salt);
  if (facts.directory !== "there") return { facts, json: undefined };
  return { facts, json: await readJson(root, path.posix.join(paths.directory, "config.json"), clock) };
}

/**
 * Reads a JSON file, again if it is half written, because a running orchestrator rewrites its files in place. Undefined
 * if it is missing or stays damaged.
 */
export async function readJson(root: RootHost, file: string, clock: RpcClock) {
  for (let attempt = 1; attempt <= 4; attempt += 1) {
    const text = await root
      .call("orchestrator_read", markOwn({ file }))
      .catch((error: Error & { exitCode?: number }) => {
        if (error.exitCode === undefined) throw error;
        return "";
      });
    const json = parseJson(text);
    if (json !== undefined) return json as Record<string, unknown> | null;
    await clock.sleep(500);
  }
  return undefined;
}

async function readReached(root: RootHost, listed: Promise<readonly Endpoint[]>, side: WhichHost): Promise<string[]> {
  const endpoints = [...new Set((await listed).map((each) => each[side]))];
  if (endpoints.length === 0) return [];
  const printed = await root.call("orchestrator_reaches", { endpoints: endpoints.map(parseEndpointWord) });
  return printed.split("\n").filter(Boolean);
}

/** Returns the free bytes for an unprivileged user in a directory, or where it will be created. */
export function readFreeBytes(directory: string): number {
  for (let at = path.resolve(directory); ; at = path.dirname(at)) {
    if (!fs.existsSync(at) && at !== path.dirname(at)) continue;
    const { bavail, bsize } = fs.statfsSync(at);
    return bavail * bsize;
  }
}
