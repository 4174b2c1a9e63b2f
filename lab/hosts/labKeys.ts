import { readFileSync } from "node:fs";
import { join } from "node:path";
import { execa } from "execa";
import { noteSecret } from "../testRun/printed";
import { releaseHost } from "./network";

/** Returns the path of the operator's ssh key, which logs in as root on every host. */
export function privateKeyFile(dir: string): string {
  return join(dir, "id_ed25519");
}

/** Returns the path of the release server's certificate, which every host trusts. */
export function certificateFile(dir: string): string {
  return join(dir, "tls.crt");
}

/** Creates the operator's ssh key and the release server's certificate. */
export async function makeKeys(dir: string): Promise<void> {
  await execa("ssh-keygen", ["-q", "-t", "ed25519", "-N", "", "-C", "operator", "-f", privateKeyFile(dir)]);
  await execa("openssl", [
    ...["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "30"],
    ...["-subj", `/CN=${releaseHost}`, "-addext", `subjectAltName=DNS:${releaseHost}`],
    ...["-keyout", join(dir, "tls.key"), "-out", certificateFile(dir)],
  ]);
  noteSecret("the operator's ssh key", readFileSync(privateKeyFile(dir), "utf8"));
  noteSecret("the release server's key", readFileSync(join(dir, "tls.key"), "utf8"));
}
