import { expect, test } from "vitest";
import { randomHistories } from "../../lab/simulation/random.ts";
import { mutated } from "../../lab/simulation/rules.ts";
import { search } from "../../lab/simulation/search.ts";
import { searches } from "../../lab/simulation/searches.ts";
import { loadProgram } from "./orders/program.ts";
import { searchOrders } from "./orders/search.ts";

const decide = "core/orchestrator/rules/moveSteps.ts";
const generation = "core/orchestrator/rules/generation.ts";
const history = "core/orchestrator/rules/moveHistory.ts";
const guardFacts = "core/eventLog/guardFacts.ts";
const twoSign = /two may sign now/;
type Change = readonly [file: string, from: string, to: string];

const unaskedSource = "an unpacked backup is started as if its source had been asked";
const unaskedSourceChange: Change = ["core/orchestrator/rules/journal.ts", "journal.isRestore !== true && ", ""];
const lastingFence = "a fence counts for ever";
const seenFenceChange: Change = [history, '(event === "fenced" || event === "unfenced")', 'event === "fenced"'];
const lastingFenceChange: Change = [history, "age >= 0 && age < sentenceMs", "true"];
const integrity = "core/eventLog/logIntegrity.ts";
const uncheckedOrder: Change = [integrity, "= findDisorder(lines, isLost)", "= undefined as string | undefined"];
const signerReleased = /the release of host . was allowed, and a signer runs there/;

/** Earlier mistakes of the program, which the search must find again. */
test.each<[string, keyof typeof searches, RegExp, Change, Change?]>([
  [
    "a live server counts as unreached after a lost laptop",
    "given up",
    /the release of host . was allowed/,
    ["core/retirement/decideRetirement.ts", "memory.isReached || isAlive", "memory.isReached"],
    ["core/retirement/guardMemory.ts", "memory.isReached || !isOwnServer", "memory.isReached"],
  ],
  [
    "a shutdown's facts count for a reinstalled host",
    "given up",
    signerReleased,
    [guardFacts, "...signsOfLife, ", ""],
    [guardFacts, "concernsHost(line, stack, host))", "false)"],
  ],
  [
    "any key share of a silent host counts, and any orchestrator on its successor",
    "given up beside an older signer",
    /the newest key share is there alone/,
    ["core/retirement/backupRule.ts", "if (hasShareForKey(bridge.key, files))", "if (true)"],
    ["core/retirement/lossRules.ts", "!hasShareForKey(bridge.key, shares)", "false"],
  ],
  [
    "another stack's journal is overwritten",
    "three stacks",
    twoSign,
    [decide, "if (foreign) return", "if (false) return"],
    [decide, "if (between) return", "if (false) return"],
  ],
  ["a second one counts as done", "by hand", /in plain sight/, [decide, "if (running === undefined)", "if (true)"]],
  [
    "an event log that is behind a host counts as complete",
    "a chain, record lost",
    twoSign,
    [generation, 'return "log behind"', "return undefined"],
  ],
  [
    "an unknown orchestrator moves without a confirmation",
    "a chain, record lost",
    twoSign,
    [generation, 'isFirst ? undefined : "first move"', "undefined"],
  ],
  [
    "a move continues although its start can't be logged",
    "a store that refuses",
    twoSign,
    [
      "core/orchestrator/move/saga.ts",
      "await actions.record(line, saga)",
      "await actions.record(line, saga).catch(() => undefined)",
    ],
  ],
  [
    "a backup takes the place of a host that the orchestrator has left",
    "a lost host",
    twoSign,
    [generation, 'step === "unpack" && isHere', 'step === "unpack"'],
    [generation, "isElsewhere ||", "false ||"],
  ],
  [
    "a backup replaces an unfenced host",
    "a lost host",
    twoSign,
    [decide, 'memory.isFenced ? step("unpack")', 'true ? step("unpack")'],
  ],
  [unaskedSource, "a restore that broke off", twoSign, unaskedSourceChange],
  [lastingFence, "a fence of long ago", twoSign, lastingFenceChange, seenFenceChange],
  [
    "a backup takes the place of a host whose start was undone",
    "a lost host that never had the orchestrator",
    twoSign,
    [generation, "known.startedFrom]", "undefined]"],
  ],
  [
    "a backup of the host that signs takes the place of another one",
    "a lost host that never had the orchestrator",
    twoSign,
    ["core/orchestrator/rules/obstacles.ts", "known?.started !== 0 ||", "true ||"],
  ],
  [
    "a fence counts before its time",
    "a fence by a wrong clock",
    twoSign,
    [history, "age >= 0 && age < sentenceMs", "age < sentenceMs"],
  ],
  ["a move begins by lines in any order", "a fence in a changed event log", twoSign, uncheckedOrder],
  ["a guard trusts lines in any order", "two event logs, given up", signerReleased, uncheckedOrder],
  [
    "a guard trusts any whole event log",
    "two event logs, given up",
    signerReleased,
    [integrity, '(inState ?? "").split(" ")', '[""]'],
  ],
  [
    "a guard forgets one event log for another",
    "two event logs, given up",
    signerReleased,
    [integrity, "return [...lacking, ", "return ["],
  ],
  [
    "a share beside the orchestrator is neither asked for nor backed up",
    "given up beside a newer share",
    /the newest key share is there alone/,
    ["core/retirement/lossRules.ts", 'if (step === "retire" || found.length === 0)', "if (true)"],
    ["core/retirement/backupRule.ts", "directory, ...sharesBeside]", "directory]"],
  ],
  [
    "a confirmation of an earlier start counts for a later one",
    "confirmations left over",
    twoSign,
    [
      generation,
      "Math.max(source, findCopied(states, saga, hosts), laterThan) < known.started",
      "laterThan === 0 && Math.max(source, findCopied(states, saga, hosts)) < known.started",
    ],
  ],
  [
    "a line that was given up stands for every other one",
    "confirmations left over",
    twoSign,
    [integrity, "missing?.startsWith(lostLine) === true", "true"],
  ],
  ["a fence counts although its host was seen", "a fence whose host came back at once", twoSign, seenFenceChange],
  ["a fence counts although the other log's copy has that", "a fence in a copied event log", twoSign, seenFenceChange],
  [
    "an older copy of the event log counts",
    "a fence in a copied event log",
    twoSign,
    [integrity, "[onMachine, `this machine", "[undefined, `this machine"],
  ],
  [
    "a fence counts although the line that ended it may be given up",
    "a fence in a copied event log",
    twoSign,
    [history, 'return details.key === "lostLine"', "return false"],
  ],
])("finds the mistake: %s", async (_what, name, why, ...changes) => {
  const rules = await mutated(changes.flatMap((each) => (each ? [{ file: each[0], from: each[1], to: each[2] }] : [])));
  const { found } = await search({ ...searches[name], depth: 5 }, { rules });
  expect(found?.why).toMatch(why);
});

