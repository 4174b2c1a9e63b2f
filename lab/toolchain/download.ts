import { createHash } from "node:crypto";
import fs from "node:fs";
import { run } from "./run";

const OFFICIAL = "https://get.pulumi.com/releases";
const CONNECT_SECONDS = 5;

/** URL of the official plugins, for `pulumi plugin install --server`. */
export const officialPlugins = `${OFFICIAL}/plugins`;

/** True if Pulumi's official downloads answer within seconds. Never throws. */
export async function officialReachable(): Promise<boolean> {
  try {
    await curl(["--head", "--max-time", String(CONNECT_SECONDS), `${OFFICIAL}/sdk/`], true);
    return true;
  } catch {
    return false;
  }
}

/** Downloads the official engine of `version` to `file` and checks it against the published checksums. */
export async function downloadEngine(version: string, file: string, onLine: (line: string) => void): Promise<void> {
  const architecture = process.arch === "arm64" ? "arm64" : "x64";
  const archive = `pulumi-v${version}-linux-${architecture}.tar.gz`;
  const checksums = await curl([`${OFFICIAL}/sdk/pulumi-${version}-checksums.txt`]);
  const wanted = checksums
    .split("\n")
    .find((line) => line.trim().endsWith(archive))
    ?.split(/\s+/)[0];
  if (!wanted) throw new Error(`the published checksums of Pulumi ${version} do not list ${archive}`);
  onLine(archive);
  await curl(["--output", file, `${OFFICIAL}/sdk/${archive}`]);
  const found = createHash("sha256").update(fs.readFileSync(file)).digest("hex");
  if (found !== wanted) throw new Error(`${archive} has sha256 ${found}, published is ${wanted}: not used`);
}

// Uses curl, not fetch, because curl obeys the machine's proxy settings with every version of Node.js.
function curl(args: readonly string[], anyAnswer = false): Promise<string> {
  const limits = ["--connect-timeout", String(CONNECT_SECONDS), "--speed-limit", "20000", "--speed-time", "20"];
  return run("curl", ["--silent", "--show-error", "--location", ...(anyAnswer ? [] : ["--fail"]), ...limits, ...args]);
}
