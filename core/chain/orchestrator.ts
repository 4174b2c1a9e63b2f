import type { RootHost } from "../ssh/root.ts";
import type { Clock } from "../util/clock.ts";
import { parseJson } from "../util/parseJson.ts";
import { isPrintable, printableLines } from "../util/printable.ts";
import { hasKind, ProblemError } from "../util/problem.ts";
import { redactSecretsAndPaths } from "../util/redact.ts";
import { callHttp, type RpcAnswer } from "./jsonRpc.ts";

/** Forms of the fields of `getBuildInfo` (docs/specification.md, 2.4). A plain `go build` has no commit. */
const buildForms = {
  version: /^v\d+\.\d+\.\d+[a-z]?$/,
  gitCommit: /^([0-9a-f]{40})?$/i,
  goVersion: /^go\d+\.\d+(\.\d+)?$/,
};
export type BuildInfo = Readonly<Record<keyof typeof buildForms, string>>;

/** Result of `getStatus`. States: 0 live, 1 key generation, 2 halted, 3 emergency, 4 re-sign. */
export interface OrchestratorStatus {
  readonly state: number;
  readonly stateName: string;
  /** Height of the newest momentum. If it differs, two answers are not one cached answer. */
  readonly momentum?: number;
  readonly peers?: number;
  /** Requests that wait for a signature. A stop during a signing ceremony makes it fail for all orchestrators. */
  readonly toSign?: number;
}

const identityFields = ["producer", "pillarName", "tssPeerId", "evmAddress"] as const;

/** Result of `getIdentity`: the orchestrator's identity in the bridge. Holds no secret. */
export type OrchestratorIdentity = Readonly<Record<(typeof identityFields)[number], string>>;

export type RpcClock = Pick<Clock, "ticks" | "sleep">;

/** Milliseconds for which an orchestrator caches its answer to getStatus. */
export const statusCacheMs = 25_000;

/** The orchestrator accepts two requests a second from all clients together. */
const retryDelayMs = 1200;
const maxRetries = 8;
const timeoutMs = 15_000;

export type OrchestratorClient = ReturnType<typeof createOrchestratorClient>;

/** Returns a client for a host's orchestrator. Calls 127.0.0.1 on the host itself: newer builds answer nobody else. */
export function createOrchestratorClient(
  host: Pick<RootHost, "forward">,
  port: number,
  { sleep }: Pick<Clock, "sleep">,
) {
  const whom = "the orchestrator";
  const request = { verb: "POST", authority: `127.0.0.1:${port}`, timeout: timeoutMs, whom } as const;
  const post = (body: string) =>
    callHttp(() => host.forward("127.0.0.1", port), { ...request, body }).catch((error: Error) => {
      if (!hasKind(error, "closedPort")) throw error;
      throw new Error(
        `nothing listens on 127.0.0.1:${port}: the orchestrator is down, or still starting (it waits for its node, the other chains' nodes, its peers)`,
      );
    });
  const call = async (method: string): Promise<object | undefined> => {
    for (let left = maxRetries; left >= 0; left -= 1) {
      const answer = await post(JSON.stringify({ method, params: [] }));
      if (answer.status !== 429) return orchestratorResult(answer, method);
      if (left > 0) await sleep(retryDelayMs);
    }
    throw new Error(`${whom} answers 429, too many requests, ${maxRetries + 1} times: which other client calls it?`);
  };
  return {
    /** @throws the reason: no answer, another form, or the orchestrator's own error word for word */
    buildInfo: async () => parseBuildInfo(await call("getBuildInfo")),
    /** Reads the status; undefined if the build lacks the method. @throws as buildInfo */
    status: async () => parseStatus(await call("getStatus")),
    identity: async () => parseIdentity(await call("getIdentity")),
  };
}

/** Creates the error of a call about the answer, not about the connection. */
const wrongAnswer = (what: string) => new ProblemError({ kind: "wrongAnswer", what });

/** Returns the result in an answer; undefined for 404: the build lacks the method. @throws what is wrong with it */
function orchestratorResult({ status, body }: RpcAnswer, method: string): object | undefined {
  if (status === 404) return undefined;
  const { result, error } = (parseJson(body) ?? {}) as { readonly result?: unknown; readonly error?: unknown };
  if (typeof error === "string" && error !== "")
    throw wrongAnswer(
      `the orchestrator answers ${method} with the error: ${printableLines(redactSecretsAndPaths(error).slice(0, 500))}`,
    );
  if (status !== 200) throw new Error(`the orchestrator's RPC answers ${method} with ${status}`);
  if (typeof result === "object" && result !== null && error === "") return result;
  throw wrongAnswer(`the answer to ${method} does not have the form {result, error: ""}: another service on the port?`);
}

function parseBuildInfo(result: object | undefined): BuildInfo {
  if (result === undefined) throw wrongAnswer("getBuildInfo is answered with 404: another service on the port?");
  const found = result as Record<string, unknown>;
  const isRight = (value: unknown, form: RegExp) => typeof value === "string" && form.test(value);
  const wrong = Object.entries(buildForms).filter(([name, form]) => !isRight(found[name], form));
  if (wrong.length === 0) return result as BuildInfo;
  throw wrongAnswer(
    `the answer to getBuildInfo does not have the specified form: ${wrong.map(([name]) => name).join(", ")} (specification, 2.4)`,
  );
}

function parseStatus(result: object | undefined): OrchestratorStatus | undefined {
  if (result === undefined) return undefined;
  const { state, stateName, frontierMomentum, peersLen, networks } = result as Record<string, unknown>;
  if (typeof state !== "number") throw new Error("the answer to getStatus has no number as its state");
  return {
    state,
    stateName: isPrintable(stateName) ? stateName : (stateNames[state] ?? "unknown"),
    momentum: typeof frontierMomentum === "number" ? frontierMomentum : undefined,
    peers: typeof peersLen === "number" ? peersLen : undefined,
    toSign: countRequests(networks),
  };
}

function countRequests(networks: unknown): number | undefined {
  if (typeof networks !== "object" || networks === null) return undefined;
  const counts = Object.values(networks as Record<string, Record<string, unknown> | null>).flatMap((network) =>
    [network?.wrapsToSign, network?.unwrapsToSign].filter((count) => typeof count === "number"),
  );
  return counts.reduce((sum, count) => sum + count, 0);
}

export const stateNames = ["live", "key generation", "halted", "emergency", "re-sign"];

function parseIdentity(result: object | undefined): OrchestratorIdentity | undefined {
  if (result === undefined) return undefined;
  const found = result as Record<string, unknown>;
  const text = (value: unknown) => (isPrintable(value) ? value : "");
  return Object.fromEntries(identityFields.map((name) => [name, text(found[name])])) as OrchestratorIdentity;
}

/** Returns the fields in which two identities differ. Ignores the Pillar's name, which the operator may change. */
export function findIdentityDifferences(found: OrchestratorIdentity, expected: Partial<Record<string, string>>) {
  return identityFields.filter(
    (name) => name !== "pillarName" && ![undefined, "", found[name]].includes(expected[name]),
  );
}

/** Compares two versions of the form v1.2.3a: below 0 if the first is older. A version without a letter comes first. */
export function compareVersions(a: string, b: string): number {
  return a.localeCompare(b, "en", { numeric: true });
}
