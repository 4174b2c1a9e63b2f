import { describe, expect, test } from "vitest";
import type { Journal } from "../../../core/orchestrator/rules/journal";
import { decideRetirement, needsProductionSearch } from "../../../core/retirement/decideRetirement";
import type { HostFacts } from "../../../core/retirement/readHost";
import { formatUnmet } from "../../../core/retirement/refusalText";
import { addProvider, type GoodReading, type RetirementFacts } from "../../../core/retirement/retirementFacts";
import { clientNamed, silent as silentNode } from "../chain/readings";
import {
  bridge,
  facts,
  fenced,
  hostFacts,
  momentum,
  next,
  own,
  reading,
  rewards,
  share,
  signerParts,
  successor,
} from "./exampleFacts";

type Changes = Partial<RetirementFacts>;

const lines = (changes: Changes) => {
  const given = facts(changes);
  const { unmet } = decideRetirement(given);
  const text = unmet.flatMap(formatUnmet).join("\n");
  // An address that is not registered may be of an unsynced node.
  const shown = given.readings.flatMap((each) => ("pillar" in each ? each.pillar?.producerAddress : []));
  for (const address of text.match(/z1q\w+/g) ?? []) expect([...shown, "z1qwithdraw"]).toContain(address);
  return text;
};
const whats = (changes: Changes) => decideRetirement(facts(changes)).unmet.map(({ what }) => what);

const on = (changes: Partial<HostFacts>): Changes => ({ host: { facts: hostFacts(changes) } });
const signs = (changes: Partial<HostFacts["signer"]> = {}) => on({ signer: { ...fenced, ...changes } });
const beside = (changes: Partial<NonNullable<Changes["successor"]>>): Changes => ({
  successor: { ...successor, ...changes },
});
const by = (...readings: Partial<GoodReading>[]): Changes => ({ readings: readings.map((each) => reading(each)) });
const B = { client: clientNamed("reference B") };
const registered = (producerAddress: string) => ({ pillar: { ...reading().pillar, producerAddress } as never });

const build = { value: { version: "v0.0.9a" } as never };
const answering = beside({ build });
/** A host that is switched off, of whose orchestrator all is known. */
const off: Changes = { host: { off: "hetzner says that it is off" }, backupFaults: [], bridge, ...answering };
/** Returns a journal of this stage of a move. */
const stage = (name: Journal["stage"]) => ({
  journal: { ...fenced.journal, stage: name, at: "2026-11-23T08:00:00Z" } as Journal,
});
const poor = (figures: { expected: number; produced: number }) =>
  by({
    pillar: { ...reading().pillar, figures } as never,
    paid: { epoch: 7, expected: 100, produced: 40, givesAll: false },
  });

