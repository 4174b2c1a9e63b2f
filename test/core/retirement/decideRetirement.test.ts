import { describe, expect, test } from "vitest";
import type { Journal } from "../../../core/orchestrator/rules/journal";
import { decideRetirement, needsProductionSearch } from "../../../core/retirement/decideRetirement";
import { formatUnmet } from "../../../core/retirement/refusalText";
import { addProvider, type RetirementFacts } from "../../../core/retirement/retirementFacts";
import { clientNamed, silent as silentNode } from "../chain/readings";
import {
  bridge,
  facts,
  fenced,
  hostFacts,
  key,
  momentum,
  next,
  own,
  reading,
  share,
  signerParts,
  successor,
} from "./exampleFacts";

const lines = (changes: Partial<RetirementFacts>) => {
  const { unmet } = decideRetirement(facts(changes));
  for (const { what, needed, found = [] } of unmet) {
    // The display hides addresses that are values, but could not find them within words.
    const words = [what, needed, ...found.filter((each) => typeof each === "string")].join();
    expect(words.replace("the reward address, z1qwithdraw", "")).not.toContain("z1q");
  }
  return unmet.flatMap(formatUnmet).join("\n");
};
const silent = { host: { silent: "ECONNREFUSED" } } as const;
/** A host that can't be asked, of whose orchestrator all is known. */
const kept = { backupFaults: [], bridge };
const build = { value: { version: "v0.0.9a" } as never };
const answering = { ...successor, build };
const signing = { host: { facts: hostFacts({ signer: fenced }) }, successor: answering };

test("joins the nodes that report a condition into a list", () => {
  const said = (...saidBy: string[]) =>
    formatUnmet({ what: "it produces", saidBy, needed: "an end", loss: "momentums" })[0];
  expect([said(), said("a"), said("a", "b"), said("a", "b", "c")]).toEqual([
    "- it produces",
    "- it produces, says a",
    "- it produces, say a and b",
    "- it produces, say a, b and c",
  ]);
});

/** Returns an orchestrator during a move. */
const moving = (stage: Journal["stage"]) => ({
  ...fenced,
  journal: { ...fenced.journal, stage, at: "2026-11-23T08:00:00Z" } as Journal,
});

describe("a retirement with all conditions met", () => {
  test("is allowed, with its evidence", () => {
    expect(decideRetirement(facts())).toEqual({
      unmet: [],
      evidence: [
        "192.0.2.2 is registered and produced momentum 999, says reference A",
        "epoch 7 was paid, says reference A",
        "192.0.2.1 has no orchestrator on it",
      ],
    });
  });

  test("is allowed if the orchestrator moved to the successor and answers there", () => {
    expect(decideRetirement(facts(signing))).toMatchObject({ unmet: [] });
    const { evidence } = decideRetirement(facts(signing));
    expect(evidence).toContain("the orchestrator v0.0.9a answers on 192.0.2.2");
    expect(evidence).toContain("192.0.2.1 holds the whole fenced orchestrator, for the final backup");
  });

  test("is allowed with a proved backup of the move, even if the fenced orchestrator is incomplete", () => {
    for (const changes of [{ lacks: ["key share"] }, { lacks: [...signerParts], hasDirectory: false }]) {
      const host = { facts: hostFacts({ signer: { ...fenced, ...changes } }) };
      const { unmet, evidence } = decideRetirement(facts({ ...signing, host, backupFaults: [] }));
      expect(unmet).toEqual([]);
      expect(evidence).toContain("a proved backup of the orchestrator of 192.0.2.1 lies on this machine");
    }
  });

  test("accepts an orchestrator that moved on, by the successor's journal", () => {
    const identity = { producer: "z1qsigner" };
    const from = {
      other: { address: "192.0.2.9", hostKey: "ssh-ed25519 BETWEEN" },
      identity,
      stage: "moved",
    } as unknown as Journal;
    const host = { facts: hostFacts({ signer: { ...fenced, journal: from } }) };
    const at = (journal: object) => ({
      ...successor,
      build,
      look: { facts: { ...successor.look.facts, signer: { ...fenced, active: true, journal: journal as Journal } } },
    });
    expect(lines({ host, successor: at({ identity, stage: "running" }) })).toBe("");
    for (const journal of [
      { identity: { producer: "z1qother" }, stage: "running" },
      { identity, stage: "staged" },
    ])
      expect(lines({ host, successor: at(journal) })).toContain(
        "the orchestrator moved to another host than the successor",
      );
  });

  test("shuts down without asking about rewards", () => {
    expect(
      lines({ step: "retire", rewards: [], host: { facts: hostFacts({ node: { active: true, masked: false } }) } }),
    ).toBe("");
  });

  test("shuts down only if no move of the orchestrator is open", () => {
    const retire = (stage: Journal["stage"], more: Partial<RetirementFacts> = {}) =>
      lines({ step: "retire", rewards: [], host: { facts: hostFacts({ signer: moving(stage) }) }, ...more });
    for (const stage of ["moved", "restored", "abandoned", "staging"] as const) expect(retire(stage), stage).toBe("");
    for (const stage of ["stopping", "fenced", "restoring", "staged", "switched", "starting"] as const)
      expect(retire(stage), stage).toContain("a move of the orchestrator is not over");
    // An orchestrator that answers on the successor was started by somebody.
    expect(retire("fenced", { successor: answering })).toBe("");
  });

  test.each<[string, Partial<RetirementFacts>]>([
    ["a shutdown of a silent host", { ...silent, step: "retire" }],
    [
      "a silent host that its cloud can switch off",
      { host: { unseen: "ETIMEDOUT", provider: "hetzner" }, ...kept, successor: answering },
    ],
    ["a host that is switched off", { host: { off: "hetzner says that it is off" }, ...kept, successor: answering }],
    [
      "a host that is switched off, and had no orchestrator at its shutdown",
      { host: { off: "hetzner says that it is off" }, noOrchestratorAt: "2026-11-21T18:00:00Z" },
    ],
    ["a host that the other guard released", { host: { released: "2026-11-21T18:00:00Z" } }],
  ])("is allowed for %s", (_what, changes) => {
    expect(lines(changes)).toBe("");
  });
});

