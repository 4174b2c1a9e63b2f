import { findReleasePage, hashDownload, readPublishedHash } from "../../core/chain/publishedHash.ts";
import { ProblemError } from "../../core/util/problem.ts";
import { askConfirmation } from "./prompts.ts";

/** Shows a release's hash and where it comes from, and asks for a yes. @returns the hash @throws ProblemError after a no */
export async function confirmRelease(what: string, url: string, option: string): Promise<string> {
  console.error(`${what}:\n  ${url}\nReading its hash …`);
  const page = findReleasePage(url);
  const needed = `give ${option} the hash from ${page}`;
  try {
    const published = await readPublishedHash(url);
    if (published === undefined) console.error("No checksum file lies beside it. Downloading it …");
    const sha256 = published?.sha256 ?? (await hashDownload(url));
    console.error(`SHA-256: ${sha256}\nIts page: ${page}`);
    console.error(
      published
        ? `The hash is from: ${published.file}`
        : "UNCONFIRMED: this is only the hash of what was downloaded now. Compare it with its page,\n" +
            "or with what another operator has installed.",
    );
    const question = published ? "It runs as root. Install this release?" : "Is it the same hash?";
    if (await askConfirmation(question)) return sha256;
  } catch (error) {
    if (!(error instanceof ProblemError)) throw error;
    throw new ProblemError({ ...error.problem, needed });
  }
  throw new ProblemError({ what: `the release was not confirmed: nothing was changed`, needed });
}