test.each<[string, number, ...Change[]]>([
  [unaskedSource, 100, unaskedSourceChange],
  [lastingFence, 1000, lastingFenceChange, seenFenceChange],
])("random histories find the mistake, too: %s", async (_what, most, ...changes) => {
  const rules = await mutated(changes.map(([file, from, to]) => ({ file, from, to })));
  const { found } = await randomHistories(1, { most, until: Number.POSITIVE_INFINITY }, { rules });
  expect(found?.why).toMatch(twoSign);
});

const cloudServer = "components/host/cloudServer.ts";
const hostKey = "providers/hostKey.ts";
const cloud = "core/cloud/cloud.ts";

test.each<[string, RegExp, ...Change[]]>([
  [
    "a server belongs to whoever finds its labels",
    /claims server/,
    [hostKey, "findOrder(orders, seen) === undefined", "false"],
  ],
  [
    "a second server is the rest of a failed order, and removed",
    /DELETE .*, a server of another order|DELETE .*, on which a Pillar works/,
    [cloudServer, "each.failure !== undefined && findOrder(record.sent, each.order) !== undefined", "true"],
  ],
  [
    "an ssh key object counts by its name",
    /admits another key/,
    [cloud, "stripComment(key.public_key) === stripComment(publicKey)", "true"],
    [cloudServer, "if (sshKeyId !== undefined) await", "if (false) await"],
  ],
  [
    "an order ends without a look for its server",
    /runs without its firewall|is left running unnamed/,
    ["providers/serverOrder.ts", "if (servers.length === 0) return", "return"],
  ],
  [
    "a number is forgotten with the next order",
    /calls server .* a stranger/,
    [hostKey, "[...orders, drawOrder()]", "[drawOrder()]"],
  ],
  ["the firewall of the state exists", /has no firewall/, [cloudServer, "  await assertFirewall(run);\n", ""]],
  [
    "without a reference no registration is possible",
    /on which a Pillar works/,
    ["core/retirement/surveyRetirement.ts", '["no node was asked"]', "[]"],
  ],
])("histories of killed orders find the mistake: %s", async (_what, why, ...changes) => {
  const program = await loadProgram(changes.map(([file, from, to]) => ({ file, from, to })));
  const { found, histories } = await searchOrders(program, { seed: 1, most: 600 });
  console.log(`${histories} histories: ${found?.why}`);
  expect(found?.why).toMatch(why);
});