const poor = (figures: { expected: number; produced: number }) =>
  reading({
    pillar: { ...reading().pillar, figures } as never,
    paid: { epoch: 7, expected: 100, produced: 40, givesAll: false },
  });

test("accepts a successor that missed slots in a paid epoch and produces well now, with its figures", () => {
  const { unmet, evidence } = decideRetirement(facts({ readings: [poor({ expected: 12, produced: 11 })] }));
  expect(unmet).toEqual([]);
  expect(evidence).toContain(
    "192.0.2.2 is registered and produced momentum 999, and filled 40 of 100 slots in epoch 7, says reference A",
  );
});

test("names the time limit that applies if the number of Pillars is unknown", () => {
  const { standing: _, ...untold } = reading({ last: {} });
  expect(lines({ readings: [untold] })).toContain(
    "found: the number of Pillars is unknown: so it gets the shortest time limit, that of a Pillar with the best chance of election",
  );
});

const freshSigner = { active: true, masked: false, hasDirectory: true, hasKeyStore: true, lacks: ["key share"] };
const freshLook = { facts: { ...successor.look.facts, signer: freshSigner } };

describe("each unmet condition", () => {
  const conditions: [string, Partial<RetirementFacts>, ...string[]][] = [
    [
      "this host, 192.0.2.1, does not answer: its node may still run",
      { ...silent, ...kept, successor: answering },
      "ECONNREFUSED",
    ],
    [
      "this host, 192.0.2.1, answers, and refuses this program's login: its node may still run",
      {
        host: addProvider({ silent: "op@192.0.2.1:22 refuses the login", isRefused: true }, "hetzner"),
        ...kept,
        successor: answering,
      },
    ],
    [
      "this host, 192.0.2.1, belongs to another Pillar",
      { host: { facts: hostFacts({ marks: { stack: "pillar-host/prod Bolt" } }) } },
      "pillar-host/prod Bolt, in /var/lib/pillar-host/stack there",
    ],
    [
      "this host, 192.0.2.1, belongs to another Pillar",
      { host: { facts: hostFacts({ marks: { stack: "pillar-host/prod BlackAnvil" } }) } },
      "pillar-host/prod BlackAnvil, in /var/lib/pillar-host/stack there",
    ],
    ["there is no Pillar Anvil", { readings: [reading({ pillar: null })] }],
    [
      "momentums still carry this host's address",
      { readings: [reading({ last: { own: momentum(999, own), successor: momentum(998, next) } })] },
      "the newest so far is momentum 999; more may follow, because elections are fixed two ticks ahead",
    ],
    [
      "this host and its successor produce in turns: is this the host of another Pillar?",
      { readings: [reading({ alternate: true })] },
      "this host: z1qown, newest momentum 900",
    ],
    [
      "a node lacks the momentum that was recorded when this host was synced: the node is on another chain, or lies",
      {
        readings: [
          reading(),
          { client: clientNamed("reference B"), fault: { kind: "stranger", why: "it is of another chain" } },
        ],
      },
    ],
    [
      "the nodes that were asked are on different chains",
      { readings: [reading(), reading({ newest: { ...momentum(1000, "z1qother"), hash: "forked" } }, "reference B")] },
      "momentum 1000 is h1000 at reference A",
      "momentum 1000 is forked at reference B",
    ],
    ["no node answers about Anvil", { readings: [silentNode("reference A")] }, "reference A: ECONNREFUSED"],
    ["no successor of this host is configured", { successor: undefined }],
    ["the successor, 192.0.2.2, does not answer", { successor: { ...successor, look: { silent: "ETIMEDOUT" } } }],
    [
      "the successor's node, 192.0.2.2, is not synced now",
      { successor: { ...successor, node: { synced: false, known: true, why: "height 1 of 9" } } },
    ],
    [
      "the successor, 192.0.2.2, is shut down for its own retirement",
      {
        successor: {
          ...successor,
          look: { facts: hostFacts({ producer: next, marks: { retired: "2026-11-20T00:00:00Z" } }) },
          node: { synced: false, known: false, why: "ECONNREFUSED" },
        },
      },
      "since 2026-11-20T00:00:00Z",
    ],
    [
      "the successor, 192.0.2.2, has no producer address",
      {
        successor: {
          ...successor,
          look: { facts: { ...hostFacts({ node: { active: true, masked: false } }), producer: undefined as never } },
        },
      },
      "none in its data directory's config.json",
    ],
    [
      "the successor's producer address is not the registered one of Anvil",
      { readings: [reading({ pillar: { ...reading().pillar, producerAddress: "z1qthird" } as never })] },
      "registered: z1qthird; the successor's: z1qnext",
    ],
    [
      "the successor does not produce",
      { readings: [reading({ last: {} })] },
      "no momentum of z1qnext in the last 6 min",
      "place 71 of 100 by weight, elected in 18 of 100 ticks of 30 s: a healthy Pillar of this rank",
    ],
    [
      "the successor does not produce",
      { readings: [reading({ last: { successor: momentum(639, next) } })] },
      "its last momentum was 6 min ago",
    ],
    [
      "the successor misses most of its slots",
      { readings: [poor({ expected: 12, produced: 4 })] },
      "epoch 7, paid: 40 of 100",
      "this epoch so far, by a count up to five minutes old: 4 of 12 slots",
    ],
    [
      "the epoch after the switch paid nothing to the reward address",
      { rewards: [{ source: "reference A", says: "paidNothing", why: "epoch 7 paid nothing" }] },
      "reference A: epoch 7 paid nothing",
    ],
    [
      "the rewards since the switch are not collected",
      {
        rewards: [
          {
            source: "reference A",
            says: "waiting",
            why: "epoch 7 is not paid yet",
            dueAt: Date.UTC(2026, 10, 22, 14, 31),
            rewardAddress: "z1qwithdraw",
          },
        ],
      },
      "the wallet that holds the reward address, z1qwithdraw; due by about 2026-11-22 14:31 UTC",
    ],
    [
      "no node reports whether the rewards since the switch were paid and collected",
      { rewards: [{ source: "reference A", says: "fault", why: "ECONNRESET" }] },
      "reference A: ECONNRESET",
    ],
    [
      "less than a day has passed since the switch: its rewards can't have come yet",
      { rewards: [{ source: "reference A", says: "notOffered", aDayAfter: false }], saysCollected: true },
      "reference A: the RPC does not report rewards",
    ],
    [
      "the RPC does not report whether the rewards since the switch were collected",
      { rewards: [{ source: "reference A", says: "notOffered", aDayAfter: true }] },
      "reference A: the RPC lacks the methods",
    ],
    [
      "an orchestrator runs on this host, 192.0.2.1",
      { host: { facts: hostFacts({ signer: { ...fenced, active: true } }) }, successor: answering },
    ],
    [
      "an orchestrator runs on this host, 192.0.2.1",
      {
        step: "retire",
        host: { facts: hostFacts({ signer: { ...fenced, active: true, masked: false, hasKeyStore: true } }) },
      },
    ],
    [
      "a move of the orchestrator is not over on this host, 192.0.2.1: the orchestrator may still come to this host",
      { step: "retire", host: { facts: hostFacts({ signer: moving("stopping") }) } },
      "this host's journal: stage stopping of a move with 192.0.2.2, since 2026-11-23T08:00:00Z",
    ],
    [
      "the orchestrator on this host, 192.0.2.1, is not fenced: it would sign again after a start",
      { host: { facts: hostFacts({ signer: { ...fenced, masked: false } }) }, successor: answering },
      "its unit is not masked, its key store aside",
    ],
    [
      "the orchestrator on this host, 192.0.2.1, is not fenced: it would sign again after a start",
      { host: { facts: hostFacts({ signer: { ...fenced, hasKeyStore: true } }) }, successor: answering },
      "its unit is masked, its key store in place",
    ],
    [
      "this machine has no proved backup of the orchestrator that was fenced on 192.0.2.1, and the final backup would be incomplete",
      {
        host: { facts: hostFacts({ signer: { ...fenced, hasDirectory: false, lacks: [...signerParts] } }) },
        successor: answering,
      },
      "the orchestrator's directory there lacks its configuration, its key store, its key share",
    ],
    [
      "the orchestrator moved to another host than the successor",
      { ...signing, successor: { ...successor, hostKey: "ssh-ed25519 THIRD", build } },
      "this host's journal names 192.0.2.2 with the host key ssh-ed25519 NEXT",
      "pillar-host:retirement.successor is 192.0.2.2 with the host key ssh-ed25519 THIRD",
    ],
    [
      "the successor's orchestrator does not answer",
      { ...signing, successor: { ...successor, build: { problem: "ECONNREFUSED" } } },
    ],
    ["the successor's orchestrator does not answer", { ...signing, successor }, "no orchestrator runs there"],
    [
      "it is unknown whether an orchestrator signed on 192.0.2.1, and this machine has no proved backup of one",
      { host: { off: "x" }, ...kept, backupFaults: ["no backup in /r"], successor: answering },
    ],
    [
      "the successor's orchestrator has no share of the bridge's key",
      { host: { off: "x" }, ...kept, successor: { ...successor, build, look: freshLook } },
      `needed: restore on the successor a backup that has ${share} (`,
    ],
    [
      "it is unknown whether the successor's orchestrator has a share of the bridge's key",
      { host: { off: "x" }, ...kept, bridge: { known: false, why: "x: ECONNREFUSED" }, successor: answering },
    ],
    [
      "nothing confirms that the successor's orchestrator is the one that this host had",
      {
        host: { off: "x" },
        ...kept,
        identity: { producer: "z1qfirst", tssPeerId: "12A", evmAddress: "0x" },
        successor: {
          ...successor,
          build,
          identity: { producer: "z1qfresh", pillarName: "Anvil", tssPeerId: "12A", evmAddress: "0x" },
        },
      },
      "its producer is another",
    ],
  ];
  test.each(conditions)("refuses the retirement: %s", (what, changes, ...found) => {
    expect(decideRetirement(facts(changes)).unmet.map((each) => each.what)).toEqual([what]);
    for (const each of found) expect(lines(changes)).toContain(each);
    expect(lines(changes)).toContain("needed: ");
  });

  test("names the registered address of this host, and the missing momentums of the successor", () => {
    const pillar = { ...reading().pillar, producerAddress: own } as never;
    expect(
      lines({ readings: [reading({ pillar })] }),
    ).toBe(`- this host's producer address is the registered one, says reference A
    found: z1qown
    needed: set the successor's address in the wallet (Update Pillar), then wait until the successor produces a momentum
- the successor's producer address is not the registered one of Anvil, says reference A
    found: registered: z1qown; the successor's: z1qnext
    needed: update the wallet to the successor's address, or correct pillar-host:retirement.successor`);
  });

  test("accepts any registered successor that has taken over", () => {
    const silentNext = { successor: { ...successor, look: { silent: "ETIMEDOUT" } } };
    const still = "- momentums still carry this host's address";
    const last = { own: momentum(999, own), registered: momentum(998, "z1qthird") };
    expect(lines({ ...silentNext, readings: [reading({ last })] })).toContain(still);
    expect(lines({ successor: undefined, readings: [reading({ last: { own: momentum(1, own) } })] })).toContain(still);
    expect(
      lines({ ...silentNext, readings: [reading({ last: { ...last, registered: momentum(1000, "z1qthird") } })] }),
    ).not.toContain(still);
  });

  test("refuses two hosts with the same producer key", () => {
    expect(
      lines({ host: { facts: hostFacts({ producer: next }) } }),
    ).toContain(`- this host and its successor hold the same producer key
    found: z1qnext
    needed: give each host a producer key of its own: two nodes with one key must never run`);
  });
});

