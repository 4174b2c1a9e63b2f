import { printable, takeFirstLine } from "../util/printable.ts";
import { createProblemError, formatProblem, type Problem } from "../util/problem.ts";

/** An error of a connection or login. */
export interface LoginError extends Error {
  /** True if no retry helps. */
  fatal?: true;
  refused?: "hostKey" | "login" | "command";
  /** A refusal's `what` alone, for callers that know what is needed. */
  what?: string;
  keys?: { readonly shown: string; readonly pinned: string };
  /** True if the proxy failed, not the host behind it. */
  isFromProxy?: boolean;
  /** Set before any login. A retry may help, except after an unknown name. */
  unreached?: "closedEarly" | "unknownName" | "refusedPort" | "noConnection";
  /** Text without the host. */
  reason?: string;
  /** Set by a forwarding that the host refused. */
  refusedForward?: "closedPort" | "forbidden";
}

export function createFatalError(message: string, more: Partial<LoginError> = {}): LoginError {
  return Object.assign(new Error(message), { fatal: true as const, ...more });
}

export function createLoginRefusal(refused: LoginError["refused"], problem: Problem, more: Partial<LoginError> = {}) {
  return createFatalError(formatProblem(problem), { refused, what: problem.what, ...more });
}

const alias = ". Is it an alias of ~/.ssh/config, which is not read here? ssh -G NAME shows its hostname";

/** Creates the error of a host that can't be reached. `said`: the host's own words, if any. */
export function createUnreachedError(where: string, error?: Error & { code?: unknown }, said = ""): LoginError {
  const kinds: Readonly<Record<string, LoginError["unreached"]>> = {
    ENOTFOUND: "unknownName",
    ECONNREFUSED: "refusedPort",
  };
  const how = error === undefined ? "closedEarly" : (kinds[String(error.code)] ?? "noConnection");
  const words = error === undefined ? closedEarly : describeConnectionError(error);
  const reason = `${words}${how === "unknownName" ? alias : ""}${said === "" ? "" : `: "${said}"`}`;
  return Object.assign(new Error(`${where}: ${reason}`), { unreached: how, reason });
}

/** Throws if a proxy failed: that says nothing about the host behind it, so the host does not count as silent. */
export function assertProxyWorks(address: string, { isFromProxy, message }: LoginError): void {
  if (!isFromProxy) return;
  throw createProblemError({
    what: `it is not known whether ${address} answers, because the proxy before it does not work: nothing was changed`,
    found: takeFirstLine(message),
    needed: "start the proxy, or correct its block (pillar-host:ssh.proxy)",
    next: "Then run the same command again",
  });
}

export function isFatal(error: unknown): boolean {
  return error instanceof Error && (error as LoginError).fatal === true;
}

const closedEarly = "the host closed the connection before the login was done";

export function describeConnectionError(error: Error & { code?: unknown }): string {
  return printable(error.message) || String(error.code ?? "connection failed");
}
