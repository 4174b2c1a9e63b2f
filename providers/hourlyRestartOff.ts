import * as pulumi from "@pulumi/pulumi";
import { createConnection } from "../core/ssh/connection";
import type { SshTarget } from "../core/ssh/ssh";
import { withTimeout } from "../core/util/withTimeout";
import { DynamicResource } from "./runtime/dynamicResource";
import { watchEngine } from "./runtime/engine";

/** Plain inputs, as the provider gets them. */
interface OffInputs {
  readonly target: SshTarget;
  /** The text that turns it off, for `bash -euo pipefail -s` as the login user. */
  readonly script: string;
  /** Given in a run that found it on, another one each time. */
  readonly found?: string | undefined;
}

const limit = 120_000;

/** Turns it off where this run found it on. @throws where it stays on */
async function turnOff(inputs: OffInputs): Promise<OffInputs> {
  const { target, script, found } = inputs;
  if (found === undefined) return inputs;
  const engine = watchEngine();
  const connection = createConnection(target);
  try {
    console.log(`hourly restart: found on again in root's crontab of ${target.address}, after the node had synced`);
    const running = connection.session().then((session) => session.run("bash -euo pipefail -s hourlyRestart", script));
    const { exitCode, stdout, stderr } = await withTimeout(running, limit, `no end within ${limit / 1000} s`);
    for (const line of stdout.split("\n").filter((each) => each.trim() !== "")) console.log(line);
    if (exitCode !== 0) throw new Error(stderr.trim() || `it ended with ${exitCode ?? "the connection"}`);
    return inputs;
  } catch (error) {
    throw new Error(
      [
        `${target.address}: the hourly restart is on, and could not be turned off: a producing node misses momentums`,
        `  found: ${(error as Error).message}`,
        "  Put a # at the start of its line with crontab -e on the host, and run pulumi up again.",
      ].join("\n"),
    );
  } finally {
    if (engine.isThere()) engine.stop();
    connection.drop();
  }
}

const provider: pulumi.dynamic.ResourceProvider = {
  // A run that finds nothing has nothing to do, whatever the run before had found.
  diff: async (_id, olds, news) => {
    const differ = (key: string) => JSON.stringify(olds[key]) !== JSON.stringify(news[key]);
    return { changes: Object.keys(news).some(differ) };
  },
  create: async (inputs) => ({ id: "hourly-restart-off", outs: await turnOff(inputs) }),
  update: async (_id, _olds, news) => ({ outs: await turnOff(news) }),
};

export interface HourlyRestartOffArgs {
  /** These hold login and sudo password: secret. */
  readonly target: pulumi.Input<SshTarget>;
  readonly script: pulumi.Input<string>;
  readonly found: pulumi.Input<string | undefined>;
}

/**
 * Keeps the hourly restart off once the node has synced (docs/specification.md, 1.1, step 14): somebody may set its
 * line again.
 *
 * create and update turn it off in a run that found it on, and do nothing in any other; delete does nothing.
 */
export class HourlyRestartOff extends DynamicResource {
  constructor(name: string, args: HourlyRestartOffArgs, options?: pulumi.CustomResourceOptions) {
    super(
      "HourlyRestartOff",
      provider,
      name,
      { ...args, target: pulumi.secret(args.target), script: pulumi.secret(args.script) },
      { ...options, additionalSecretOutputs: ["target", "script"] },
    );
  }
}
