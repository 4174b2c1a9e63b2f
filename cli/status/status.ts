import { commandsFor } from "../../core/util/commands.ts";
import { formatProblem, ProblemError } from "../../core/util/problem.ts";
import { openStack, openStackWithHost } from "./openStack.ts";

type StatusOptions = Readonly<
  Partial<Record<"all" | "watch" | "keep" | "json" | "notify" | "mute" | "unmute", boolean>>
> & {
  readonly metrics?: string;
};

/** Shows the host of a stack, once or live, or those of all stacks. @returns the exit code. @throws ProblemError */
export async function status(
  stack: string | undefined,
  { all, notify, metrics, watch: isWatched, keep, json, mute, unmute }: StatusOptions,
): Promise<number> {
  if (stack !== undefined && all)
    throw new ProblemError({ what: "name a stack, or give --all (which --notify and --metrics imply), and not both" });
  const single = Object.entries({ watch: isWatched, keep, mute, unmute }).find(([, isGiven]) => isGiven)?.[0];
  if (stack === undefined && single)
    throw new ProblemError({
      what: `--${single} is for one stack`,
      needed: `name it: ${commandsFor("STACK").status(`--${single}`)}`,
    });
  if (stack === undefined) return (await import("./overview.ts")).showAllStacks(json, notify, metrics);
  if (mute || unmute) {
    const { muteAlerts } = await import("./alerts/notifyAlerts.ts");
    console.log(await muteAlerts(await openStack(stack), mute === true));
    return 0;
  }
  const source = await openStackWithHost(stack);
  if (isWatched) return (await import("./watch.ts")).watch(source, keep === true);
  const { readStatusOnce } = await import("./readStatus.ts");
  const { view, exitCode, problem } = await readStatusOnce(source);
  const { createStatusJson } = await import("./statusJson.ts");
  const { formatReport } = await import("./statusText.ts");
  if (json) console.log(JSON.stringify(createStatusJson(view, exitCode), undefined, 2));
  else console.log(formatReport(view, process.stdout.columns ?? 120));
  if (problem) console.error(`\n${formatProblem(problem)}`);
  return exitCode;
}