describe("several nodes", () => {
  const lie = { ...reading().pillar, producerAddress: "z1qthird" } as never;

  test("are merged into one condition if they report the same", () => {
    expect(lines({ readings: [reading({ pillar: lie }), reading({ pillar: lie }, "reference B")] })).toBe(
      `- the successor's producer address is not the registered one of Anvil, say reference A and reference B
    found: registered: z1qthird; the successor's: z1qnext
    needed: update the wallet to the successor's address, or correct pillar-host:retirement.successor`,
    );
  });

  test("refuse if one of them contradicts", () => {
    expect(lines({ readings: [reading(), reading({ pillar: lie }, "reference B")] })).toContain("says reference B");
    const waiting = { source: "reference B", says: "waiting", why: "w" } as const;
    expect(lines({ rewards: [...facts().rewards, waiting] })).toContain("says reference B");
  });

  test("need a day since the switch at each node if none reports rewards", () => {
    const silent = (source: string, aDayAfter: boolean) => ({ source, says: "notOffered", aDayAfter }) as const;
    const two = (first: boolean, second: boolean) => ({
      rewards: [silent("reference A", first), silent("reference B", second)],
      saysCollected: true,
    });
    expect(lines(two(true, true))).toBe("");
    for (const both of [two(true, false), two(false, true)])
      expect(lines(both)).toContain("less than a day has passed since the switch");
  });

  test("leave out a node that is behind", () => {
    expect(lines({ readings: [reading(), silentNode("reference B")] })).toBe("");
    expect(lines({ rewards: [...facts().rewards, { source: "reference B", says: "fault", why: "w" }] })).toBe("");
  });
});

