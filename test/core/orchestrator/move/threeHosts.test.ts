import { describe, expect, test } from "vitest";
import { formatMove } from "../../../../core/eventLog/moveId";
import { runSaga } from "../../../../core/orchestrator/move/saga";
import type { Saga } from "../../../../core/orchestrator/rules/journal";
import { type Blow, Killed } from "../../../../lab/simulation/blow";
import { installed, type ModelHost, signing } from "../../../../lab/simulation/host";
import { Model } from "../../../../lab/simulation/model";
import { moveNamed } from "../../../moveNamed";

/**
 * An orchestrator that moves from host to host, each time by another stack: A to B by `second`, B to C by `third`. A
 * stack's knowledge may be outdated; the model fails as soon as two hosts may sign.
 */
type Stack = "second" | "third" | "fourth";
const moveOf = (stack: Stack, attempt = 1) => moveNamed(`pillar-host/${stack}/Anvil/${attempt}`);

class Three {
  readonly a = signing("198.51.100.7");
  readonly b = installed("203.0.113.9");
  readonly c = installed("192.0.2.4");
  readonly all: readonly ModelHost[] = [this.a, this.b, this.c];
  readonly models: Record<Stack, Model>;

  constructor(blow: () => Blow = () => "none") {
    const between = (old: ModelHost, fresh: ModelHost) => new Model(blow, { old, new: fresh }, this.all);
    this.models = { second: between(this.a, this.b), third: between(this.b, this.c), fourth: between(this.c, this.a) };
  }

  /** Runs an `up` of a stack. @returns its end or its error */
  async up(stack: Stack, direction: Saga["direction"] = "forward", attempt = 1): Promise<string> {
    const model = this.models[stack];
    const { old, new: fresh } = model.hosts;
    const services = { old: "orchestrator", new: "orchestrator" };
    try {
      const places = { old: old.address, new: fresh.address, services, stack };
      const { holder, why } = await runSaga({ move: moveOf(stack, attempt), direction }, model, places);
      return `${holder}: ${why}`;
    } catch (error) {
      return error instanceof Killed ? "killed" : (error as Error).message;
    }
  }

  get signs(): string {
    return ["a", "b", "c"].filter((_name, index) => this.all[index]?.running).join("");
  }
}

/** Makes A unreachable right before the end of its move is written to its journal, then moves the orchestrator to C. */
async function fencedAtClose(): Promise<Three> {
  const three: Three = new Three(() =>
    three.a.reachable && three.a.journal?.stage === "fenced" && three.b.journal?.stage === "running"
      ? "lose old"
      : "none",
  );
  expect(await three.up("second")).toBe("new: moved");
  expect(three.a).toMatchObject({ reachable: false, journal: { stage: "fenced" } });
  expect(await three.up("third")).toBe("new: moved");
  expect(three.signs).toBe("c");
  return three;
}

describe("an orchestrator that went on to a third host", () => {
  test("is not moved again from the first host, whose journal lacks the end", async () => {
    const three = await fencedAtClose();
    three.a.reachable = true;
    for (const attempt of [1, 2]) {
      const said = await three.up("second", "forward", attempt);
      expect(said).toContain(`took this orchestrator elsewhere: ${formatMove(moveOf("third"))}`);
      expect(said).toContain("pulumi config rm --path pillar-host:orchestrator.migrateFrom -s second");
      expect(said).toContain("The key is on 192.0.2.4: ");
    }
    expect(three.signs).toBe("c");
    expect(three.b.journal).toMatchObject({ move: moveOf("third"), stage: "moved" });
  });

  test("is not moved again during the other move, or after its rollback", async () => {
    const cuts: Blow[] = [];
    const three: Three = new Three(() => {
      if (three.b.journal?.stage === "fenced") return cuts.pop() ?? "none";
      const isClosing = three.a.journal?.stage === "fenced" && three.b.journal?.stage === "running";
      return three.a.reachable && isClosing ? "lose old" : "none";
    });
    await three.up("second");
    cuts.push("kill");
    expect(await three.up("third")).toBe("killed");
    three.a.reachable = true;
    expect(await three.up("second")).toContain("Finish it with its own stack first: pulumi up -s third");
    expect(await three.up("second", "back")).toContain("Finish it with its own stack first: pulumi up -s third");
    expect(await three.up("third", "back")).toBe("old: nothing to roll back");
    expect(three.signs).toBe("b");
    // It signs on B again, by the third stack's word; A's copy is older than that.
    three.b.running = false;
    expect(await three.up("second")).toContain(`took this orchestrator elsewhere: ${formatMove(moveOf("third"))}`);
    expect(three.b.journal).toMatchObject({ move: moveOf("third"), stage: "restored" });
  });

  test("is not rolled back from a host that it left", async () => {
    const three = new Three();
    await three.up("second");
    await three.up("third");
    expect(await three.up("second", "back")).toContain(
      `took this orchestrator elsewhere: ${formatMove(moveOf("third"))}`,
    );
    expect(three.signs).toBe("c");
  });

  test("each stack stays done after its own move", async () => {
    const three = new Three();
    expect(await three.up("second")).toBe("new: moved");
    expect(await three.up("third")).toBe("new: moved");
    expect(await three.up("second")).toBe("new: moved on");
    expect(await three.up("third")).toBe("new: moved");
    three.a.reachable = false;
    expect(await three.up("second")).toBe("new: moved on");
    expect(three.signs).toBe("c");
    expect(await three.up("third", "back")).toBe("old: moved");
    expect(await three.up("second")).toBe("new: moved");
    three.a.reachable = true;
    expect(await three.up("second")).toBe("new: moved");
    // It is on B, and may go back from there to A.
    expect(await three.up("second", "back")).toBe("old: moved");
    expect(three.signs).toBe("a");
    expect(await three.up("third")).toContain(`took this orchestrator elsewhere: ${formatMove(moveOf("second"))}`);
  });

  test("moves to a host that it left long ago, and on from there", async () => {
    const three = new Three();
    await three.up("second");
    await three.up("third");
    expect(await three.up("fourth")).toBe("new: moved");
    expect(three.signs).toBe("a");
    expect(await three.up("second")).toContain(`took this orchestrator elsewhere: ${formatMove(moveOf("third"))}`);
    expect(await three.up("second", "forward", 2)).toBe("new: moved");
    expect(three.signs).toBe("b");
    expect(await three.up("fourth")).toBe("new: moved on");
    expect(await three.up("fourth", "back")).toContain(
      `took this orchestrator elsewhere: ${formatMove(moveOf("second", 2))}`,
    );
  });
});
