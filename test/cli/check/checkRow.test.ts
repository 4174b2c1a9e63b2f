import { expect, test } from "vitest";
import { verdictFirst } from "../../../cli/check/checkHost";
import { amiss, checkExitCode, checkLines, good, later, plainRow } from "../../../cli/check/checkRow";
import { command } from "../../../core/util/shownLine";
import { evilText, harmless } from "../../evilText";

const rows = [amiss("host", "cores: found 1, needed 4", "needed: more\nor less"), good("references", "2 of 2 answer")];

test("what stands in the way comes last, each line of it in its column", () => {
  expect(checkLines("prod-2", [...rows, later("signer's move", "not yet")])).toEqual([
    "good   references     2 of 2 answer",
    "later  signer's move  not yet",
    "FAULT  host           cores: found 1, needed 4",
    "                      needed: more",
    "                      or less",
    "",
    "One thing stands in the way; nothing was changed. Then again: ./pillar-host check prod-2",
  ]);
});

test("in a terminal prose is wrapped in its column, and a command stays one line", () => {
  const line = "./pillar-host notify --test prod-2, which sends one notice to where it is configured";
  const shown = checkLines(
    "prod-2",
    [good("host", "one two three four five six seven eight nine ten", command(line))],
    60,
  );
  expect(shown.slice(0, -2)).toEqual([
    "good   host  one two three four five six seven eight nine",
    "             ten",
    `             ${line}`,
  ]);
  const fault = amiss("host", "found one two three four five six seven eight nine ten");
  expect(checkLines("prod-2", [fault], 60)[0]).toBe(`FAULT  host  ${fault.lines[0]?.text}`);
});

test("words of hosts and nodes command no terminal", () => {
  for (const row of [good("a", evilText), amiss("a", evilText), later("a", evilText)])
    expect(plainRow(row).lines).toEqual([harmless]);
});

test("only a fault counts in the exit code", () => {
  expect(checkExitCode(rows)).toBe(1);
  expect(checkExitCode([good("a", "b"), later("c", "d")])).toBe(0);
  expect(checkLines("prod", [later("c", "d")]).at(-1)).toBe("Nothing stands in the way, and nothing was changed.");
});

test("a row of the host begins with what the look came to, and warnings come after it", () => {
  expect(verdictFirst(["warning: clock", "warning: bandwidth", "4 cores: meets the minimums"])).toEqual([
    "4 cores: meets the minimums",
    "warning: clock",
    "warning: bandwidth",
  ]);
  expect(verdictFirst([])).toEqual([]);
});
