import { findReleasePage } from "../../core/chain/publishedHash.ts";
import { formatRequirement } from "../../core/chain/requiredVersions.ts";
import { findVersion } from "../../core/chain/versions.ts";
import { ProblemError } from "../../core/util/problem.ts";
import { confirmRelease } from "../terminal/confirmRelease.ts";
import { askText, isTerminal } from "../terminal/prompts.ts";
import { ask, askUntilGood } from "./ask.ts";
import { answerSchemas, createValidator } from "./checkAnswers.ts";
import { type Answers, findReleaseUrls, findRequiredVersion, type InitFlags } from "./stackText.ts";

/** Asks for the node's release if the network requires a version that the controller may not build. */
export async function askNodeRelease(example: string, flags: InitFlags): Promise<Answers["nodeRelease"]> {
  const gap = findRequiredVersion(example);
  const { nodeRelease: given = gap ? undefined : false, nodeReleaseVersion, nodeReleaseSha256 } = flags;
  if (gap && given === undefined)
    console.error(`On the main network ${formatRequirement(gap)}.
The controller may build an older node. The releases, with their hashes:\n  ${gap.release}`);
  const askUrl = () =>
    askText("What is the address of the node's release for linux-amd64 (none: what the controller builds)?", {
      instead: "--node-release URL and --node-release-sha256 HASH; or --no-node-release: what the controller builds",
      default: findReleaseUrls(example).node,
      validate: (text) => text === "none" || createValidator(answerSchemas.nodeRelease)(text),
    });
  const release = await askUntilGood(given === false ? "none" : given, askUrl, async (url) => ({
    url,
    sha256: await confirmHash("The node's release", url, "--node-release-sha256", nodeReleaseSha256),
  }));
  if (release === undefined) {
    const risk = `If the controller builds a version older than ${gap?.leastVersion}, it is refused before the sync.`;
    if (gap) console.error(risk);
    return undefined;
  }
  const askVersion = () =>
    ask("nodeReleaseVersion", "Which version is it?", "--node-release-version VERSION", gap?.leastVersion);
  return { ...release, version: nodeReleaseVersion ?? findVersion(release.url) ?? (await askVersion()) };
}

/** Asks for the controller's release and its hash. Without a terminal, that of the example stays. */
export async function askController(example: string, { release, releaseSha256 }: InitFlags) {
  const { controller: usual } = findReleaseUrls(example);
  if (usual === undefined || !isTerminal()) return { release, releaseSha256 };
  const askUrl = () => {
    console.error(
      `The controller sets up the node. Its releases:\n  ${findReleasePage(usual).replace(/\/tag\/.*/, "")}`,
    );
    return ask("nodeRelease", "What is the address of its newest release for Linux?", "--release URL", usual);
  };
  return askUntilGood(release, askUrl, async (url) => ({
    release: url,
    releaseSha256: await confirmHash("The controller's release", url, "--release-sha256", releaseSha256),
  }));
}

function confirmHash(what: string, url: string, option: string, given: string | undefined): Promise<string> {
  if (given !== undefined) return Promise.resolve(given.toLowerCase());
  if (isTerminal()) return confirmRelease(what, url, option);
  throw new ProblemError({
    what: "there is no terminal to ask in; nothing was written",
    needed: `give ${option} HASH`,
  });
}
