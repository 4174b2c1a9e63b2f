import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { execa } from "execa";
import type { HostShell } from "../lab.ts";
import { onHost } from "./onHost.ts";

/**
 * Puts folders (without text) and files on a host in one step, by absolute path, owned by root and with exactly these
 * modes. Other folders stay unchanged.
 */
export async function shipFiles(
  host: HostShell,
  files: Readonly<Record<string, { readonly mode: number; readonly text?: string }>>,
): Promise<void> {
  const place = await mkdtemp(join(tmpdir(), "ship-"));
  try {
    for (const [path, { mode, text }] of Object.entries(files)) {
      const target = join(place, path);
      await mkdir(text === undefined ? target : dirname(target), { recursive: true });
      if (text !== undefined) await writeFile(target, text);
      await execa("chmod", [mode.toString(8), target]);
    }
    const names = Object.keys(files).map((path) => path.replace(/^\/+|\/+$/g, ""));
    const options = ["-C", place, "-cz", "--owner=0", "--group=0", "--no-recursion"];
    const { stdout } = await execa("tar", [...options, ...names], { encoding: "buffer" });
    await onHost(host, "base64 -d | tar -xzpC /", Buffer.from(stdout).toString("base64"));
  } finally {
    await rm(place, { recursive: true, force: true });
  }
}
