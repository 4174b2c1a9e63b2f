import type { StackConfig } from "../../config/config";
import { project } from "../../config/configFaults";
import { openStackStore } from "../../config/stackStore";
import { readMoveEvents } from "../../eventLog/eventLog";
import { createMoveId, isSameMove } from "../../eventLog/moveId";
import { commandsFor } from "../../util/commands";
import { quoteShellWord } from "../../util/quote";

export const whatItIs = "the downloaded program runs as root and holds the bridge's key share";

export const hashCommand = (url: string) => `curl -fsSL ${quoteShellWord(url)} | sha256sum`;

/** Returns why a move without a pinned hash is refused. One that has begun or ended isn't: it installs nothing. */
export async function releaseHashFault(config: StackConfig, stack: string, isShown: boolean) {
  const { release, migrateFrom } = config.orchestrator;
  if (migrateFrom === undefined || release === undefined || release.sha256 !== undefined || isShown) return undefined;
  const move = createMoveId(config, stack);
  if ((await readMoveEvents(openStackStore(config))).some((entry) => isSameMove(entry.move, move))) return undefined;
  return (
    `${project}:orchestrator.release.sha256: missing, needed the hash of ${release.url}: ${whatItIs}. ` +
    `Print the hash with: ${hashCommand(release.url)}; compare it with the one on the release's page, then: ` +
    commandsFor(stack).setTo("orchestrator.release.sha256", "SHA256")
  );
}
