import fs from "node:fs";
import { isIP } from "node:net";
import path from "node:path";
import {
  type BuildInfo,
  createOrchestratorClient,
  type OrchestratorClient,
  type RpcClock,
} from "../../chain/orchestrator";
import { endpoint, own } from "../../ssh/foreign";
import type { RootHost } from "../../ssh/root";
import { parseSshd } from "../../ssh/sshdFaults";
import type { NodeStatus } from "../../sync/nodeStatus";
import { type Result, toResult } from "../../util/result";
import { isJsonText } from "../backup/backup";
import type { OrchestratorPaths } from "../hosts/moveInputs";
import { type Endpoint, endpointsOf } from "../rules/endpoints";
import { parseFacts } from "../rules/hostPairFacts";
import { orchestratorConfigOf } from "../rules/orchestratorConfigFile";
import type { BridgeNow } from "./bridgeNow";
import type { MoveSurvey, NewSide, OldSide, SshScan } from "./findings";

/** A signer's paths and port on a host. */
export interface OrchestratorPlace extends OrchestratorPaths {
  /** The node's data directory. */
  readonly nodeDirectory: string;
  readonly rpcPort: number;
}

export interface SurveyOptions {
  readonly old: OrchestratorPlace;
  readonly new: OrchestratorPlace;
  readonly copyAddress: string;
  readonly sshPort: number;
  /** Whom the copy logs in as. */
  readonly sshUser: string;
  /** Where the backups go, on this machine. */
  readonly backupDirectory: string;
}

/** Looks at what is on the chain. */
export interface ChainLooks {
  /** The gate's own evidence, of now. */
  lookAtNode(): Promise<NodeStatus>;
  /** Never throws. */
  lookAtBridge(): Promise<BridgeNow>;
}

/** Looks at both hosts at once, and at this machine. Changes nothing; what can't be had is told in words. */
export async function surveyBoth(
  roots: { readonly old: RootHost; readonly new: RootHost },
  options: SurveyOptions,
  chain: ChainLooks,
  clock: RpcClock,
): Promise<MoveSurvey> {
  const state = readState(roots.old, options.old, clock);
  // From both hosts: what the old one does not reach either is no fault of the new one's.
  const endpoints = state.then(
    ({ config, addresses }) => endpointsOf(config, [roots.old.address, options.copyAddress, ...addresses]),
    () => [],
  );
  const oldSide = toResult(lookAtOld(roots.old, options.old, state, endpoints, clock));
  const sshd = sshdOf(roots, options.sshUser);
  const newSide = toResult(lookAtNew(roots.new, options, endpoints, clock));
  const [old, next, node, bridge] = await Promise.all([oldSide, newSide, chain.lookAtNode(), chain.lookAtBridge()]);
  if ("value" in old) Object.assign(old.value, { sshd: await sshd });
  return { old, new: next, node, bridge, room: roomAt(options.backupDirectory) };
}

async function lookAtOld(
  root: RootHost,
  place: OrchestratorPlace,
  state: ReturnType<typeof readState>,
  named: Promise<readonly Endpoint[]>,
  clock: RpcClock,
): Promise<OldSide> {
  const { facts, config, damaged, shares } = await state;
  const places = orchestratorConfigOf(config);
  const file = path.posix.join(place.directory, places.keyStore);
  const endpoints = await named;
  const [has, reached, answers] = await Promise.all([
    root.call("signer_has", own({ file })),
    reachedFrom(
      root,
      endpoints.map((each) => each.old),
    ),
    answersOf(clientOf(root, place, clock)),
  ]);
  return { facts, ...answers, config: places, damaged, shares, hasKeyStore: has.trim() === "yes", endpoints, reached };
}

/** By an address that is no name: where the old host sees the new one come from is known of no other. */
async function sshdOf(roots: { readonly old: RootHost; readonly new: RootHost }, user: string) {
  const from = roots.new.address;
  if (isIP(from) === 0) return undefined;
  const printed = await roots.old.call("sshd_settings", own({ login_user: user, from })).catch(() => "");
  return parseSshd(printed, user, from);
}

