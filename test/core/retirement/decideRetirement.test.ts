import { describe, expect, test } from "vitest";
import type { Journal } from "../../../core/orchestrator/rules/journal.ts";
import { decideRetirement } from "../../../core/retirement/decideRetirement.ts";
import type { HostFacts } from "../../../core/retirement/readHost.ts";
import { formatUnmet } from "../../../core/retirement/refusalText.ts";
import { addProvider, type GoodReading, type RetirementFacts } from "../../../core/retirement/retirementFacts.ts";
import { clientNamed, silent as silentNode } from "../chain/readings.ts";
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
} from "./exampleFacts.ts";

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
const signs = (changes: Partial<HostFacts["orchestrator"]> = {}) => on({ orchestrator: { ...fenced, ...changes } });
type Successor = NonNullable<Changes["successor"]>;
const beside = (changes: Partial<Successor>): Changes => ({ successor: { ...successor, ...changes } });
const by = (...readings: Partial<GoodReading>[]): Changes => ({ readings: readings.map((each) => reading(each)) });
const B = { client: clientNamed("reference B") };
const registered = (producerAddress: string) => ({ pillar: { ...reading().pillar, producerAddress } as never });

const isRegistered = "this host's producer address is the registered one";
const build = { value: { version: "v0.0.9a" } as never };
const answering = beside({ build });
/** A host that is switched off, of whose orchestrator all is known. */
const off: Changes = { host: { off: "hetzner says that it is off" }, backupFaults: [], bridge, ...answering };
/** Returns a journal of this stage of a move. */
const stage = (name: Journal["stage"]) => ({
  journal: { ...fenced.journal, stage: name, at: "2026-11-23T08:00:00Z" } as Journal,
});
const paid = { epoch: 7, expected: 100, produced: 40, givesAll: false };
const poor = (figures: { expected: number; produced: number }) =>
  by({ pillar: { ...reading().pillar, figures } as never, paid });

describe("is allowed", () => {
  test("with its evidence", () => {
    expect(decideRetirement(facts())).toEqual({
      unmet: [],
      evidence: [
        "192.0.2.2 is registered and produced momentum 999, says reference A",
        "epoch 7 was paid, says reference A",
        "192.0.2.1 has no orchestrator on it",
        "the successor's orchestrator has no connection to 192.0.2.1",
      ],
    });
  });

  const inBackup = "a proved backup of the orchestrator of 192.0.2.1 lies on this machine";
  const noneAt = "2026-11-21T18:00:00Z";
  test.each<[string, Changes, string?]>([
    ["with the orchestrator", { ...signs(), ...answering }, "the orchestrator v0.0.9a answers on 192.0.2.2"],
    ["before the final backup", { ...signs(), ...answering }, "192.0.2.1 holds the whole fenced orchestrator, for the"],
    ["with a backup of a share", { ...signs({ lacks: ["key share"] }), ...answering, backupFaults: [] }, inBackup],
    ["with a backup of all", { ...signs({ lacks: signerParts }), ...answering, backupFaults: [] }, inBackup],
    [
      "to shut down, without rewards",
      { step: "retire", rewards: [], ...on({ node: { active: true, masked: false } }) },
    ],
    ["to shut down, though silent", { step: "retire", host: { silent: "ECONNREFUSED" } }],
    ["to shut down, after a move that ended", { step: "retire", ...signs(stage("fenced")), ...answering }],
    ["if its cloud can switch it off", { ...off, host: { unseen: "x", provider: "hetzner" } }, "hetzner will switch"],
    ["if it is switched off", off, "192.0.2.1 did not answer, and is switched off: hetzner says"],
    ["if it had no orchestrator", { host: { off: "x" }, noOrchestratorAt: noneAt }, "no orchestrator was on 192.0.2.1"],
    ["if the successor was repaired", poor({ expected: 12, produced: 11 }), "filled 40 of 100 slots in epoch 7, says"],
    ["if a second node confirms the chain", { ...by({}, B), isChainKnown: false }],
    ["if one of two nodes is behind", { readings: [reading(), silentNode("reference B")] }],
    ["if one of two nodes can't tell the rewards", { rewards: [...facts().rewards, rewards("fault", "w")] }],
  ])("%s", (_what, changes, said = "") => {
    const { unmet, evidence } = decideRetirement(facts(changes));
    expect([unmet, evidence.some((line) => line.includes(said))]).toEqual([[], true]);
  });

  test("if the orchestrator moved on, by the successor's journal", () => {
    const identity = { producer: "z1qsigner" };
    const other = { address: "192.0.2.9", hostKey: "ssh-ed25519 BETWEEN" };
    const at = (stage: string, now = identity) => {
      const orchestrator = { ...fenced, journal: { identity: now, stage } as unknown as Journal };
      return {
        ...signs({ journal: { other, identity, stage: "moved" } as unknown as Journal }),
        ...beside({ build, look: { facts: { ...successor.look.facts, orchestrator } } }),
      };
    };
    expect(lines(at("running"))).toBe("");
    for (const changes of [at("running", { producer: "z1qother" }), at("staged")])
      expect(lines(changes)).toContain("the orchestrator moved to another host than the successor");
  });
});

