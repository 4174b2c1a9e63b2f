import crypto from "node:crypto";
import { createInterface } from "node:readline";
import { markOwn, type Variables } from "../ssh/foreign.ts";
import type { CallError, CallOptions, RootHost } from "../ssh/root.ts";
import { isFatal } from "../ssh/sshErrors.ts";
import type { Teller } from "../util/clock.ts";
import { commandsFor } from "../util/commands.ts";
import { ProblemError } from "../util/problem.ts";

/** A host of a migration, by its role in the stack. */
export type WhichHost = "old" | "new";

/** A call of a script function on one host, as the owner of its lease. */
export interface PairCall extends CallOptions {
  readonly side: WhichHost;
  readonly name: string;
  readonly variables?: Variables | undefined;
}

const retryDelayMs = 3000;
/** Longer than another run's lease and longest script together. */
const leaseTimeoutMs = 30 * 60_000;

/** Root access to the old and the new host, over connections that stay open. */
export class RootPair<Call extends PairCall = PairCall> {
  readonly roots: Readonly<Record<WhichHost, RootHost>>;
  private readonly lease: Readonly<Record<"what" | "stack", string>>;
  private readonly common: (call: Call) => Variables;
  /** Owner of the leases on both hosts: each run has another one. */
  private readonly token = crypto.randomBytes(8).toString("hex");

  /** @param lease what this run's leases are for, and its stack @param common variables of each call */
  constructor(roots: RootPair["roots"], lease: RootPair["lease"], common: (call: Call) => Variables) {
    this.roots = roots;
    this.lease = lease;
    this.common = common;
  }

  /** @throws CallError in the host's words; {@link isBroken} if the connection was lost */
  call(call: Call): Promise<string> {
    return this.roots[call.side].call(call.name, this.variables(call), call).catch(throwMarked);
  }

  /** Calls a function as {@link RootPair.call} does, and passes each line that it prints on. */
  async follow(call: Call, onLine: (line: string) => void): Promise<void> {
    const running = this.roots[call.side].stream(call.name, this.variables(call), call);
    const { stdout, done } = await running.catch(throwMarked);
    createInterface({ input: stdout }).on("line", onLine);
    await done.catch(throwMarked);
  }

  /** Takes the lease on a host (core/steps/lib/lease.sh) by this call; waits until another run's has ended. */
  async takeLease(call: Call, { ticks, sleep, say }: Teller): Promise<void> {
    const { what, stack } = this.lease;
    const { address } = this.roots[call.side];
    const end = ticks() + leaseTimeoutMs;
    for (let isFirst = true; ; isFirst = false) {
      const answer = (await this.call(call)).trim();
      if (answer.endsWith("taken")) return;
      const [, login, holder = "an unknown stack"] = /^held \d+ (\d+|-)(?: (\w[\w ./-]*))?$/.exec(answer) ?? [];
      const { up, status } = commandsFor(stack);
      const process = `its login on ${address} is process ${login}: ps -o lstart,args -p ${login}`;
      if (ticks() >= end)
        throw new ProblemError({
          kind: "anotherRun",
          what: `${address}: another run has been at work on ${what} for ${leaseTimeoutMs / 60_000} minutes; nothing was done`,
          found: [`a run of ${holder}`, Number(login) > 0 && process],
          needed: `wait until that run has finished, or press Ctrl-C in its terminal (${status()} shows its step if it is of this stack)`,
          next: `Then: ${up}`,
        });
      if (isFirst) say(`an earlier run is still at work on the ${call.side} host (${address}); waiting for it`);
      await sleep(retryDelayMs);
    }
  }

  close(): void {
    this.roots.old.close();
    this.roots.new.close();
  }

  /** Returns all variables of a call. */
  variables(call: Call): Variables {
    return { ...markOwn({ token: this.token, side: call.side }), ...this.common(call), ...call.variables };
  }
}

/** True if the hosts are to be read again: the connection was lost, so the function may have run, or its facts are outdated. */
export function isBroken(error: unknown): boolean {
  return (error as { readonly broken?: boolean }).broken === true;
}

/** Exit code of orchestrator_begin (core/steps/orchestrator/journal.sh): the run knows an outdated journal. */
const outdatedCode = 76;

function throwMarked(error: CallError): never {
  const isLost = error.exitCode === undefined && !isFatal(error);
  throw isLost || error.exitCode === outdatedCode ? Object.assign(error, { broken: true }) : error;
}