async function answersOf(client: OrchestratorClient): Promise<Pick<OldSide, "build" | "status" | "identity">> {
  const build = await toResult(client.buildInfo());
  // Without the one there is no use in waiting for the others.
  const status = "value" in build ? await toResult(client.status()) : build;
  const identity = "value" in build ? await toResult(client.identity()) : build;
  return { build, status, identity };
}

async function lookAtNew(
  root: RootHost,
  { new: place, copyAddress, sshPort }: SurveyOptions,
  endpoints: Promise<readonly Endpoint[]>,
  clock: RpcClock,
): Promise<NewSide> {
  const facts = await factsOf(root, place);
  const buildOf = (): Promise<Result<BuildInfo>> => toResult(clientOf(root, place, clock).buildInfo());
  const [scan, build, reached] = await Promise.all([
    root.call("signer_scan", own({ address: copyAddress, port: sshPort })),
    facts.active === "active" ? buildOf() : { problem: "it does not run" },
    endpoints.then((all) =>
      reachedFrom(
        root,
        all.map((each) => each.new),
      ),
    ),
  ]);
  return { facts, build, scan: sshScan(scan), reached };
}

/** Reads what signer_scan prints. */
export function sshScan(printed: string): SshScan {
  const [kind = "", ...keys] = printed.split("\n").flatMap((line) => line.trim() || []);
  if (kind === "keys") return { kind, keys };
  return kind === "noScanner" || kind === "noSsh" ? { kind } : { kind: "noConnection" };
}

/** What a host tells of a signer's things. Changes nothing there. @throws as RootHost.call */
export async function factsOf(root: RootHost, { service, directory, nodeDirectory, executable }: OrchestratorPlace) {
  return parseFacts(await root.call("signer_facts", own({ service, directory, node_dir: nodeDirectory, executable })));
}

function clientOf(root: RootHost, { rpcPort }: OrchestratorPlace, clock: RpcClock): OrchestratorClient {
  return createOrchestratorClient(() => root.forward("127.0.0.1", rpcPort), rpcPort, clock);
}

const readings = 4;
const pause = 500;

/** Facts, configuration, and what is damaged. The files' content stays in this process's memory. */
async function readState(root: RootHost, place: OrchestratorPlace, clock: RpcClock) {
  const [facts, printed] = await Promise.all([factsOf(root, place), root.call("signer_addresses", {})]);
  const addresses = printed.split(/\s+/).filter((each) => isIP(each) !== 0);
  const { directory } = place;
  const damaged: string[] = [];
  let config: Record<string, unknown> = {};
  if (facts.directory !== "there") return { facts, addresses, config, damaged, shares: [] };
  const listed = facts.shares > 0 ? await root.call("signer_shares", own({ directory })) : "";
  const found = listed.split("\0").filter(Boolean);
  const shares = found.map((file) => path.posix.relative(directory, file));
  for (const file of ["config.json", ...shares]) {
    const text = await readWhole(root, path.posix.join(directory, file), clock);
    if (text === undefined) damaged.push(file);
    else if (file === "config.json") config = (JSON.parse(text) as Record<string, unknown> | null) ?? {};
  }
  return { facts, addresses, config, damaged, shares };
}

/** A running orchestrator rewrites its files in place: half of one is read now and then. */
async function readWhole(root: RootHost, file: string, clock: RpcClock): Promise<string | undefined> {
  for (let left = readings; left > 0; left -= 1) {
    const text = await root.call("signer_read", own({ file })).catch((error: Error & { exitCode?: number }) => {
      if (error.exitCode === undefined) throw error;
      return "";
    });
    if (isJsonText(text)) return text;
    await clock.sleep(pause);
  }
  return undefined;
}

async function reachedFrom(root: RootHost, names: readonly string[]): Promise<string[]> {
  const endpoints = [...new Set(names)];
  if (endpoints.length === 0) return [];
  return (await root.call("signer_reaches", { endpoints: endpoints.map(endpoint) })).split("\n").filter(Boolean);
}

/** Bytes that an unprivileged user of this machine can write in a directory, or where it will be made. */
export function roomAt(directory: string): number {
  for (let at = path.resolve(directory); ; at = path.dirname(at)) {
    if (!fs.existsSync(at) && at !== path.dirname(at)) continue;
    const { bavail, bsize } = fs.statfsSync(at);
    return bavail * bsize;
  }
}
