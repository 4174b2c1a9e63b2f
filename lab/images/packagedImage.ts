import { createHash } from "node:crypto";
import { mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { parseConfig } from "../../core/config/config.ts";
import { packages } from "../../core/steps/nodeSteps.ts";
import { createEnvelope } from "../../core/steps/step.ts";
import type { Distribution } from "./baseImage.ts";
import { runInImage } from "./baseImage.ts";
import { ensureLayer, type Layer } from "./imageLayer.ts";

/** Increase this when the recipe below changes beside the step's script. */
const recipe = "2";

/** Contents of an image beside the packages. */
type Addition = Pick<Layer, "name" | "version" | "build">;

/**
 * Builds the base image with the packages of the program's own packages step and of the controller's double, for hosts
 * that test something else. The step still runs there and finds nothing to do. It sees no trace of an earlier stack.
 * @returns the directory of the root file system, read-only by convention
 */
export async function ensurePackagedImage(distribution?: Distribution, addition?: Addition): Promise<string> {
  const script = packagesScript();
  return ensureLayer({
    name: addition?.name ?? "packaged-image",
    distribution,
    version: createHash("sha256")
      .update(script + recipe + (addition?.version ?? ""))
      .digest("hex")
      .slice(0, 12),
    title: "building the image of test hosts with their packages (half a minute)",
    build: async (root, progress) => {
      const logs = join(root, "var/log/pillar-host");
      // On a host, the step before the packages step creates this directory.
      await mkdir(logs);
      await runInImage(root, ["bash", "-euo", "pipefail", "-s"], progress, script);
      await runInImage(root, ["apt-get", "-q", "-y", "install", "make"], progress);
      // Each login would start four processes for its greeting.
      await rm(join(root, "etc/update-motd.d/10-uname"), { force: true });
      await addition?.build(root, progress);
      for (const path of [logs, join(root, "var/lib/pillar-host")]) await rm(path, { recursive: true });
    },
  });
}

/**
 * Returns the script of the packages step as a host gets it. It does not run as a service, because no systemd runs in
 * the image.
 */
function packagesScript(): string {
  const raw = {
    pillar: { name: "Anvil" },
    host: { provider: "existing", address: "127.0.0.1" },
    ssh: { agent: true },
    controller: { release: { url: "https://release.example/node-controller.zip" } },
    sync: { unverifiedChain: "acknowledged" },
  };
  const parsed = parseConfig(raw, "image");
  if ("faults" in parsed) throw new Error(parsed.faults.join("\n"));
  return createEnvelope({ ...packages(parsed.config), readsOnly: true }, { hostName: "the image", stack: "image" });
}
