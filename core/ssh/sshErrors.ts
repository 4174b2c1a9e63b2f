import { printable } from "../util/printable";
import { formatProblem, type Problem } from "../util/problem";

/** A permanent error, which no retry helps. An interface, because a class would not serialize. */
interface FatalError extends Error {
  fatal: true;
}

export function createFatalError(message: string): FatalError {
  return Object.assign(new Error(message), { fatal: true as const });
}

export function createForwardError(refusedForward: "closedPort" | "forbidden", what: string): ForwardError {
  return Object.assign(new Error(what), { refusedForward });
}

/** The error of a forwarding; `refusedForward` is absent if the connection failed. */
export interface ForwardError extends Error {
  readonly refusedForward?: "closedPort" | "forbidden";
}

export interface RefusedError extends FatalError {
  refused: "hostKey" | "login";
  /** The problem's `what` alone, for callers that know what is needed. */
  what: string;
  keys?: { readonly shown: string; readonly pinned: string };
  user?: string;
  /** True if the proxy refused the login, not the host behind it. */
  isFromProxy?: boolean;
}

export function createLoginRefusal(
  refused: RefusedError["refused"],
  problem: Problem,
  more: Pick<RefusedError, "keys" | "user"> = {},
): RefusedError {
  return Object.assign(createFatalError(formatProblem(problem)), { refused, what: problem.what, ...more });
}

/** An error before any login. A retry may help, except after an unknown name. */
export interface UnreachedError extends Error {
  unreached: "closedEarly" | "unknownName" | "refusedPort" | "noConnection";
  /** Text without the host. */
  reason: string;
}

export type LoginError = Error &
  Partial<Pick<RefusedError, "refused" | "what" | "keys" | "user" | "isFromProxy">> &
  Partial<UnreachedError>;

const alias = ". Is it an alias of ~/.ssh/config, which is not read here? ssh -G NAME shows its hostname";

/** Creates the error of a host that can't be reached. `said`: the host's own words, if any. */
export function createUnreachedError(where: string, error?: Error & { code?: unknown }, said = ""): UnreachedError {
  const kinds: Readonly<Record<string, UnreachedError["unreached"]>> = {
    ENOTFOUND: "unknownName",
    ECONNREFUSED: "refusedPort",
  };
  const how = error === undefined ? "closedEarly" : (kinds[String(error.code)] ?? "noConnection");
  const words = error === undefined ? closedEarly : describeConnectionError(error);
  const reason = `${words}${how === "unknownName" ? alias : ""}${said === "" ? "" : `: "${said}"`}`;
  return Object.assign(new Error(`${where}: ${reason}`), { unreached: how, reason });
}

export function isFatal(error: unknown): boolean {
  return error instanceof Error && (error as Partial<FatalError>).fatal === true;
}

const closedEarly = "the host closed the connection before the login was done";

export function describeConnectionError(error: Error & { code?: unknown }): string {
  return printable(error.message) || String(error.code ?? "connection failed");
}