describe("while the successor's orchestrator may use a node of this host", () => {
  const connected = (...connections: readonly (readonly [host: string, port: number])[]) => {
    const { orchestrator } = successor.look.facts;
    const own = { ...orchestrator, connections: connections.map(([host, port]) => ({ host, port })) };
    return beside({ build, look: { facts: { ...successor.look.facts, orchestrator: own } } });
  };
  const elsewhere = ["198.51.100.99", 443] as const;
  const uses = "nothing proves that the successor's orchestrator runs without a node of this host, 192.0.2.1";
  const addresses = ["192.0.2.1", "10.0.0.5", "2001:db8::5"];

  test.for(["retire", "destroy"] as const)("the %s is refused, with each connection", (step) => {
    const changes = { step, ...on({ addresses }), ...connected(["10.0.0.5", 35998], elsewhere, ["192.0.2.1", 8545]) };
    expect(decideRetirement(facts(changes)).unmet).toEqual([
      expect.objectContaining({
        what: uses,
        loss: "the orchestrator",
        found: ["a connection of its process to 10.0.0.5:35998", "a connection of its process to 192.0.2.1:8545"],
      }),
    ]);
    expect(whats({ step, ...on({ addresses }), ...connected(["2001:db8::5", 35998]) })).toEqual([uses]);
    expect(whats({ step, ...on({ addresses }), ...connected(elsewhere, ["10.0.0.50", 35998]) })).toEqual([]);
  });

  test("a silent host is known by its configured address", () => {
    const silent = { ...off, host: { silent: "ECONNREFUSED" } };
    expect(whats({ ...silent, step: "retire", ...connected(["192.0.2.1", 35998]) })).toEqual([uses]);
    expect(whats({ ...off, ...connected(["192.0.2.1", 35998]) })).toContain(uses);
  });

  test("no connection of a running one proves nothing", () => {
    expect(whats({ step: "retire", ...connected() })).toEqual([uses]);
    const { orchestrator } = successor.look.facts;
    const resting = { ...orchestrator, active: false, connections: [] };
    const look = { facts: { ...successor.look.facts, orchestrator: resting } };
    expect(whats({ step: "retire", ...beside({ look }) })).toEqual([]);
  });
});

test("a shutdown is refused in each stage in which a move may come back", () => {
  const retire = (name: Journal["stage"], more: Changes = {}) =>
    lines({ step: "retire", rewards: [], ...signs(stage(name)), ...more });
  for (const name of ["moved", "restored", "abandoned", "staging"] as const) expect(retire(name), name).toBe("");
  for (const name of ["stopping", "fenced", "restoring", "staged", "switched", "starting"] as const) {
    expect(retire(name), name).toContain("a move of the orchestrator is not over");
    // Once the orchestrator answers on the successor, only a fenced one can't come back.
    expect(retire(name, answering) === "", name).toBe(name === "fenced");
  }
});