describe("is allowed", () => {
  test("with its evidence", () => {
    expect(decideRetirement(facts())).toEqual({
      unmet: [],
      evidence: [
        "192.0.2.2 is registered and produced momentum 999, says reference A",
        "epoch 7 was paid, says reference A",
        "192.0.2.1 has no orchestrator on it",
      ],
    });
  });

  const incomplete = "a proved backup of the orchestrator of 192.0.2.1 lies on this machine";
  const released = { released: "2026-11-21T18:00:00Z" };
  test.each<[string, Changes, string?]>([
    [
      "the orchestrator answers on the successor",
      { ...signs(), ...answering },
      "the orchestrator v0.0.9a answers on 192.0.2.2",
    ],
    [
      "it can be backed up",
      { ...signs(), ...answering },
      "192.0.2.1 holds the whole fenced orchestrator, for the final backup",
    ],
    ["its share is in a backup", { ...signs({ lacks: ["key share"] }), ...answering, backupFaults: [] }, incomplete],
    [
      "all of it is in a backup",
      { ...signs({ lacks: signerParts, hasDirectory: false }), ...answering, backupFaults: [] },
      incomplete,
    ],
    [
      "a shutdown that asks about no rewards",
      { step: "retire", rewards: [], ...on({ node: { active: true, masked: false } }) },
    ],
    ["a shutdown of a silent host", { step: "retire", host: { silent: "ECONNREFUSED" } }],
    [
      "a shutdown during a move whose orchestrator answers",
      { step: "retire", ...signs(stage("fenced")), ...answering },
    ],
    [
      "a host that its cloud can switch off",
      { ...off, host: { unseen: "ETIMEDOUT", provider: "hetzner" } },
      "hetzner will switch it off",
    ],
    ["a host that is switched off", off, "192.0.2.1 did not answer, and is switched off: hetzner says"],
    [
      "no orchestrator at its shutdown",
      { host: { off: "x" }, noOrchestratorAt: "2026-11-21T18:00:00Z" },
      "no orchestrator was on 192.0.2.1",
    ],
    ["a host that the other guard released", { host: released }, "192.0.2.1 was released and shut down at 2026"],
    [
      "a successor that was repaired",
      poor({ expected: 12, produced: 11 }),
      "filled 40 of 100 slots in epoch 7, says reference A",
    ],
    ["a chain that a second node confirms", { ...by({}, B), isChainKnown: false }],
    ["a node that is behind beside another", { readings: [reading(), silentNode("reference B")] }],
    ["a node that fails about rewards", { rewards: [...facts().rewards, rewards("fault", "w", { source: "B" })] }],
    [
      "the operator's word",
      { rewards: [rewards("unclear", "w")], saysCollected: true },
      "the operator confirmed that no rewards of Anvil",
    ],
  ])("%s", (_what, changes, said = "") => {
    const { unmet, evidence } = decideRetirement(facts(changes));
    expect([unmet, evidence.some((line) => line.includes(said))]).toEqual([[], true]);
  });

  test("if the orchestrator moved on, by the successor's journal", () => {
    const identity = { producer: "z1qsigner" };
    const other = { address: "192.0.2.9", hostKey: "ssh-ed25519 BETWEEN" };
    const at = (journal: object) => ({
      ...signs({ journal: { other, identity, stage: "moved" } as unknown as Journal }),
      ...beside({
        build,
        look: { facts: hostFacts({ producer: next, signer: { ...fenced, journal: journal as Journal } }) },
      }),
    });
    expect(lines(at({ identity, stage: "running" }))).toBe("");
    for (const journal of [
      { identity: { producer: "z1qother" }, stage: "running" },
      { identity, stage: "staged" },
    ])
      expect(lines(at(journal))).toContain("the orchestrator moved to another host than the successor");
  });
});

test("a shutdown is refused in each stage in which a move may come back", () => {
  const retire = (name: Journal["stage"]) => lines({ step: "retire", rewards: [], ...signs(stage(name)) });
  for (const name of ["moved", "restored", "abandoned", "staging"] as const) expect(retire(name), name).toBe("");
  for (const name of ["stopping", "fenced", "restoring", "staged", "switched", "starting"] as const)
    expect(retire(name), name).toContain("a move of the orchestrator is not over");
});

