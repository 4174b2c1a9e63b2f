import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import type { SignersTruth } from "../../../lab/doubles/chain/index.ts";
import { listSeeds } from "../../../lab/explore/rounds.ts";
import { asks, yes } from "../../../lab/operator/migrateAnswers.ts";
import type { Answer } from "../../../lab/operator/typist.ts";
import { randomOf } from "../../../lab/simulation/seededRandom.ts";
import { onHost } from "../fixture.ts";
import { awaitStage, expectEndings, migrationStage, normalize, stop, stopTwice } from "./migration.ts";

/** Each round kills it at other moments. */
const seeds = listSeeds(7);

describe.each(seeds)(
  "migrate, killed at the moments of seed %d and interrupted at each stage up to the move",
  (seed) => {
    const random = randomOf(seed);
    const stage = migrationStage();
    const killed = (seen: RegExp, withinMs: number): Answer => ({
      seen,
      reply: async (_match, { kill }) => {
        await sleep(random() * withinMs);
        await kill();
      },
    });

    it("continues each time, and says how", { timeout: 1_200_000 }, async () => {
      const { lab, old, fresh } = stage;
      const endings: Record<string, string> = {};
      const end = (name: string, screen: string) => {
        expect(screen, "nothing stands between the last words and the prompt").toMatch(/\S\n$/);
        endings[name] = normalize(screen, stage);
      };
      const approved = [yes(asks.setUp), yes(asks.resume), yes(asks.resume)];
      await stage.migrate(killed(/> \.\/pillar-host check prod-2/, 200));
      end("up asks", (await stage.migrate(stop(asks.setUp))).screen);
      end("up deploys", (await stage.migrate(...approved, stop(/Updating[\s\S]*node-deploy /))).screen);
      end("up syncs", (await stage.migrate(...approved, ...stopTwice(/Updating[\s\S]*node-sync /))).screen);
      await stage.migrate(...approved, killed(/> (?:\.\/pillar-host resume|pulumi up)/, 20_000));
      end("the move asks", (await stage.migrate(stop(asks.move), ...approved)).screen);
      const moves = [yes(asks.move), yes(asks.resume), yes(asks.resume)];
      const updating = /(?<=orchestrator-move [\s\S]*)Updating \(prod-2\)/;
      const at = await stage.migrate(...moves, ...stopTwice(updating, () => awaitStage(old, "stopping")));
      end("the move has stopped the old host's orchestrator", at.screen);
      end(
        "the move starts the new host's orchestrator",
        (await stage.migrate(...moves, ...stopTwice(updating, () => awaitStage(fresh, "starting")))).screen,
      );
      const last = await stage.migrate(...moves, stop(/Waiting; this command goes on by itself[\s\S]*\n/));
      expect(last.exitCode, last.shown).toBe(130);

      expect((await lab.chain<SignersTruth>("GET", "/signers")).doubles).toEqual([]);
      expect(await onHost(fresh, "systemctl is-active go-node orchestrator")).toBe("active\nactive");
      expect(await onHost(old, "systemctl is-active go-node orchestrator || true")).toMatch(/^active\n(?!active)/);
      expect(await onHost(fresh, "ls /var/log/pillar-host/deploy-*.log | wc -l")).toBe("1");
      expectEndings(endings);
    });
  },
);
