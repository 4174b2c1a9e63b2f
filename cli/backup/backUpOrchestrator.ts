import { readFileSync } from "node:fs";
import { dirname } from "node:path";
import { openStackStore } from "../../core/config/stackStore";
import { readMoveEvents } from "../../core/eventLog/eventLog";
import type { Backup } from "../../core/eventLog/events";
import { createMoveId } from "../../core/eventLog/moveId";
import { takeBackup } from "../../core/orchestrator/backup/backup";
import { hasSameShare } from "../../core/orchestrator/backup/keyShare";
import type { Entry } from "../../core/orchestrator/backup/manifest";
import { findWholeBackup } from "../../core/orchestrator/checks/preparation";
import { readOrchestratorFacts } from "../../core/orchestrator/checks/survey";
import { locateOrchestrator } from "../../core/orchestrator/hosts/locateOrchestrator";
import type { OrchestratorPlace } from "../../core/orchestrator/hosts/moveInputs";
import { openRoot, type RootHost } from "../../core/ssh/root";
import { readOrchestratorLibrary } from "../../core/steps/libraries";
import { systemClock } from "../../core/util/clock";
import { commandsFor } from "../../core/util/commands";
import { printable, printableLines } from "../../core/util/printable";
import { formatProblem } from "../../core/util/problem";
import { resolvePath } from "../../core/util/resolvePath";
import { withLock } from "../../core/util/withLock";
import { openStack, type StackInfo } from "../status/openStack";
import { listOrchestratorHosts } from "../status/orchestratorHosts";
import { CliRefusal } from "../terminal/refusal";
import { formatBackup } from "./backupLines";

interface Candidate {
  readonly root: RootHost;
  readonly place: OrchestratorPlace;
}

/** Backs up a stack's orchestrator where it runs now, without stopping it. Returns the exit code. @throws Refusal */
export async function backUpOrchestrator(fullName: string, { json }: { json?: boolean }): Promise<number> {
  const source = await openStack(fullName);
  const { stack, config } = source;
  const store = openStackStore(config);
  const candidates = listCandidates(source);
  const say = (line: string) => console.error(printable(line));
  try {
    const { root, place } = await findOrchestrator(stack, candidates);
    const { attempt: _attempt, ...move } = createMoveId(config, stack);
    const { identityFile } = config.orchestrator.backup;
    const settings = {
      store,
      move,
      identityFile: identityFile === undefined ? undefined : resolvePath(identityFile),
    };
    const lock = { stack, pillar: config.pillar.name, doing: "backup" } as const;
    const earlier = (await readMoveEvents(store)).flatMap((entry) => (entry.event === "backup" ? [entry.details] : []));
    const made = await withLock(store.directory, lock, systemClock, () =>
      takeBackup(root, findWholeBackup("asked", place), settings, { ...systemClock, say }),
    );
    const stale = listStaleBackups(made, earlier);
    if (json) console.log(JSON.stringify({ stack, address: root.address, ...made, stale }, undefined, 2));
    else console.log(printableLines(formatBackup(stack, root.address, made, stale).join("\n")));
    return 0;
  } catch (error) {
    if (error instanceof CliRefusal) throw error;
    throw new CliRefusal(`no backup of the orchestrator of ${stack} was made: ${(error as Error).message}`);
  } finally {
    for (const { root } of candidates) root.close();
  }
}

/** Opens the hosts on which a stack's orchestrator may be. @throws CliRefusal if none is known */
function listCandidates(source: StackInfo): readonly Candidate[] {
  const hosts = listOrchestratorHosts(source);
  if (hosts.length === 0)
    throw new CliRefusal(
      formatProblem({
        what: `the address and ssh host key of stack ${source.stack}'s host are not recorded`,
        needed: `record them with: ${commandsFor(source.stack).up}`,
      }),
    );
  const library = readOrchestratorLibrary();
  return hosts.map(({ host, place }) => ({ root: openRoot(host, library), place }));
}

async function findOrchestrator(stack: string, candidates: readonly Candidate[]): Promise<Candidate> {
  const hosts = await Promise.all(
    candidates.map(async (candidate) => {
      const { root, place } = candidate;
      const seen = await readOrchestratorFacts(root, place).catch((error: Error) => ({ unseen: error.message }));
      return { ...candidate, address: root.address, seen };
    }),
  );
  return locateOrchestrator(hosts, commandsFor(stack).backup);
}

/** Lists the files of earlier backups that hold another key share than this one and still exist here. */
function listStaleBackups(made: Backup, earlier: readonly Backup[]): string[] {
  const entries = readManifestEntries(made);
  return earlier.flatMap((each) => {
    const lists = each.manifestFile === undefined ? undefined : readManifestEntries(each);
    const isHere = each.file !== undefined && dirname(each.file) === dirname(made.file);
    return lists && entries && isHere && !hasSameShare(lists, entries) ? [each.file] : [];
  });
}

function readManifestEntries({ manifestFile }: Backup): readonly Entry[] | undefined {
  try {
    return (JSON.parse(readFileSync(manifestFile, "utf8")) as { entries?: readonly Entry[] }).entries;
  } catch {
    // A backup whose manifest was deleted counts as gone.
    return undefined;
  }
}
