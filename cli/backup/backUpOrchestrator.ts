import { createOldHost } from "../../core/chain/configuredNode.ts";
import { chooseStore, openStackStore } from "../../core/config/stackStore.ts";
import type { Backup } from "../../core/eventLog/events.ts";
import { createMoveId } from "../../core/eventLog/moveId.ts";
import { takeBackup } from "../../core/orchestrator/backup/backup.ts";
import { findWholeBackup } from "../../core/orchestrator/checks/preparation.ts";
import { locateOrchestrator } from "../../core/orchestrator/hosts/locateOrchestrator.ts";
import { createMovePaths, type MovePaths } from "../../core/orchestrator/hosts/moveInputs.ts";
import { readOrchestratorState } from "../../core/orchestrator/hosts/orchestratorFacts.ts";
import { createNewHost } from "../../core/ssh/configuredLogin.ts";
import { openRoot, type RootHost } from "../../core/ssh/root.ts";
import { readOrchestratorLibrary } from "../../core/steps/libraries.ts";
import { systemClock } from "../../core/util/clock.ts";
import { commandsFor } from "../../core/util/commands.ts";
import { printable, printableLines } from "../../core/util/printable.ts";
import { hasKind, ProblemError } from "../../core/util/problem.ts";
import { withLock } from "../../core/util/withLock.ts";
import { openStack, type StackInfo } from "../status/openStack.ts";

type Candidate = { readonly root: RootHost; readonly paths: MovePaths };

/** Backs up a stack's orchestrator where it runs now, without stopping it. Returns the exit code. @throws Refusal */
export async function backUpOrchestrator(fullName: string, { json }: { json?: boolean }): Promise<number> {
  const source = await openStack(fullName);
  const { stack, config } = source;
  const store = openStackStore(config);
  const candidates = openCandidates(source);
  try {
    const { root, paths } = await findOrchestrator(stack, candidates);
    const { attempt: _attempt, ...move } = createMoveId(config);
    const { identityFile } = config.orchestrator.backup;
    const lock = { stack, pillar: config.pillar.name, doing: "backup" } as const;
    const ref = { directory: chooseStore(config), identityFile, move };
    const deps = { ...systemClock, say: (line: string) => console.error(printable(line)) };
    const made = await withLock(store.directory, lock, () =>
      takeBackup(root, findWholeBackup("asked", paths), ref, deps),
    );
    if (json) console.log(JSON.stringify({ stack, address: root.address, ...made }, undefined, 2));
    else console.log(printableLines(formatBackup(stack, root.address, made).join("\n")));
    return 0;
  } catch (error) {
    throw new ProblemError({ what: `no backup of the orchestrator of ${stack} was made: ${(error as Error).message}` });
  } finally {
    for (const { root } of candidates) root.close();
  }
}

/** Opens the stack's own host, if its key is known, and the host that its orchestrator comes from. */
export function openCandidates({ config, address, hostKey }: StackInfo): Candidate[] {
  const library = readOrchestratorLibrary();
  const candidates: Candidate[] = [];
  if (address !== undefined && hostKey !== undefined)
    candidates.push({
      root: openRoot(createNewHost(config, address, hostKey), library),
      paths: createMovePaths(config),
    });
  if (config.orchestrator.move) {
    const { host, orchestrator } = createOldHost(config);
    candidates.push({ root: openRoot(host, library), paths: orchestrator });
  }
  return candidates;
}

/** Finds the host that runs the orchestrator. */
export async function findOrchestrator(stack: string, candidates: readonly Candidate[]): Promise<Candidate> {
  const { up, backup } = commandsFor(stack);
  if (candidates.length === 0)
    throw new ProblemError({
      what: "the address and ssh host key of its host are not recorded",
      needed: `record them: ${up}`,
    });
  const hosts = candidates.map(async ({ root, paths }) => {
    const seen = await readOrchestratorState(root, paths).catch((error: Error) => {
      // This host answers: the orchestrator may be on it.
      if (hasKind(error, "unreadableJournal")) throw error;
      return { unseen: error.message };
    });
    return { root, paths, address: root.address, seen };
  });
  return locateOrchestrator(await Promise.all(hosts), backup);
}

export function formatBackup(stack: string, address: string, backup: Backup): string[] {
  const { file, manifestFile, identityFile, sealedBytes, keyShare } = backup;
  const share =
    keyShare === undefined
      ? ["  key share    NONE: this orchestrator has taken part in no key generation, or its share is gone"]
      : [
          ...keyShare.files.map((name) => `  key share    ${name}`),
          `  generated    ${keyShare.generatedAt.slice(0, 16).replace("T", " ")} UTC, the date of the newest of these files`,
        ];
  return [
    `backup of the orchestrator of ${address} (${stack}), encrypted, and proved by reading it back:`,
    `  file         ${file} (${sealedBytes} bytes)`,
    `  list         ${manifestFile}`,
    `  opened by    ${identityFile}`,
    ...share,
    "Keep it until the next one. Make that after each key generation, because a restore refuses an older key share.",
    "Keep the backup and the key that opens it apart from each other and from this machine. To restore it: docs/restore.md",
  ];
}