describe("is refused", () => {
  const stranger = { ...B, fault: { kind: "stranger", why: "it is of another chain" } } as const;
  const fork = { ...B, newest: { ...momentum(1000, "z1qother"), hash: "forked" } };
  const fresh = { ...successor.look.facts.signer, shares: [] };
  const identity = { producer: "z1qfirst", tssPeerId: "12A", evmAddress: "0x" };
  const refusing = addProvider({ silent: "op@192.0.2.1:22 refuses the login", isRefused: true }, "hetzner");
  const retired = hostFacts({ producer: next, marks: { retired: "2026-11-20T00:00:00Z" } });
  const waiting = rewards("waiting", "epoch 7 is not paid yet", { dueAt: Date.UTC(2026, 10, 22, 14, 31) });
  const anothers = (stack: string) => on({ marks: { stack } });

  test.each<[string, Changes, ...string[]]>([
    [
      "this host, 192.0.2.1, does not answer: its node may still run",
      { ...off, host: { silent: "ECONNREFUSED" } },
      "found: ECONNREFUSED",
    ],
    [
      "this host, 192.0.2.1, answers, and refuses this program's login: its node may still run",
      { ...off, host: refusing },
    ],
    [
      "this host, 192.0.2.1, belongs to another Pillar",
      anothers("pillar-host/prod Bolt"),
      "prod Bolt, in /var/lib/pillar-host/stack",
    ],
    ["this host, 192.0.2.1, belongs to another Pillar", anothers("pillar-host/prod BlackAnvil")],
    ["there is no Pillar Anvil", by({ pillar: null })],
    [
      "momentums still carry this host's address",
      by({ last: { own: momentum(999, own), successor: momentum(998, next) } }),
      "the newest so far is momentum 999; more may follow",
    ],
    [
      "this host and its successor produce in turns: is this the host of another Pillar?",
      by({ alternate: true }),
      "the newest momentum of this host: 900",
    ],
    [
      "a node lacks the momentum that was recorded when this host was synced: the node is on another chain, or lies",
      { readings: [reading(), stranger] },
      "reference B",
    ],
    [
      "the nodes that were asked are on different chains",
      by({}, fork),
      "momentum 1000 is h1000 at reference A",
      "forked at reference B",
    ],
    [
      "nothing confirms the chain: only one host's node reports it",
      { isChainKnown: false },
      "an answer of reference A alone",
    ],
    ["no node answers about Anvil", { readings: [silentNode("reference A")] }, "reference A: ECONNREFUSED"],
    ["no successor of this host is configured", { successor: undefined }],
    ["the successor, 192.0.2.2, does not answer", beside({ look: { silent: "ETIMEDOUT" } }), "found: ETIMEDOUT"],
    [
      "the successor's node, 192.0.2.2, is not synced now",
      beside({ look: { facts: retired }, node: { synced: false, known: true, why: "height 1 of 9" } }),
      "found: height 1 of 9",
    ],
    [
      "the successor, 192.0.2.2, has no producer address",
      beside({ look: { facts: { ...successor.look.facts, producer: undefined as never } } }),
    ],
    [
      "the successor's producer address is not the registered one of Anvil",
      by(registered("z1qthird")),
      "registered: z1qthird",
    ],
    [
      "the successor does not produce",
      by({ last: {} }),
      "no momentum of its address in the last 6 min",
      "place 71 of 100 by weight",
    ],
    [
      "the successor does not produce",
      by({ last: { successor: momentum(639, next) } }),
      "its last momentum was 6 min ago",
    ],
    ["the successor misses most of its slots", poor({ expected: 12, produced: 4 }), "paid: 40 of 100", "4 of 12 slots"],
    [
      "the rewards since the switch are not collected",
      { rewards: [waiting] },
      "the wallet that holds the reward address, z1qwithdraw; due by about 2026-11-22 14:31 UTC",
    ],
    [
      "the rewards since the switch are not collected",
      { rewards: [rewards("unclear", "w"), { ...waiting, source: "reference B" }], saysCollected: true },
      "says reference B",
    ],
    [
      "no node reports whether the rewards since the switch were paid and collected",
      { rewards: [rewards("fault", "ECONNRESET")] },
      "reference A: ECONNRESET",
    ],
    [
      "less than a day has passed since the switch: its rewards can't have come yet",
      { rewards: [rewards("unclear", "w"), rewards("unclear", "w", { mayConfirm: false })], saysCollected: true },
    ],
    [
      "no node can tell whether the rewards since the switch were collected",
      { rewards: [rewards("unclear", "epoch 7 paid nothing")] },
      "reference A: epoch 7 paid nothing",
      "write PILLAR_HOST_REWARDS_COLLECTED=Anvil before the command",
    ],
    ["an orchestrator runs on this host, 192.0.2.1", { ...signs({ active: true }), ...answering }],
    [
      "an orchestrator runs on this host, 192.0.2.1",
      { step: "retire", ...signs({ active: true, masked: false, hasKeyStore: true }) },
    ],
    [
      "a move of the orchestrator is not over on this host, 192.0.2.1: the orchestrator may still come to this host",
      { step: "retire", ...signs(stage("stopping")) },
      "this host's journal: stage stopping of a move with 192.0.2.2, since 2026-11-23T08:00:00Z",
    ],
    [
      "the orchestrator on this host, 192.0.2.1, is not fenced: it would sign again after a start",
      { ...signs({ masked: false }), ...answering },
      "its unit is not masked, its key store aside",
    ],
    [
      "the orchestrator on this host, 192.0.2.1, is not fenced: it would sign again after a start",
      { ...signs({ hasKeyStore: true }), ...answering },
      "its unit is masked, its key store in place",
    ],
    [
      "this machine has no proved backup of the orchestrator that was fenced on 192.0.2.1, and the final backup would be incomplete",
      { ...signs({ hasDirectory: false, lacks: signerParts }), ...answering },
      "the orchestrator's directory there lacks its configuration, its key store, its key share",
    ],
    [
      "the orchestrator moved to another host than the successor",
      { ...signs(), ...beside({ hostKey: "ssh-ed25519 THIRD", build }) },
      "this host's journal names 192.0.2.2 with the host key ssh-ed25519 NEXT",
      "pillar-host:retirement.successor is 192.0.2.2 with the host key ssh-ed25519 THIRD",
    ],
    [
      "the successor's orchestrator does not answer",
      { ...signs(), ...beside({ build: { problem: "ECONNREFUSED" } }) },
      "ECONNREFUSED",
    ],
    ["the successor's orchestrator does not answer", signs(), "no orchestrator runs there"],
    [
      "it is unknown whether an orchestrator signed on 192.0.2.1, and this machine has no proved backup of one",
      { ...off, backupFaults: ["no backup in /r"] },
      "no backup in /r",
    ],
    [
      "the successor's orchestrator has no share of the bridge's key",
      { ...off, ...beside({ build, look: { facts: { ...successor.look.facts, signer: fresh } } }) },
      `needed: restore on the successor a backup that has ${share} (`,
    ],
    [
      "it is unknown whether the successor's orchestrator has a share of the bridge's key",
      { ...off, bridge: { known: false, why: "x: ECONNREFUSED" } },
    ],
    [
      "nothing confirms that the successor's orchestrator is the one that this host had",
      { ...off, identity, ...beside({ build, identity: { ...identity, producer: "z1qfresh", pillarName: "Anvil" } }) },
      "its producer is another",
    ],
  ])("because %s", (what, changes, ...found) => {
    expect(whats(changes)).toEqual([what]);
    for (const each of [...found, "needed: "]) expect(lines(changes)).toContain(each);
  });

  test("while this host is registered", () => {
    expect(whats(by(registered(own)))).toEqual([
      "this host's producer address is the registered one",
      "the successor's producer address is not the registered one of Anvil",
    ]);
    expect(lines(by(registered(own)))).toContain(
      "says reference A\n    found: z1qown\n    needed: set the successor's",
    );
  });

  test("if two hosts hold the same producer key", () => {
    expect(whats(on({ producer: next }))).toContain("this host and its successor hold the same producer key");
  });

  test("until any registered successor has taken over", () => {
    const still = "momentums still carry this host's address";
    const unseen = beside({ look: { silent: "ETIMEDOUT" } });
    const then = (height: number) =>
      by({ last: { own: momentum(999, own), registered: momentum(height, "z1qthird") } });
    expect(whats({ ...unseen, ...then(998) })).toContain(still);
    expect(whats({ successor: undefined, ...by({ last: { own: momentum(1, own) } }) })).toContain(still);
    expect(whats({ ...unseen, ...then(1000) })).not.toContain(still);
  });

  test("if one node contradicts, and once for all that report the same", () => {
    const third = registered("z1qthird");
    expect(lines(by({}, { ...third, ...B }))).toContain("says reference B");
    expect(lines(by(third, { ...third, ...B })).split("\n")).toEqual([
      "- the successor's producer address is not the registered one of Anvil, say reference A and reference B",
      "    found: registered: z1qthird",
      expect.stringContaining("needed: "),
    ]);
  });
});

