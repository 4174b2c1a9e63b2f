import { printable, takeFirstLine } from "../util/printable.ts";
import { hasKind, type Problem, ProblemError, type ProblemKind } from "../util/problem.ts";

/** An error of a connection or login. */
export interface LoginError extends Error {
  readonly problem?: Problem;
  /** True if the proxy failed, not the host behind it. */
  isFromProxy?: boolean;
  /** Text without the host. */
  reason?: string;
}

const alias = ". Is it a name of ~/.ssh/config, which only init and adopt read? ssh -G NAME shows its hostname";

/** Creates the error of a host that can't be reached. `said`: the host's own words, if any. */
export function createUnreachedError(where: string, error?: Error & { code?: unknown }, said = ""): LoginError {
  const kinds: Readonly<Record<string, ProblemKind>> = { ENOTFOUND: "unknownName", ECONNREFUSED: "refusedPort" };
  const kind = kinds[String(error?.code)];
  const words = error === undefined ? closedEarly : describeConnectionError(error);
  const reason = `${words}${kind === "unknownName" ? alias : ""}${said === "" ? "" : `: "${said}"`}`;
  return Object.assign(new ProblemError({ kind, what: `${where}: ${reason}` }), { reason });
}

/** Throws if a proxy failed: that says nothing about the host behind it, so the host does not count as silent. */
export function assertProxyWorks(address: string, { isFromProxy, message }: LoginError): void {
  if (!isFromProxy) return;
  throw new ProblemError({
    what: `it is not known whether ${address} answers, because the proxy before it does not work: nothing was changed`,
    found: takeFirstLine(message),
    needed: "start the proxy, or correct its block (pillar-host:ssh.proxy)",
    next: "Then run the same command again",
  });
}

/** True if the host, or its proxy, refuses this program, so that no retry helps. */
export function isFatal(error: unknown): boolean {
  return hasKind(error, "otherHostKey", "refusedLogin", "refusedCommand", "noAlgorithm", "forbidden");
}

const closedEarly = "the host closed the connection before the login was done";

export function describeConnectionError(error: Error & { code?: unknown }): string {
  return printable(error.message) || String(error.code ?? "connection failed");
}