describe("the operator's confirmation of rewards", () => {
  const silentRpc = { source: "reference A", says: "notOffered", aDayAfter: true } as const;

  test("counts if no RPC reports rewards, a day after the switch", () => {
    const { unmet, evidence } = decideRetirement(facts({ rewards: [silentRpc], saysCollected: true }));
    expect([unmet, evidence[1]]).toEqual([[], "the operator confirmed that the rewards of Anvil were collected"]);
  });

  test("counts if an epoch paid nothing and the chain gives no reason", () => {
    const nothing = { source: "reference A", says: "paidNothing", why: "epoch 7 paid nothing" } as const;
    expect(decideRetirement(facts({ rewards: [nothing], saysCollected: true }))).toMatchObject({
      unmet: [],
      evidence: [
        expect.anything(),
        "the operator confirmed that no rewards of Anvil are left to collect",
        expect.anything(),
      ],
    });
  });

  test("does not count if a node contradicts", () => {
    const waiting = { source: "reference B", says: "waiting", why: "w" } as const;
    expect(lines({ rewards: [silentRpc, waiting], saysCollected: true })).toContain(
      "are not collected, says reference B",
    );
  });
});

describe("a host whose key was overwritten", () => {
  test("is kept while its earlier key is registered, and never counts as one that never produced", () => {
    const host = { facts: hostFacts({ producer: "z1qfresh", marks: { "deploy.done": "x" } }) };
    const memory = { isReached: true, isOwnWork: true, hasProduced: false };
    const registered = { ...reading().pillar, producerAddress: own } as never;
    expect(lines({ host, memory, knownProducer: own, readings: [reading({ pillar: registered })] })).toContain(
      "- this host's producer address is the registered one, says reference A\n    found: z1qown",
    );
    expect(lines({ host, memory, knownProducer: own, rewards: [], successor: undefined })).toContain(
      "- no successor of this host is configured",
    );
  });
});

