import type { Mutant } from "./mutant";

const decided = ["test/core/retirement/decide.test.ts"];
const rewarded = ["test/core/retirement/rewards.test.ts"];
const retired = ["test/core/steps/retirement.test.ts"];
const chainRules = "core/retirement/chainRules.ts";
const lossRules = "core/retirement/lossRules.ts";
const rewards = "core/retirement/rewards.ts";

/** Mistakes by which a host, its rewards or its signer are given up. */
export const retirementMutants: readonly Mutant[] = [
  {
    what: "of several RPCs that tell no rewards one with a day behind it suffices",
    file: lossRules,
    from: "if (!silent.every(",
    to: "if (!silent.some(",
    tests: decided,
  },
  {
    what: "of several that tell rewards the first one's word suffices",
    file: lossRules,
    from: "      told.map((reading): RetirementVerdict => {",
    to: "      told.slice(0, 1).map((reading): RetirementVerdict => {",
    tests: decided,
  },
  {
    what: "a signer that is at work on a host that goes is no obstacle",
    file: lossRules,
    from: 'if ("facts" in host && host.facts.signer.active)',
    to: 'if ("facts" in host && host.facts.signer.active && host.facts.signer.masked)',
    tests: decided,
  },
  {
    what: "a signer that is masked and has its key store is fenced",
    file: lossRules,
    from: "if (!masked || hasKeyStore)",
    to: "if (!masked)",
    tests: decided,
  },
  {
    what: "a host whose address is the registered one may go",
    file: chainRules,
    from: "if (known.includes(found.producerAddress))",
    to: "if (known.length < 0)",
    tests: decided,
  },
  {
    what: "a host whose address produced last may go",
    file: chainRules,
    from: "last.own.height > (last.registered?.height ?? 0)",
    to: "last.own.height > (last.registered?.height ?? last.own.height)",
    tests: decided,
  },
  {
    what: "a successor that is retired itself will do",
    file: chainRules,
    from: "if (look.facts.node.masked)",
    to: "if (look.facts.node.masked && node.synced)",
    tests: decided,
  },
  {
    what: "a successor with the same key will do",
    file: chainRules,
    from: "if (producer === ownProducer(facts))",
    to: "if (producer === ownProducer(facts) && !node.synced)",
    tests: decided,
  },
  {
    what: "a successor that was silent for too long produces",
    file: chainRules,
    from: "if (age === undefined || age > patience)",
    to: "if (age === undefined)",
    tests: decided,
  },
  {
    what: "another Pillar's host may go",
    file: chainRules,
    from: "if (identity === undefined || ",
    to: "if (identity === undefined || identity.endsWith(pillar) || ",
    tests: decided,
  },
  {
    what: "a host that refuses the login was never reached",
    file: "core/retirement/decide.ts",
    from: 'const isAlive = "silent" in host && host.isRefused === true;',
    to: "const isAlive = false;",
    tests: decided,
  },
  {
    what: "a host that others set up is empty where nothing lies in the usual places",
    file: "core/retirement/decide.ts",
    from: " || (memory.isReached && !memory.isOwnWork)) return undefined;",
    to: ") return undefined;",
    tests: decided,
  },
  {
    what: "rewards wait, of which less than all was collected",
    file: rewards,
    from: "uncollected.znn < paid.znn",
    to: "uncollected.znn <= paid.znn",
    tests: rewarded,
  },
  {
    what: "an epoch that ran during the switch is a whole one",
    file: rewards,
    from: "(at) => isSuccessors(startOf(rows[at]?.epoch ?? 0))",
    to: "(at) => isSuccessors(startOf((rows[at]?.epoch ?? 0) + 1))",
    tests: rewarded,
  },
  {
    what: "a paid epoch that is still to come is no fault",
    file: rewards,
    from: "rows.some((row) => row.epoch >= running)",
    to: "rows.some((row) => row.epoch > running)",
    tests: rewarded,
  },
  {
    what: "the node of a retired host is stopped before it is masked",
    file: "core/steps/retirement.sh",
    from: "  mask_node\n  stop_node\n",
    to: "  stop_node\n  mask_node\n",
    tests: retired,
  },
  {
    what: "a node run by hand is off",
    file: "core/steps/retirement.sh",
    from: '  port_is_open "$port"\n',
    to: "  return 1\n",
    tests: retired,
  },
  {
    what: "a mask of somebody else is taken off",
    file: "core/steps/nodeMask.sh",
    from: "if ! is_marked retired; then return 0; fi",
    to: "",
    tests: retired,
  },
];