describe("is refused", () => {
  const stranger = { ...B, fault: { kind: "stranger", why: "it is of another chain" } } as const;
  const fork = { ...B, newest: { ...momentum(1000, "z1qother"), hash: "forked" } };
  const fresh = { ...successor.look.facts.orchestrator, shares: [] };
  const identity = { producer: "z1qfirst", tssPeerId: "12A", evmAddress: "0x" };
  const refusing = addProvider({ silent: "op@192.0.2.1:22 refuses the login", isRefused: true }, "hetzner");
  const retired = hostFacts({ producer: next, marks: { retired: "2026-11-20T00:00:00Z" } });
  const waiting = rewards("waiting", "epoch 7 is not paid yet", { dueAt: Date.UTC(2026, 10, 22, 14, 31) });
  const silentHost = { ...off, host: { silent: "ECONNREFUSED" } };
  const behind = { node: { synced: false, known: true, why: "height 1 of 9" } } as const;
  const nameless = { look: { facts: { ...successor.look.facts, producer: undefined as never } } };
  const two = { own: momentum(999, own), successor: momentum(998, next) };
  const fault = rewards("fault", "epoch 7 paid nothing");
  const waitsAtB = { rewards: [fault, { ...waiting, source: "reference B" }] };
  const running = { active: true, masked: false, hasKeyStore: true };
  const bare = { ...signs({ hasDirectory: false, lacks: signerParts }), ...answering };
  const elsewhere = { ...signs(), ...beside({ hostKey: "ssh-ed25519 THIRD", build }) };
  const shareless = { build, look: { facts: { ...successor.look.facts, orchestrator: fresh } } };
  const another = { build, identity: { ...identity, producer: "z1qfresh", pillarName: "Anvil" } };

  test.each<[string, Changes, ...string[]]>([
    ["does not answer: its node may still run", silentHost, "- this host, 192.0.2.1, ", "found: ECONNREFUSED"],
    ["answers, and refuses this program's login: its node may still run", { ...off, host: refusing }],
    ["this host, 192.0.2.1, belongs to another", on({ marks: { stack: "a/prod BlackAnvil" } }), "prod BlackAnvil, in"],
    ["there is no Pillar Anvil", by({ pillar: null })],
    ["momentums still carry this host's address", by({ last: two }), "the newest so far is momentum 999; more may"],
    ["this host and its successor produce in turns", by({ alternate: true }), "newest momentum of this host: 900"],
    ["a node lacks the momentum that was recorded", { readings: [reading(), stranger] }, "found: reference B"],
    ["on different chains", by({}, fork), "momentum 1000 is h1000 at reference A", "is forked at reference B"],
    ["nothing confirms the chain", { isChainKnown: false }, "an answer of reference A alone"],
    ["nothing confirms the chain", { ...by({ id: "a" }, { ...B, id: "a" }), isChainKnown: false }],
    ["no node answers about Anvil", { readings: [silentNode("reference A")] }, "reference A: ECONNREFUSED"],
    ["no successor of this host is configured", { successor: undefined }],
    ["the successor, 192.0.2.2, does not answer", beside({ look: { silent: "ETIMEDOUT" } }), "found: ETIMEDOUT"],
    ["the successor's node, 192.0.2.2, is not synced now", beside(behind), "found: height 1 of 9"],
    ["192.0.2.2, is shut down for its own retirement", beside({ look: { facts: retired } }), "since 2026-11-20"],
    ["the successor, 192.0.2.2, has no producer address", beside(nameless)],
    ["address is not the registered one of Anvil", by(registered("z1qthird")), "found: registered: z1qthird"],
    ["the successor does not produce", by({ last: {} }), "no momentum of its address in the last 6 min", "1 of 10,000"],
    ["the successor does not produce", by({ last: { successor: momentum(639, next) } }), "last momentum was 6 min ago"],
    ["the successor misses most of its slots", poor({ expected: 12, produced: 4 }), "paid: 40 of 100", "4 of 12 slots"],
    ["since the switch are not collected", { rewards: [waiting] }, "z1qwithdraw; due by about 2026-11-22 14:31"],
    ["since the switch are not collected", waitsAtB, "says reference B"],
    [
      "no node can tell whether the rewards since the switch",
      { rewards: [fault] },
      "reference A: epoch 7 paid nothing",
    ],
    ["an orchestrator runs on this host, 192.0.2.1", { ...signs({ active: true }), ...answering }],
    ["an orchestrator runs on this host, 192.0.2.1", { step: "retire", ...signs(running) }],
    ["a move of the orchestrator is not over", { step: "retire", ...signs(stage("stopping")) }, "stopping of a move"],
    ["is not fenced", { ...signs({ masked: false }), ...answering }, "its unit is not masked, its key store aside"],
    ["is not fenced", { ...signs({ hasKeyStore: true }), ...answering }, "its unit is masked, its key store in place"],
    ["the final backup would be incomplete", bare, "directory there lacks its configuration, its key store, its key s"],
    ["moved to another host than the successor", elsewhere, "192.0.2.2 with the host key ssh-ed25519 NEXT", "THIRD"],
    ["the successor's orchestrator does not answer", { ...signs(), ...beside({ build: { problem: "EOF" } }) }, "EOF"],
    ["the successor's orchestrator does not answer", signs(), "no orchestrator runs there"],
    ["this machine has no proved backup of one", { ...off, backupFaults: ["no backup in /r"] }, "no backup in /r"],
    ["orchestrator has no share of the bridge's key", { ...off, ...beside(shareless) }, `a backup that has ${share} (`],
    ["has a share of the bridge's key", { ...off, bridge: { known: false, why: "E" } }, "it is unknown whether", "E"],
    ["is the one that this host had", { ...off, identity, ...beside(another) }, "its producer is another"],
  ])("because %s", (what, changes, ...found) => {
    expect(whats(changes)).toEqual([expect.stringContaining(what)]);
    for (const each of [...found, "needed: "]) expect(lines(changes)).toContain(each);
  });

  test("while this host is registered, and if two hosts hold the same producer key", () => {
    const text = lines(by(registered(own)));
    expect(text).toContain(`${isRegistered}, says reference A\n    found: z1qown\n    needed: set the successor's`);
    expect(text).toContain("the successor's producer address is not the registered one of Anvil");
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
    expect(lines(by(third, { ...third, ...B }))).toMatch(
      /^- the successor's .* registered one of Anvil, say reference A and reference B\n {4}found: registered: z1qthird\n.*needed: /,
    );
  });
});