describe("a host that never produced", () => {
  const ownWork = (hasProduced?: boolean): Partial<RetirementFacts> => ({
    host: { facts: hostFacts({ marks: { "deploy.done": "x" } }) },
    memory: { isReached: true, isOwnWork: true, hasProduced },
    successor: undefined,
    rewards: [],
    readings: [reading({ last: {} })],
  });

  test("needs neither successor nor rewards, once that is proved", () => {
    expect(lines(ownWork(false))).toBe("");
    expect(needsProductionSearch(facts(ownWork()), decideRetirement(facts(ownWork())))).toBe(true);
    expect(needsProductionSearch(facts(ownWork(true)), decideRetirement(facts(ownWork(true))))).toBe(false);
  });

  test.each<[string, Partial<RetirementFacts>]>([
    ["an unknown history", ownWork()],
    ["a host that produced", ownWork(true)],
    ["a node that the stack did not deploy", { ...ownWork(false), host: { facts: hostFacts() } }],
    [
      "a host that was adopted",
      { ...ownWork(false), memory: { isReached: true, isOwnWork: false, hasProduced: false } },
    ],
  ])("needs the successor: %s", (_what, changes) => {
    expect(lines(changes)).toContain("no successor of this host is configured");
  });

  test("is kept while it is registered or its orchestrator runs", () => {
    const registered = { ...reading().pillar, producerAddress: own } as never;
    expect(lines({ ...ownWork(false), readings: [reading({ pillar: registered, last: {} })] })).toContain(
      "is the registered one",
    );
    const host = { facts: hostFacts({ marks: { "deploy.done": "x" }, signer: { ...fenced, active: true } }) };
    expect(lines({ ...ownWork(false), host })).toContain("an orchestrator runs on this host");
  });
});

