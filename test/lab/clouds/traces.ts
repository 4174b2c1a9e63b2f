import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { execa } from "execa";
import { operatorNamespace } from "../../../lab/hosts/network";
import type { Lab } from "../../../lab/lab";

const cgroupRoots = ["/sys/fs/cgroup", "/sys/fs/cgroup/systemd", "/sys/fs/cgroup/unified"];

/**
 * Lists everything that this machine still has of a lab's servers: namespaces, cables, directories, mounts, cgroups,
 * processes.
 */
export async function traces(lab: Lab): Promise<string[]> {
  const server = `${operatorNamespace(lab.name)}-server`;
  const directory = join(lab.dir, "machines");
  const links = await execa("ip", ["-n", operatorNamespace(lab.name), "-o", "link"], { reject: false });
  const mounts = await readFile("/proc/self/mounts", "utf8");
  const places = ["/run/netns", "/run/systemd/nspawn/propagate", ...cgroupRoots].map(entries);
  return [
    ...(await Promise.all(places)).flat().filter((path) => path.includes(server)),
    ...(await entries(directory)),
    ...links.stdout.split("\n").filter((line) => /veth1\d\d[@:]/.test(line)),
    ...mounts.split("\n").filter((line) => line.includes(directory)),
    ...(await processes([server, directory])),
  ];
}

async function entries(path: string): Promise<string[]> {
  return (await readdir(path).catch(() => [])).map((name) => join(path, name));
}

async function processes(texts: readonly string[]): Promise<string[]> {
  const found = (await readdir("/proc"))
    .filter((name) => /^\d+$/.test(name))
    .map(async (pid) => {
      const [command = "", groups = ""] = await Promise.all(
        ["cmdline", "cgroup"].map((file) => readFile(`/proc/${pid}/${file}`, "utf8").catch(() => "")),
      );
      // A process without a command line has ended, and waits for its parent to notice.
      const ours = command !== "" && texts.some((text) => `${command} ${groups}`.includes(text));
      return ours ? [`process ${pid}: ${command.replaceAll("\0", " ")}`] : [];
    });
  return (await Promise.all(found)).flat();
}
