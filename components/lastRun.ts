import * as pulumi from "@pulumi/pulumi";

/** What the last run of this stack left in its outputs: nothing after one that failed. */
export interface LastRun {
  /** It went to the end, with all its steps. */
  readonly finished: boolean;
  /** The host's, where it was shown. */
  readonly address?: string;
  readonly fingerprint?: string;
}

/** To be asked before anything is registered: the engine reads its own state file, which it writes while it works. */
export async function lastRun(): Promise<LastRun> {
  const last = new pulumi.StackReference(`${pulumi.getOrganization()}/${pulumi.getProject()}/${pulumi.getStack()}`);
  // Not with apply, which never runs for what a run of some steps left unknown.
  const [nextStep, host] = await Promise.all(["nextStep", "host"].map((name) => last.getOutputDetails(name)));
  const { address, fingerprint } = (host?.value ?? {}) as Omit<LastRun, "finished">;
  return {
    finished: (nextStep?.value ?? nextStep?.secretValue) !== undefined,
    ...(address === undefined ? {} : { address }),
    ...(fingerprint === undefined ? {} : { fingerprint }),
  };
}
