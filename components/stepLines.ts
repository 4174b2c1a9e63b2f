import * as pulumi from "@pulumi/pulumi";
import { markOwn } from "../core/ssh/foreign";
import { type OrchestratorHost, openRoot, type RootHost } from "../core/ssh/root";
import { readStepOutputLibrary } from "../core/steps/libraries";
import type { Step } from "../core/steps/step";
import { printableLines } from "../core/util/printable";
import { createStatusLine } from "./log";
import type { LoginCheck } from "./login";

/** Long, because most steps end sooner and a firewall may count connections. */
const pollIntervalMs = 5000;

/** Returns an output's promise, which its type does not expose. */
export const getPromise = <T>(output: pulumi.Output<T>) => (output as unknown as { promise(): Promise<T> }).promise();

/** Prints a step's output. The plugin's own log is off, because it would pass terminal escapes of a host on. */
interface StepLines {
  /** Hooks of the step's resource: one checks the login and follows the output, one cleans the plugin's error. */
  readonly hooks: pulumi.ResourceHookBinding;
  /** Prints the lines of a finished step that were not printed while it ran. */
  show(text: string): void;
  end(): void;
}

/** Access to a step's host, where a running step writes its output into a file. */
interface StepHost {
  readonly root: pulumi.Output<OrchestratorHost>;
  readonly loginCheck: Pick<LoginCheck, "check">;
}

export function createStepLines(
  name: string,
  step: Step,
  access: StepHost,
  open: (host: OrchestratorHost, library: string) => Pick<RootHost, "stream" | "close"> = openRoot,
): StepLines {
  const shown = new Set<string>();
  let row: pulumi.Resource | undefined;
  let isAtWork = false;
  let root: Pick<RootHost, "close"> | undefined;
  let timer: NodeJS.Timeout | undefined;

  const show = (text: string) => {
    for (const line of row ? printableLines(text).split("\n") : []) {
      if (line.trim() === "" || shown.has(line)) continue;
      shown.add(line);
      void createStatusLine(line, row);
    }
  };
  const follow = (to: OrchestratorHost): void => {
    const host = open(to, readStepOutputLibrary());
    const later = () => {
      if (isAtWork) timer = setTimeout(read, pollIntervalMs);
    };
    // Lines that can't be read now are printed at the step's end.
    const read = () => readLines(host, step, show).then(later, later);
    root = host;
    later();
  };
  const begins = new pulumi.ResourceHook(`${name}-begins`, async ({ urn }) => {
    const host = await getPromise(access.root);
    await access.loginCheck.check(host.ssh);
    if (step.quiet) return;
    // The hook's URN, because the resource's own has no value before the resource is created.
    row = { urn: pulumi.output(urn) } as pulumi.Resource;
    isAtWork = true;
    if (!step.readsOnly) follow(host);
  });
  // The engine prints the hook's error instead of the plugin's, which repeats the host's whole output.
  const fails = new pulumi.ErrorHook(name, ({ errors: [newest = ""] }) => {
    throw new Error(printableLines(newest));
  });
  return {
    hooks: { beforeCreate: [begins], beforeUpdate: [begins], onError: [fails] },
    show,
    end: () => {
      isAtWork = false;
      clearTimeout(timer);
      root?.close();
    },
  };
}

async function readLines(root: Pick<RootHost, "stream">, { name, limitSeconds }: Step, show: StepLines["show"]) {
  const { stdout, done } = await root.stream("step_output", markOwn({ step: name }), { limitSeconds });
  let rest = "";
  stdout.setEncoding("utf8").on("data", (piece: string) => {
    const lines = (rest + piece).split("\n");
    rest = lines.pop()?.slice(-1000) ?? "";
    show(lines.join("\n"));
  });
  await done;
}
