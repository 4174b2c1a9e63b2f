import os from "node:os";
import { runSshTool } from "../../core/ssh/login.ts";
import { resolvePath } from "../../core/util/resolvePath.ts";

export type SshSettings = ReturnType<typeof readSshSettings>;

/**
 * Asks this machine's ssh how it reaches `user@name`, a name of ~/.ssh/config or an address: undefined is neither typed
 * nor configured. Without ssh, the name is the address.
 */
export function readSshSettings(destination: string) {
  const [, typedUser, name = ""] = /^(?:(.*)@)?(.*)$/.exec(destination) ?? [];
  const printed = runSshTool("ssh", ["-G", "--", destination]);
  const readAll = (key: string) => [...printed.matchAll(new RegExp(`^${key} (.+)$`, "gm"))].map(([, value]) => value);
  const [address = name] = readAll("hostname");
  const [user] = readAll("user").filter((each) => each !== os.userInfo().username);
  const [port] = readAll("port").filter((each) => each !== "22");
  // Without an IdentityFile, ssh prints all its usual names.
  const [keyFile, ...otherFiles] = readAll("identityfile");
  return {
    address,
    user: typedUser ?? user,
    port: port === undefined ? undefined : Number(port),
    keyFile: otherFiles.length > 3 ? undefined : keyFile,
    jump: readAll("proxyjump")[0],
    knownHosts: [...readAll("userknownhostsfile"), ...readAll("globalknownhostsfile")].join(" ").split(" "),
  };
}

/** Compares a host key with those in known_hosts, also hashed ones. `unknown`: no ed25519 key of this host is there. */
export function compareWithKnownHosts(knownHosts: readonly string[], address: string, port: number, hostKey: string) {
  const name = port === 22 ? address : `[${address}]:${port}`;
  const keys = knownHosts
    .flatMap((file) => runSshTool("ssh-keygen", ["-F", name, "-f", resolvePath(file)]).split("\n"))
    // Without comments, and without the lines of authorities and revoked keys.
    .filter((line) => /^[^#@]\S* ssh-ed25519 /.test(line))
    .map((line) => line.split(" ").slice(1, 3).join(" "));
  if (keys.length === 0) return "unknown";
  return keys.includes(hostKey) ? "same" : "other";
}