describe("a host that never produced", () => {
  const deployed = { marks: { "deploy.done": "2026-11-21T10:00:00Z" } };
  const ownWork = (unregisteredSince?: string): Changes => ({
    ...on(deployed),
    memory: { isReached: true, isOwnWork: true },
    unregisteredSince,
    hasProduced: false,
    successor: undefined,
    rewards: [],
    ...by({ last: {} }),
  });
  const missing = "no successor of this host is configured";
  const before = "2026-11-21T09:59:59.123Z";
  const rekeyed = { ...ownWork(before), ...on({ ...deployed, producer: "z1qfresh" }), knownProducer: own };
  const signing = { ...ownWork(before), ...on({ ...deployed, orchestrator: { ...fenced, active: true } }) };

  test("needs neither successor nor rewards", () => {
    expect(lines(ownWork(before))).toBe("");
  });

  test.each<[string, Changes, string]>([
    ["an unknown history", ownWork(), missing],
    ["a momentum that no line of the log has", { ...ownWork(before), hasProduced: true }, missing],
    ["a chain that could not be searched", { ...ownWork(before), hasProduced: undefined }, missing],
    ["an event log that is younger than the node", ownWork("2026-11-21T10:00:01.000Z"), missing],
    ["a node that the stack did not deploy", { ...ownWork(before), ...on({}) }, missing],
    ["an adopted host", { ...ownWork(before), memory: facts().memory }, missing],
    ["an earlier key", rekeyed, missing],
    ["an earlier key that is registered", { ...rekeyed, ...by(registered(own)) }, isRegistered],
    ["a registered address", { ...ownWork(before), ...by({ ...registered(own), last: {} }) }, isRegistered],
    ["a running orchestrator", signing, "an orchestrator runs on this host, 192.0.2.1"],
  ])("is kept with %s", (_what, changes, what) => {
    expect(whats(changes)).toContain(what);
  });
});

