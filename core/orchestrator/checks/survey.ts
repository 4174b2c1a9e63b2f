import fs from "node:fs";
import { isIP } from "node:net";
import path from "node:path";
import { createOrchestratorClient, type OrchestratorClient, type RpcClock } from "../../chain/orchestrator";
import { markOwn, parseEndpointWord } from "../../ssh/foreign";
import type { RootHost } from "../../ssh/root";
import { parseSshd } from "../../ssh/sshdFaults";
import type { NodeStatus } from "../../sync/nodeStatus";
import { toResult } from "../../util/result";
import { isJsonText } from "../backup/backup";
import type { OrchestratorPlace, SecureOptions } from "../hosts/moveInputs";
import { type Endpoint, listEndpoints } from "../rules/endpoints";
import { parseFacts } from "../rules/hostPairFacts";
import type { WhichHost } from "../rules/journal";
import { parseOrchestratorConfig } from "../rules/orchestratorConfigFile";
import type { BridgeNow } from "./bridgeState";
import type { MoveSurvey, NewSide, OldSide, SshScan } from "./moveSurvey";

interface SurveyOptions extends Pick<SecureOptions, "old" | "new" | "copyAddress" | "sshPort" | "sshUser"> {
  /** Directory on this machine. */
  readonly backupDirectory: string;
}

export interface ChainReaders {
  /** Reads the sync gate's evidence now. */
  readNodeSync(): Promise<NodeStatus>;
  /** Reads the bridge's state on the chain. Never throws. */
  readBridge(): Promise<BridgeNow>;
}

export interface MoveSurveyDeps extends RpcClock, ChainReaders {
  readonly roots: Readonly<Record<WhichHost, RootHost>>;
}

/** Reads both hosts at once, and this machine. Changes nothing; a failed read becomes a problem in the result. */
export async function surveyBoth(options: SurveyOptions, deps: MoveSurveyDeps): Promise<MoveSurvey> {
  const { roots } = deps;
  const state = readState(roots.old, options.old, deps);
  // Both hosts try these nodes: one that the old host does not reach either is no problem of the new host.
  const endpoints = state.then(
    ({ config, addresses }) => listEndpoints(config, [roots.old.address, options.copyAddress, ...addresses]),
    () => [],
  );
  const sshd = readSshd(roots, options.sshUser);
  const oldSide = toResult(readOldSide(roots.old, options.old, { state, endpoints, sshd }, deps));
  const newSide = toResult(readNewSide(roots.new, options, endpoints, deps));
  const [old, next, node, bridge] = await Promise.all([oldSide, newSide, deps.readNodeSync(), deps.readBridge()]);
  return { old, new: next, node, bridge, room: readFreeBytes(options.backupDirectory) };
}

interface SharedReadings {
  readonly state: ReturnType<typeof readState>;
  readonly endpoints: Promise<readonly Endpoint[]>;
  readonly sshd: ReturnType<typeof readSshd>;
}

async function readOldSide(
  root: RootHost,
  place: OrchestratorPlace,
  shared: SharedReadings,
  clock: RpcClock,
): Promise<OldSide> {
  const { facts, config: json, damaged, shares } = await shared.state;
  const config = parseOrchestratorConfig(json);
  const file = path.posix.join(place.directory, config.keyStore);
  const endpoints = await shared.endpoints;
  const [has, reached, answers] = await Promise.all([
    root.call("signer_has", markOwn({ file })),
    readReached(
      root,
      endpoints.map((each) => each.old),
    ),
    readAnswers(clientOf(root, place, clock)),
  ]);
  const hasKeyStore = has.trim() === "yes";
  return { facts, ...answers, config, damaged, shares, hasKeyStore, endpoints, reached, sshd: await shared.sshd };
}

/** Reads the old host's sshd settings for a login from the new host; undefined if that has a host name, no IP. */
async function readSshd(roots: MoveSurveyDeps["roots"], user: string) {
  const from = roots.new.address;
  if (isIP(from) === 0) return undefined;
  const printed = await roots.old.call("sshd_settings", markOwn({ login_user: user, from })).catch(() => "");
  return parseSshd(printed, user, from);
}

