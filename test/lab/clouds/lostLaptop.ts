import { rename } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { SeenRequest } from "../../../lab/clouds/api.ts";
import type { Lab } from "../../../lab/lab.ts";
import { LabStack, type StackFile } from "../../../lab/stack/stack.ts";
import { expectFailure, expectSuccess, linesOf } from "../fixture.ts";

/** A live server at a provider, and the stack that made it. */
export interface LiveServer {
  readonly lab: Lab;
  readonly stack: LabStack;
  readonly hostKey: () => Promise<string>;
  /** The node's main process: it may not change. */
  readonly nodePid: () => Promise<string>;
  readonly file: (changes?: StackFile, host?: StackFile) => StackFile;
  readonly secrets: () => Readonly<Record<string, string>>;
}

/** Host and chain were asked. */
const notYet = "the host of stack prod for Anvil, can't be shut down yet; nothing was changed";

/**
 * Tests the recovery after a lost state, event log or both: the printed or documented commands keep the server and make
 * it manageable again. Runs within a describe block that made the server.
 */
export function lostLaptop(live: () => LiveServer): void {
  /** Returns what changed at the provider: requests that are not to read, apart from the probe of the token's rights. */
  const writes = async () => {
    const { lab } = live();
    const requests = await lab.cloud<SeenRequest[]>("hetzner", "GET", "/_lab/requests");
    return requests.filter(({ method, status }) => method !== "GET" && status < 400).map(({ path }) => path);
  };
  const elsewhere = (folder: string) => {
    const { lab, file, secrets } = live();
    return LabStack.create(lab, "prod", file(), secrets(), { folder });
  };
  /** Records and backups of a stack's operator. */
  const backups = (stack: LabStack) => join(stack.dir, "data");

  describe("a server whose local data is lost", () => {
    test("without state and event log, no printed command touches it, and its key makes it manageable again", async () => {
      const { hostKey, nodePid, file, secrets, stack } = live();
      const [before, pid] = [await writes(), await nodePid()];
      const fresh = await elsewhere("both-lost");
      const refuse = async (run: Promise<{ exitCode: number; output: string }>, text: string) => {
        const output = await expectFailure(run);
        expect(linesOf(output)).toContain(text);
        return output;
      };
      const said = await refuse(fresh.up(), "it may be a live Pillar. Nothing was changed\n");
      expect(said).not.toMatch(/retiring|throw|pulumi destroy/);
      await fresh.configure(file({ lifecycle: "retiring" }), secrets());
      await refuse(fresh.up(), "pillar-host:host.hostKey: needed to retire server pillar-anvil-prod");
      await fresh.pulumi(["refresh", "--yes", "--skip-preview"]);
      await fresh.destroy();
      expect([await writes(), await nodePid()]).toEqual([before, pid]);

      await fresh.configure(file({}, { hostKey: await hostKey() }), secrets());
      await expectSuccess(fresh.up());
      const [again, once] = await Promise.all([fresh, stack].map((each) => each.outputs<Record<string, object>>()));
      expect(again).toMatchObject({ host: { provider: "hetzner" }, producerAddress: once?.producerAddress });
      expect((await fresh.destroy()).output).toContain("because it is protected");
      await fresh.configure(file({ lifecycle: "retiring" }, { hostKey: await hostKey() }), secrets());
      await refuse(fresh.up(), notYet);
      expect((await fresh.destroy()).output).toContain("because it is protected");
      expect(await nodePid()).toBe(pid);
    });

    test("without the event log, the state has the rest, also after a failed run", async () => {
      const { nodePid, file, secrets, stack } = live();
      const [before, pid] = [await writes(), await nodePid()];
      await rename(backups(stack), `${backups(stack)}.away`);
      await stack.configure(file({ retirement: { references: ["not a URL"] } }), secrets());
      await expectFailure(stack.up());
      await stack.configure(file({ lifecycle: "retiring" }), secrets());
      const refused = await expectFailure(stack.up());
      expect(refused).toContain(notYet);
      expect((await stack.destroy()).output).toContain("because it is protected");
      await stack.configure(file(), secrets());
      await expectSuccess(stack.up());
      expect([await writes(), await nodePid()]).toEqual([before, pid]);
      await rename(`${backups(stack)}.away`, backups(stack));
    });
  });
}