describe("a key share outside of the orchestrator's directory", () => {
  const beside = (name: string) =>
    on({ orchestrator: { ...fenced, sharesBeside: [`/root/.orchestrator.arriving/${name}`] } });
  const has = (...shares: string[]) =>
    ({
      successor: { ...successor, build, look: { facts: hostFacts({ orchestrator: { ...fenced, shares } }) } },
    }) as Changes;
  const needed = "a share of the bridge's present key lies on 192.0.2.1, and the successor's orchestrator lacks it";

  test.each<[string, Changes, string | undefined]>([
    ["of the present key, which the successor lacks", { ...beside(share), ...has(), bridge }, needed],
    ["of the present key, which the successor has", { ...beside(share), ...has(share), bridge }, undefined],
    ["of an earlier key", { ...beside("tss/localstate-00.json"), ...has(), bridge }, undefined],
    ["while nobody knows the key", beside(share), "it is unknown whether a key share on 192.0.2.1"],
  ])("%s", (_what, changes, what) => {
    const said = whats(changes).filter((each) => each.includes("share"));
    expect(said).toEqual(what === undefined ? [] : [expect.stringContaining(what)]);
  });

  test("is something to lose, also without an orchestrator, and no reason to keep the node running", () => {
    const empty = hostFacts({ hasKeyStore: false, producer: undefined });
    const host = {
      facts: { ...empty, orchestrator: { ...empty.orchestrator, sharesBeside: ["/var/lib/pillar-host/shares/a"] } },
    };
    expect(whats({ host, memory: { isReached: true, isOwnWork: true } })).not.toEqual([]);
    expect(whats({ ...beside(share), bridge, step: "retire" })).toEqual([]);
  });
});

describe("a host with nothing to lose", () => {
  const nobody: Changes = { successor: undefined, readings: [], rewards: [] };
  const empty = hostFacts({ hasKeyStore: false, producer: undefined });
  const stranger = { isReached: false, isOwnWork: false };

  const never = "this stack never logged in to 192.0.2.1: nothing was deployed on it";
  const deployed = { isReached: true, isOwnWork: true };
  test.each<[string, Changes, string]>([
    [
      "an empty host",
      { host: { facts: empty }, memory: deployed },
      "192.0.2.1 has neither a node nor an orchestrator on it",
    ],
    ["a server that never let this stack in", { host: { silent: "ETIMEDOUT" }, memory: stranger }, never],
  ])("asks nothing of %s", (_what, changes, evidence) => {
    expect(decideRetirement(facts({ ...nobody, ...changes }))).toEqual({ unmet: [], evidence: [evidence] });
  });

  test.each<[string, Changes["host"] & object, boolean]>([
    ["a node that runs", { facts: { ...empty, node: { active: true, masked: false } } }, true],
    ["a key store alone", { facts: { ...empty, hasKeyStore: true } }, true],
    ["a deploy that was begun and done", { facts: { ...empty, marks: { "deploy.done": "x" } } }, true],
    ["an orchestrator's directory alone", { facts: { ...empty, orchestrator: { ...fenced, masked: true } } }, true],
    ["an adopted host whose node was not found: it may lie elsewhere", { facts: empty }, false],
  ])("does not include %s", (_what, host, isOwnWork) => {
    expect(whats({ ...nobody, host, memory: { isReached: true, isOwnWork } })).not.toEqual([]);
  });

  test("does not include a server that never let this stack in if the registered address may be of it", () => {
    const host = { silent: "ETIMEDOUT" };
    const doubts = { ...nobody, host, memory: stranger, registrationDoubts: ["no node was asked"] };
    const may = whats(doubts);
    expect(may).toContain("no successor of this host is configured");
    expect(may).toContain("this host, 192.0.2.1, does not answer: its node may still run");
    expect(whats({ ...nobody, host, memory: stranger, registrationDoubts: [] })).toEqual([]);
    expect(decideRetirement(facts(doubts)).unmet[0]).toEqual({
      kind: "neverReached",
      what: "this stack never logged in to 192.0.2.1, and the registered address of Anvil may be of a node there",
      found: ["no node was asked"],
      needed:
        "name a node to ask: pulumi config set --path 'pillar-host:retirement.references[0]' URL -s prod && pulumi up -s prod; or the stack of the host that produces today: ./pillar-host retire prod --successor SUCCESSOR. Once this is settled, no other condition here counts",
      loss: "momentums",
    });
  });

  test("does not include a host without history that refuses the login or shows another key: it is alive", () => {
    const host = { silent: "it shows another host key", isRefused: true } as const;
    const alive = "this host, 192.0.2.1, answers, and refuses this program's login: its node may still run";
    expect(whats({ ...nobody, host, memory: stranger })).toContain(alive);
  });
});