describe("a host that never produced", () => {
  const deployed = { marks: { "deploy.done": "x" } };
  const ownWork = (hasProduced?: boolean): Changes => ({
    ...on(deployed),
    memory: { isReached: true, isOwnWork: true, hasProduced },
    successor: undefined,
    rewards: [],
    ...by({ last: {} }),
  });
  const missing = "no successor of this host is configured";

  test("needs neither successor nor rewards, once that is proved", () => {
    expect(lines(ownWork(false))).toBe("");
    const needsSearch = (changes: Changes) => needsProductionSearch(facts(changes), decideRetirement(facts(changes)));
    expect([undefined, true].map((each) => needsSearch(ownWork(each)))).toEqual([true, false]);
  });

  test.each<[string, Changes, string]>([
    ["an unknown history", ownWork(), missing],
    ["a host that produced", ownWork(true), missing],
    ["a node that the stack did not deploy", { ...ownWork(false), ...on({}) }, missing],
    [
      "an adopted host",
      { ...ownWork(false), memory: { isReached: true, isOwnWork: false, hasProduced: false } },
      missing,
    ],
    [
      "an earlier key",
      { ...ownWork(false), ...on({ ...deployed, producer: "z1qfresh" }), knownProducer: own },
      missing,
    ],
    [
      "an earlier key that is registered",
      { ...ownWork(false), ...on({ ...deployed, producer: "z1qfresh" }), knownProducer: own, ...by(registered(own)) },
      "this host's producer address is the registered one",
    ],
    [
      "a registered address",
      { ...ownWork(false), ...by({ ...registered(own), last: {} }) },
      "this host's producer address is the registered one",
    ],
    [
      "a running orchestrator",
      { ...ownWork(false), ...on({ ...deployed, signer: { ...fenced, active: true } }) },
      "an orchestrator runs on this host, 192.0.2.1",
    ],
  ])("is kept with %s", (_what, changes, what) => {
    expect(whats(changes)).toContain(what);
  });
});

