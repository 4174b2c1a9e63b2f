import { createHash } from "node:crypto";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { formatAssignments } from "../../../../core/ssh/shellWords.ts";
import { readNodeReleaseLibrary } from "../../../../core/steps/libraries.ts";
import { parseFields } from "../../../../core/util/fields.ts";
import { replaceAll, type Sandbox } from "../sandbox.ts";

const url = "https://release.example/go-node.zip";
/** Returns a program of the node; `dead` ends at once, `deaf` has no RPC. */
export const program = (version: string, more = "") => `#!/bin/bash\necho go-node version ${version}\n# ${more}\n`;
export const old = program("v0.0.8");
export const next = program("v0.0.10");

/** Creates a host whose node runs the old program, as a copy of the program that was started. */
export function host(box: Sandbox, served = next, at = box.dir): string {
  mkdirSync(join(box.dir, "run"), { recursive: true });
  mkdirSync(join(box.dir, "units"), { recursive: true });
  box.write("served", served);
  box.command("unshare", '[ "$1" = -n ] || exec /usr/bin/unshare "$@"; shift; exec "$@"');
  box.command("journalctl", "echo panic: no such thing");
  box.command(
    "systemctl",
    `case "$1 \${@: -1}" in
  "start pillar-host-node-upgrade") : > "$sandbox/begun" ;;
  "is-active pillar-host-node-upgrade") echo inactive; exit 3 ;;
  start*) [ -e "$sandbox/running" ] || grep -q dead ${at}/go-node || cp ${at}/go-node "$sandbox/running" ;;
  stop*) echo stop >> "$sandbox/stops"; rm -f "$sandbox/running" ;;
  kill*) rm -f "$sandbox/running" ;;
  is-active*) if [ -e "$sandbox/running" ]; then echo active; else echo inactive; exit 3; fi ;;
  show*) case "$*" in
      *ExecStart*) echo "{ path=${at}/go-node ; argv[]=${at}/go-node ; ignore_errors=no }" ;;
      *MainPID*) if [ -e "$sandbox/running" ]; then echo 7; else echo 0; fi ;;
    esac ;;
esac`,
  );
  box.command(
    "wget",
    `case "$*" in
  *processInfo*) grep -q deaf "$sandbox/running" && exit 4; v=$(grep -o 'v0[0-9.]*' "$sandbox/running") && echo "{\\"result\\":{\\"version\\":\\"$v\\"}}" ;;
  *syncInfo*) [ -e "$sandbox/running" ] && echo '{"result":{"currentHeight":5}}' ;;
  *) cp "$sandbox/served" "\${@: -2:1}" ;;
esac`,
  );
  box.write("go-node", old);
  box.write("running", old);
  return `chmod 755 ${at}/go-node\n`;
}

const hash = (text: string) => createHash("sha256").update(text).digest("hex");
export const releaseOf = (served: string) => ({ url, sha256: hash(served), version: "v0.0.10" });

/** Returns the library in the box, with the variables that the program gives it. */
export function functions(box: Sandbox, release: ReturnType<typeof releaseOf>, more: object = {}): string {
  const variables = {
    service: "go-node",
    data_dir: box.dir,
    rpc_address: "127.0.0.1",
    rpc_port: 35997,
    release_url: release.url,
    sha256: release.sha256,
    version: release.version,
    release_marker: `${url} v0.0.10`,
    may_go_back: true,
    answer_seconds: 1,
    judge_seconds: 1,
    seen_seconds: 60,
    ...more,
  };
  const quick = replaceAll(box.library(readNodeReleaseLibrary()), [
    ["/run/pillar-host/node-upgrade", `${box.dir}/run/node-upgrade`],
    ["release_room=500", "release_room=0"],
  ]);
  return `${quick}\n${formatAssignments(variables)}`;
}
/** Runs a service of the upgrade; its verdict is there before it asks. `before` runs in it first. */
export const service = (box: Sandbox, verdict: string | undefined, before = "") => {
  const script = box.read("state/node-upgrade") ?? "";
  if (verdict !== undefined) box.write("run/node-upgrade.verdict", verdict);
  const main = "\nnode_upgrade || true\n";
  // As a file, as systemd runs it: it begins itself again in a clean environment.
  box.write("service", replaceAll(script, [[main, `\n${before}${main}`]]));
  return box.run("exec /bin/bash service\n");
};
export const ends = async (box: Sandbox, release = releaseOf(next)) =>
  Object.fromEntries(parseFields((await box.run(`${functions(box, release)}node_release_look`)).stdout)) as Record<
    string,
    string
  >;

/** Runs an upgrade up to the beginning of its service. */
export async function begun(box: Sandbox, served = next, more: object = {}): Promise<void> {
  const script = host(box, served);
  const all = functions(box, releaseOf(served), more);
  const fetched = await box.run(`${script}${all}node_release_fetch`);
  expect(fetched.stderr).toBe("");
  expect(fetched.stdout).toContain("node v0.0.10 is downloaded and checked");
  const swap = await box.run(`${all}node_release_swap`);
  expect(swap).toEqual({ code: 0, stdout: "", stderr: "" });
  expect(box.read("begun")).toBe("");
}
