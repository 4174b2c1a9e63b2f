import { runInImage } from "./baseImage.ts";
import { ensureLayer } from "./imageLayer.ts";

/**
 * Builds the base image with needrestart, which Ubuntu's server images have. After every installation it asks on the
 * terminal which services it may restart.
 * @returns the directory of the root file system, read-only by convention
 */
export function ensureNeedrestartImage(): Promise<string> {
  return ensureLayer({
    name: "needrestart-image",
    version: "2",
    title: "building the image of test hosts with needrestart (half a minute)",
    build: async (root, progress) => {
      await runInImage(root, ["apt-get", "-q", "update"], progress);
      const packages = ["needrestart", "unzip", "wget", "git", "perl", "file"];
      await runInImage(root, ["apt-get", "-q", "-y", "install", "--no-install-recommends", ...packages], progress);
      // The controller installs this package, which Ubuntu has. An empty one takes its place here.
      const headers =
        "Package: linux-kernel-headers\\nVersion: 1\\nArchitecture: all\\nMaintainer: lab\\nDescription: empty\\n";
      const make = `mkdir -p /tmp/h/DEBIAN && printf '${headers}' > /tmp/h/DEBIAN/control && dpkg-deb -b /tmp/h /tmp/h.deb && dpkg -i /tmp/h.deb && rm -r /tmp/h /tmp/h.deb`;
      await runInImage(root, ["bash", "-c", make], progress);
    },
  });
}