describe("a host with nothing to lose", () => {
  const nobody: Changes = { successor: undefined, readings: [], rewards: [] };
  const { producer: _, ...empty } = hostFacts({ hasKeyStore: false });
  const stranger = { isReached: false, isOwnWork: false };

  test.each<[string, Changes, string]>([
    [
      "an empty host",
      { host: { facts: empty }, memory: { isReached: true, isOwnWork: true } },
      "192.0.2.1 has neither a node nor an orchestrator on it",
    ],
    [
      "a server that never let this stack in",
      { host: { silent: "ETIMEDOUT" }, memory: stranger },
      "this stack never logged in to 192.0.2.1: nothing was deployed on it",
    ],
  ])("asks nothing of %s", (_what, changes, evidence) => {
    expect(decideRetirement(facts({ ...nobody, ...changes }))).toEqual({ unmet: [], evidence: [evidence] });
  });

  test.each<[string, Changes["host"] & object, boolean]>([
    ["a node that runs", { facts: { ...empty, node: { active: true, masked: false } } }, true],
    ["a key store alone", { facts: { ...empty, hasKeyStore: true } }, true],
    ["a deploy that was begun and done", { facts: { ...empty, marks: { "deploy.done": "x" } } }, true],
    ["an orchestrator's directory alone", { facts: { ...empty, signer: { ...fenced, masked: true } } }, true],
    ["an adopted host whose node was not found: it may lie elsewhere", { facts: empty }, false],
  ])("does not include %s", (_what, host, isOwnWork) => {
    expect(whats({ ...nobody, host, memory: { isReached: true, isOwnWork } })).not.toEqual([]);
  });

  test("does not include a host without history that refuses the login or shows another key: it is alive", () => {
    const host = { silent: "it shows another host key", isRefused: true } as const;
    expect(whats({ ...nobody, host, memory: stranger })).toContain(
      "this host, 192.0.2.1, answers, and refuses this program's login: its node may still run",
    );
  });
});