async function readAnswers(client: OrchestratorClient): Promise<Pick<OldSide, "build" | "status" | "identity">> {
  const build = await toResult(client.buildInfo());
  // Without the first answer, do not wait for the others.
  const status = "value" in build ? await toResult(client.status()) : build;
  const identity = "value" in build ? await toResult(client.identity()) : build;
  return { build, status, identity };
}

async function readNewSide(
  root: RootHost,
  { new: place, copyAddress, sshPort }: SurveyOptions,
  endpoints: Promise<readonly Endpoint[]>,
  clock: RpcClock,
): Promise<NewSide> {
  const facts = await readOrchestratorFacts(root, place);
  const isActive = facts.active === "active";
  const [scan, build, reached] = await Promise.all([
    root.call("signer_scan", markOwn({ address: copyAddress, port: sshPort })),
    isActive ? toResult(clientOf(root, place, clock).buildInfo()) : { problem: "it does not run" },
    endpoints.then((all) =>
      readReached(
        root,
        all.map((each) => each.new),
      ),
    ),
  ]);
  return { facts, build, scan: parseSshScan(scan), reached };
}

export function parseSshScan(printed: string): SshScan {
  const [kind = "", ...keys] = printed.split("\n").flatMap((line) => line.trim() || []);
  if (kind === "keys") return { kind, keys };
  return { kind: kind === "noSsh" ? kind : "noConnection" };
}

export async function readOrchestratorFacts(
  root: RootHost,
  { service, directory, nodeDirectory, executable }: OrchestratorPlace,
) {
  return parseFacts(
    await root.call("signer_facts", markOwn({ service, directory, node_dir: nodeDirectory, executable })),
  );
}

function clientOf(root: RootHost, { rpcPort }: OrchestratorPlace, clock: RpcClock): OrchestratorClient {
  return createOrchestratorClient(root, rpcPort, clock);
}

const maxAttempts = 4;
const retryDelayMs = 500;

/** Reads facts, configuration and key shares. Keeps the files' content in memory only. */
async function readState(root: RootHost, place: OrchestratorPlace, clock: RpcClock) {
  const [facts, printed] = await Promise.all([readOrchestratorFacts(root, place), root.call("signer_addresses", {})]);
  const addresses = printed.split(/\s+/).filter((each) => isIP(each) !== 0);
  const { directory } = place;
  const damaged: string[] = [];
  let config: Record<string, unknown> = {};
  if (facts.directory !== "there") return { facts, addresses, config, damaged, shares: [] };
  const listed = facts.shares > 0 ? await root.call("signer_shares", markOwn({ directory })) : "";
  const shares = listed.split("\0").flatMap((file) => (file ? path.posix.relative(directory, file) : []));
  for (const file of ["config.json", ...shares]) {
    const json = await readJson(root, path.posix.join(directory, file), clock);
    if (json === undefined) damaged.push(file);
    else if (file === "config.json") config = (json as Record<string, unknown> | null) ?? {};
  }
  return { facts, addresses, config, damaged, shares };
}

/**
 * Reads a JSON file, again if it is half written, because a running orchestrator rewrites its files in place. Undefined
 * if it is missing or stays damaged.
 */
export async function readJson(root: RootHost, file: string, clock: RpcClock): Promise<unknown> {
  for (let attempt = 1; attempt <= maxAttempts; attempt += 1) {
    const text = await root.call("signer_read", markOwn({ file })).catch((error: Error & { exitCode?: number }) => {
      if (error.exitCode === undefined) throw error;
      return "";
    });
    if (isJsonText(text)) return JSON.parse(text);
    await clock.sleep(retryDelayMs);
  }
  return undefined;
}

async function readReached(root: RootHost, names: readonly string[]): Promise<string[]> {
  const endpoints = [...new Set(names)];
  if (endpoints.length === 0) return [];
  return (await root.call("signer_reaches", { endpoints: endpoints.map(parseEndpointWord) }))
    .split("\n")
    .filter(Boolean);
}

/** Returns the free bytes for an unprivileged user in a directory, or where it will be created. */
export function readFreeBytes(directory: string): number {
  for (let at = path.resolve(directory); ; at = path.dirname(at)) {
    if (!fs.existsSync(at) && at !== path.dirname(at)) continue;
    const { bavail, bsize } = fs.statfsSync(at);
    return bavail * bsize;
  }
}
