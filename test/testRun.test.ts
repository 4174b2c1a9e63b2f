import { expect, test } from "vitest";
import {
  closingLine,
  contractsLine,
  contractsOf,
  countOf,
  exitCodeOf,
  failuresOf,
  type Report,
  sumOf,
  withSecondAttempt,
  worthAgain,
} from "../lab/testRun/tally.ts";
import { askedOf } from "../lab/testRun/tiers.ts";
import { removeRunFiles } from "../lab/testRun/vitest.ts";

/** Returns the runner's report of files with these tests; by default a file's status follows from its tests. */
function reportOf(files: Record<string, { tests?: string[]; status?: string }>): Report {
  const all = Object.values(files).flatMap(({ tests = [] }) => tests);
  return {
    numPassedTests: all.filter((status) => status === "passed").length,
    numFailedTests: all.filter((status) => status === "failed").length,
    testResults: Object.entries(files).map(([name, { tests = [], status }]) => ({
      name: `/checkout/${name}`,
      status: status ?? (tests.includes("failed") ? "failed" : "passed"),
      assertionResults: tests.map((each, i) => ({ status: each, fullName: `test ${i}`, ancestorTitles: [] })),
    })),
  };
}

test.each<[string, Parameters<typeof reportOf>[0], number, [number, number, number]]>([
  ["all is well", { "test/a.test.ts": { tests: ["passed", "passed"] } }, 0, [2, 0, 0]],
  ["one fails", { "test/a.test.ts": { tests: ["passed", "failed"] } }, 1, [1, 1, 0]],
  ["a unit test is skipped", { "test/a.test.ts": { tests: ["passed", "skipped", "todo"] } }, 0, [1, 0, 2]],
  ["a lab test is skipped: it has failed", { "test/lab/a.test.ts": { tests: ["passed", "skipped"] } }, 0, [1, 1, 0]],
  ["a lab test never began", { "test/lab/a.test.ts": { tests: ["pending"] } }, 1, [0, 1, 0]],
  ["a file can't be loaded", { "test/a.test.ts": { tests: ["passed"] }, b: { status: "failed" } }, 1, [1, 1, 0]],
  ["an error outside of any test", { "test/a.test.ts": { tests: ["passed"] } }, 1, [1, 1, 0]],
  ["no test at all", {}, 0, [0, 0, 0]],
])("counts passed, failed and skipped tests: %s", (_what, files, exitCode, [passed, failed, skipped]) => {
  expect(countOf({ exitCode, report: reportOf(files) })).toEqual({ passed, failed, skipped });
});

test("names a partly skipped contract, and one whose set-up failed", () => {
  const own = (title: string, status: string) => ({ status, fullName: "", ancestorTitles: [title] });
  const report = {
    ...reportOf({}),
    testResults: [
      {
        name: "/checkout/test/lab/contracts/a.long.test.ts",
        status: "passed",
        assertionResults: [
          own("contract node, the double", "passed"),
          own("contract node, the real one: znnd not at hand", "skipped"),
          own("contract hcloud plugin, the real one", "passed"),
          own("contract hcloud plugin, the real one", "skipped"),
        ],
      },
    ],
  };
  expect(countOf({ exitCode: 0, report })).toEqual({ passed: 0, failed: 0, skipped: 2 });
  expect(contractsLine(contractsOf([report]))).toBe("real: 1 contracts ran, 1 skipped (node)");
  const [file] = report.testResults;
  const unset = { ...file, status: "failed", assertionResults: [own("contract node, the real one", "skipped")] };
  const failed = { ...report, testResults: [unset as Report["testResults"][number]] };
  expect(contractsLine(contractsOf([failed]))).toBe(
    "real: 0 contracts ran, 0 skipped, 1 failed before their first test (node)",
  );
  expect(countOf({ exitCode: 1, report: failed })).toMatchObject({ failed: 1 });
  const lost = { ...report, testResults: [{ ...file, assertionResults: [own("contract node, double", "skipped")] }] };
  expect(countOf({ exitCode: 0, report: lost as Report })).toMatchObject({ failed: 1 });
});

test("files of a run that cannot be removed are reported, and do not replace its result", async () => {
  const printed: string[] = [];
  await removeRunFiles("/dev/null/run", (line) => printed.push(line));
  expect(printed).toEqual([expect.stringMatching(/^files of the run are left: ENOTDIR/)]);
});

