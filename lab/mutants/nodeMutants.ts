import type { Mutant } from "./mutant";

const weighed = ["test/core/sync/evidence.test.ts"];
const evidence = "core/sync/evidence.ts";
const crontab = "core/steps/hourlyRestart.sh";

/** Mistakes by which momentums are lost, or something wrong is told. */
export const nodeMutants: readonly Mutant[] = [
  {
    what: "the newest momentum is fresh by one clock",
    file: evidence,
    from: "const fresh = newest !== undefined && isOneClock &&",
    to: "const fresh = newest !== undefined &&",
    tests: weighed,
  },
  {
    what: "a target that leaps moves on",
    file: evidence,
    from: "const paced = gained > 0 && !leaped;",
    to: "const paced = gained > 0;",
    tests: weighed,
  },
  {
    what: "good looks that span no time suffice",
    file: evidence,
    from: "evidence.streak >= options.confirmations && at - evidence.since >= options.confirmSpan",
    to: "evidence.streak >= options.confirmations",
    tests: weighed,
  },
  {
    what: "references that are left over agree for those out of sight",
    file: "core/sync/references.ts",
    from: "by.length * 2 > readings.length",
    to: "by.length * 2 > words.length",
    tests: ["test/core/sync/references.test.ts"],
  },
  {
    what: "what the sync took is told in milliseconds",
    file: "providers/syncGate.ts",
    from: "(record.syncedAt - record.startedAt) / 1000",
    to: "(record.syncedAt - record.startedAt) / 1",
    tests: ["test/providers/syncGate.test.ts"],
  },
  {
    what: "the rate of a sync is ten times what it was",
    file: "providers/syncGate.ts",
    from: "(gained / seconds) * 10) / 10",
    to: "(gained / seconds) * 10) / 1",
    tests: ["test/providers/syncGate.test.ts"],
  },
  {
    what: "a momentum of the address before ends the search though ours came later",
    file: "core/registration/findSwitch.ts",
    from: "else if (momentum.producer === earlier) return first && switchOf(first, momentum);",
    to: "else if (momentum.producer === earlier) return first && switchOf(first);",
    tests: ["test/core/registration/findSwitch.test.ts"],
  },
  {
    what: "slots that stayed empty are counted with one too many",
    file: "core/registration/findSwitch.ts",
    from: "Math.round(slots) - (height - before.height)",
    to: "Math.round(slots) - (height - before.height) + 1",
    tests: ["test/core/registration/look.test.ts"],
  },
  {
    what: "a node that lags behind the others has its word about the Pillar",
    file: "core/registration/agreement.ts",
    from: "lag(reading) <= freshMomentum",
    to: "lag(reading) >= 0",
    tests: ["test/core/registration/agreement.test.ts"],
  },
  {
    what: "a node of another chain has its word about the Pillar",
    file: "core/registration/agreement.ts",
    from: "const chain = same.by;",
    to: "const chain = current;",
    tests: ["test/core/registration/agreement.test.ts"],
  },
  {
    what: "a restart that is followed by another command is commented out",
    file: crontab,
    from: 'restart[[:blank:]]*$"',
    to: 'restart[[:blank:]]*"',
    tests: ["test/core/steps/hourlyRestart.test.ts"],
  },
  {
    what: "the hourly restart comes back after the sync",
    file: crontab,
    from: "elif is_marked synced; then",
    to: "elif false; then",
    tests: ["test/core/steps/hourlyRestart.test.ts"],
  },
  {
    what: "a running node is deployed again",
    file: "core/steps/deploy.sh",
    from: "if is_marked deploy.done; then",
    to: "if false; then",
    tests: ["test/core/steps/deploy.test.ts"],
  },
  {
    what: "two producer addresses are no contradiction",
    file: "core/steps/producerAddress.sh",
    from: 'if [ -n "$configured" ] && [ "$configured" != "$address" ]; then',
    to: "if false; then",
    tests: ["test/core/steps/producerAddress.test.ts"],
  },
  {
    what: "a plan is priced by the location that is tried last",
    file: "core/cloud/plan.ts",
    from: ".sort(inPlace)[0];",
    to: ".sort(inPlace).at(-1);",
    tests: ["test/core/cloud/plan.test.ts"],
  },
  {
    what: "`HTTP://…` is taken without a hash",
    file: "core/config/releaseSchema.ts",
    from: "/^http:/i.test(url)",
    to: "/^http:/.test(url)",
    tests: ["test/core/config/config.test.ts", "test/core/config/orchestratorSchema.test.ts"],
  },
  {
    what: "another user's process holds no lock",
    file: "cli/processes.ts",
    from: 'if ((error as NodeJS.ErrnoException).code === "ESRCH") return',
    to: "if (error) return",
    tests: ["test/cli/processes.test.ts"],
  },
  {
    what: "a phase begins with the first event, not the last",
    file: "cli/report/phases.ts",
    from: "const begun = own.findLast(",
    to: "const begun = own.find(",
    tests: ["test/cli/report/reportOf.test.ts"],
  },
  {
    what: "missed momentums of an epoch that is over are counted on in the next one",
    file: "cli/signs/production.ts",
    from: "if (before === undefined || expected < before.expected - olderBy) return first;",
    to: "if (before === undefined || expected < before.expected - olderBy) return { ...first, missed: before?.missed ?? 0 };",
    tests: ["test/cli/signs/production.test.ts"],
  },
  {
    what: "the first count of a new epoch is taken for an older answer of the one before",
    file: "cli/signs/production.ts",
    from: "if (before === undefined || expected < before.expected - olderBy) return first;",
    to: "if (before === undefined) return first;",
    tests: ["test/cli/signs/production.test.ts"],
  },
];
