import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import type { ChainTruth, SignersTruth } from "../../../lab/doubles/chain/index.ts";
import { listSeeds } from "../../../lab/explore/rounds.ts";
import { asks, yes } from "../../../lab/operator/migrateAnswers.ts";
import { awaitPaidEpoch, awaitProduction, collectLastRewards, updateProducer } from "../../../lab/operator/wallet.ts";
import { randomOf } from "../../../lab/simulation/seededRandom.ts";
import { onHost } from "../fixture.ts";
import { expectEndings, migrationStage, normalize, readmeCommands, stop } from "./migration.ts";

/** Each round kills the destroy at another moment. */
const seeds = listSeeds(7);

describe.each(seeds)(
  "README's command, typed in a terminal of 80x24 and interrupted wherever it waits (seed %d)",
  (seed) => {
    const random = randomOf(seed);
    const stage = migrationStage();

    it("migrates from a blank machine to the destroyed old stack", { timeout: 1_200_000 }, async () => {
      expect(readmeCommands.at(-1)).toBe("./pillar-host migrate prod-1 prod-2");
      const { lab, old, fresh, typed } = stage;
      const endings: Record<string, string> = {};
      const end = (name: string, screen: string) => {
        expect(screen, "nothing stands between the last words and the prompt").toMatch(/\S\n$/);
        endings[name] = normalize(screen, stage);
      };
      const waits = /Waiting; this command goes on by itself[\s\S]*\n/;

      const first = await stage.migrate(yes(asks.setUp), yes(asks.move), stop(waits));
      end("the wallet is awaited", first.screen);
      expect(first.exitCode, first.shown).toBe(130);
      // These are all that an operator types from the first question to the wallet.
      expect(typed).toEqual({ commands: 4, approvals: 2, passphrases: 2 });
      const [, address = ""] =
        /Producer\s+address\s+field:\s+(z1q[0-9a-z]{37})\n[\s\S]*Waiting/.exec(first.shown) ?? [];
      await updateProducer(lab, "Anvil", address);
      await awaitProduction(lab, address);

      const second = await stage.migrate(stop(asks.retire));
      end("retire asks", second.screen);
      expect(await onHost(old, "systemctl is-active go-node")).toBe("active");
      // The rewards since the switch are paid, and not collected.
      await awaitPaidEpoch(lab);
      const third = await stage.migrate(yes(asks.retire), stop(waits));
      end("the rewards are awaited", third.screen);
      await collectLastRewards(lab, "Anvil");
      const fourth = await stage.migrate(stop(asks.destroy));
      end("destroy asks", fourth.screen);
      // An interruption costs a command and a pass phrase, and no further approval.
      expect(typed).toEqual({ commands: 7, approvals: 3, passphrases: 5 });

      const killed = await stage.migrate(yes(asks.destroy), {
        seen: /Destroying/,
        reply: async (_match, { kill }) => {
          await sleep(random() * 4000);
          await kill();
        },
      });
      expect(typed.approvals).toBe(4);
      const last = killed.exitCode === 0 ? killed : await stage.migrate(yes(asks.destroy), yes(asks.resume));
      expect(last.exitCode, last.shown).toBe(0);
      expect(last.screen).toMatch(/The migration is done[\s\S]*next prod-2\n$/);

      expect((await lab.chain<SignersTruth>("GET", "/signers")).doubles).toEqual([]);
      expect(await onHost(fresh, "systemctl is-active go-node orchestrator")).toBe("active\nactive");
      expect(await onHost(old, "systemctl is-active go-node orchestrator || true")).not.toMatch(/^active/m);
      const { pillars } = await lab.chain<ChainTruth>("GET", "/truth");
      expect(pillars.find(({ name }) => name === "Anvil")?.producerAddress).toBe(address);
      expectEndings(endings);
    });
  },
);