test("gives the reason in the first lines, without the runner's own frames and without secrets", () => {
  const message = [
    "\u001b[31mAssertionError\u001b[39m: expected 1 to be 2",
    "",
    "    at Proxy.toBe (/checkout/node_modules/@vitest/expect/index.js:1:1)",
    "    at /checkout/test/a.test.ts:7:3",
    "    at runTest (/checkout/node_modules/vitest/run.js:1:1)",
  ].join("\n");
  const failed = (message: string) => ({
    ...reportOf({ "test/a.test.ts": {} }),
    testResults: [
      {
        name: "/checkout/test/a.test.ts",
        status: "failed",
        assertionResults: [{ status: "failed", fullName: "counts", ancestorTitles: [], failureMessages: [message] }],
      },
      { name: "/checkout/test/b.test.ts", status: "failed", assertionResults: [], message: "Error: no such module" },
    ],
  });
  expect(failuresOf({ exitCode: 1, report: failed(message) })).toEqual([
    "test/a.test.ts: counts\n    AssertionError: expected 1 to be 2\n    at /checkout/test/a.test.ts:7:3",
    "test/b.test.ts\n    Error: no such module",
  ]);
  const leaks = ["a.test.ts: it printed a key"];
  const bare = ["test/a.test.ts: counts", "test/b.test.ts", ...leaks];
  expect(failuresOf({ exitCode: 1, report: failed(message), leaks })).toEqual(bare);
});

test("the result is summed over the tiers, in one line, and exits with 0 only if something passed and nothing failed", () => {
  const count = (passed: number, failed: number, skipped: number) => ({ passed, failed, skipped });
  expect(closingLine(sumOf([count(20, 0, 1), count(3, 2, 0)]))).toBe("23 passed, 2 failed, 1 skipped");
  expect([count(1, 0, 3), count(1, 1, 0), count(0, 0, 3)].map(exitCodeOf)).toEqual([0, 1, 1]);
});

const lab = "test/lab/a.test.ts";
const failed = {
  exitCode: 1,
  hasStrayErrors: false,
  report: reportOf({ [lab]: { tests: ["passed", "failed"] }, "test/b.test.ts": { tests: ["passed"] } }),
};
const alone = (...tests: string[]) => ({
  exitCode: tests.includes("failed") ? 1 : 0,
  report: reportOf({ [lab]: { tests } }),
});

test("a second attempt runs for failed lab files, unless many failed", () => {
  expect(worthAgain(failed)).toEqual(["test/lab/a.test.ts"]);
  const files = (count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, i) => [`test/lab/${i}.test.ts`, { tests: ["failed"] }]));
  expect(worthAgain({ exitCode: 1, report: reportOf(files(5)) })).toHaveLength(5);
  expect(worthAgain({ exitCode: 1, report: reportOf(files(6)) })).toEqual([]);
  expect(worthAgain({ exitCode: 1, report: reportOf({ "test/b.test.ts": { tests: ["failed"] } }) })).toEqual([]);
  expect(worthAgain({ exitCode: 1 })).toEqual([]);
});

test("a second attempt replaces the first attempt if it passes, and each test counts once", () => {
  const run = withSecondAttempt(failed, lab, alone("passed", "passed"));
  expect(countOf(run)).toEqual({ passed: 3, failed: 0, skipped: 0 });
  expect(failuresOf(run)).toEqual([]);
});

test("a second attempt excuses neither an error outside of any test nor a secret that was printed", () => {
  const second = alone("passed", "passed");
  expect(countOf(withSecondAttempt({ ...failed, hasStrayErrors: true }, lab, second)).failed).toBe(1);
  const leaks = ["test/lab/a.test.ts: it printed a key"];
  expect(countOf(withSecondAttempt({ ...failed, leaks }, lab, second)).failed).toBe(1);
  expect(countOf(withSecondAttempt(failed, lab, { ...second, leaks })).failed).toBe(1);
  expect(countOf(withSecondAttempt(failed, lab, alone("failed", "failed")))).toEqual(countOf(failed));
});

const projectsOf = (...args: string[]) => askedOf(args).tier.projects;

test("the requested tests are the first tier, the long one, both in one run, or the unit tests", () => {
  expect(projectsOf()).toEqual(["unit", "lab"]);
  expect(projectsOf("--long")).toEqual(["long"]);
  expect(projectsOf("--all")).toEqual(["unit", "lab", "long"]);
  expect(projectsOf("--unit")).toEqual(["unit"]);
  expect(projectsOf("clouds")).toEqual(["unit", "lab", "long"]);
  expect(askedOf(["--long", "clouds", "-t", "name"]).filters).toEqual(["clouds", "-t", "name"]);
});