describe("a host with nothing to lose", () => {
  const nobody: Partial<RetirementFacts> = { successor: undefined, readings: [], rewards: [] };
  const { producer: _, ...empty } = hostFacts({ hasKeyStore: false });

  test.each<[string, Partial<RetirementFacts>, string]>([
    [
      "an empty host",
      { host: { facts: empty }, memory: { isReached: true, isOwnWork: true } },
      "192.0.2.1 has neither a node nor an orchestrator on it",
    ],
    [
      "a server that never let this stack in",
      { host: { silent: "ETIMEDOUT" }, memory: { isReached: false, isOwnWork: false } },
      "this stack never logged in to 192.0.2.1: nothing was deployed on it",
    ],
  ])("asks nothing of %s", (_what, changes, evidence) => {
    expect(decideRetirement(facts({ ...nobody, ...changes }))).toEqual({ unmet: [], evidence: [evidence] });
  });

  test.each<[string, Partial<RetirementFacts>["host"] & object, boolean]>([
    ["a node that runs", { facts: { ...empty, node: { active: true, masked: false } } }, true],
    ["a key store alone", { facts: { ...empty, hasKeyStore: true } }, true],
    ["a deploy that was begun and done", { facts: { ...empty, marks: { "deploy.done": "x" } } }, true],
    ["an orchestrator's directory alone", { facts: { ...empty, signer: { ...fenced, masked: true } } }, true],
    ["an adopted host whose node was not found: it may lie elsewhere", { facts: empty }, false],
  ])("does not include %s", (_what, host, isOwnWork) => {
    const { unmet } = decideRetirement(facts({ ...nobody, host, memory: { isReached: true, isOwnWork } }));
    expect(unmet.length).toBeGreaterThan(0);
  });

  test.each(["it refuses the login", "it shows another host key"])(
    "does not include a host without history if %s: it is alive",
    (silent) => {
      const host = { silent, isRefused: true } as const;
      const changes = { ...nobody, host, memory: { isReached: false, isOwnWork: false } };
      expect(decideRetirement(facts(changes)).unmet.map(({ what }) => what)).toContain(
        "this host, 192.0.2.1, answers, and refuses this program's login: its node may still run",
      );
    },
  );

  test("compares no keys if the host has none", () => {
    expect(key).not.toBe("");
    expect(lines({ host: { facts: empty } })).toBe("");
  });
});

test("hides the address of a successor whose node is not synced", () => {
  const behind = { ...successor, node: { synced: false, known: true, why: "it syncs" } };
  const third = { ...reading().pillar, producerAddress: "z1qthird" } as never;
  const told = lines({ successor: behind, readings: [reading({ pillar: third })] });
  expect(told).toContain("found: registered: z1qthird\n");
  expect(told).not.toContain("z1qnext");
});

describe("the chain that guards rely on", () => {
  const what = "nothing confirms the chain: only one host's node reports it";
  const unmet = (changes: Partial<RetirementFacts>) => decideRetirement(facts(changes)).unmet.map((each) => each.what);

  test("is unconfirmed with one node and no recorded momentum", () => {
    expect(unmet({ isChainKnown: false })).toContain(what);
  });

  test("is confirmed by a second node or by a recorded momentum", () => {
    const second = reading({ client: clientNamed("reference B") });
    expect(unmet({ isChainKnown: false, readings: [reading(), second] })).not.toContain(what);
    expect(unmet({ isChainKnown: true })).not.toContain(what);
  });
});
