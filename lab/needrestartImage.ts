import { ensureLayer, runInImage } from "./imageLayer";

/**
 * The base image with needrestart, as Ubuntu's server images have it: after every installation it asks through the
 * terminal which services may be restarted.
 *
 * @returns the directory of the root file system, read-only by convention
 */
export function ensureNeedrestartImage(): Promise<string> {
  return ensureLayer({
    name: "needrestart-image",
    version: "1",
    title: "building the image of test hosts with needrestart (half a minute)",
    build: async (root, progress) => {
      await runInImage(root, ["apt-get", "-q", "update"], progress);
      const packages = ["needrestart", "unzip", "wget"];
      await runInImage(root, ["apt-get", "-q", "-y", "install", "--no-install-recommends", ...packages], progress);
    },
  });
}
