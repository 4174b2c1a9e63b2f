import { createHash, randomUUID } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import * as pulumi from "@pulumi/pulumi";
import type { StackConfig } from "../../core/config/config.ts";
import { listSecretKeys } from "../../core/config/secretKeys.ts";
import { FirstContact, type FirstContactArgs } from "../../providers/firstContact.ts";
import type { HostAccess } from "../login.ts";

type ContactArgs = ReturnType<typeof createContactArgs>;

type Place = Pick<FirstContactArgs, "address" | "hostKey" | "server">;

/** Registers the first contact with a host, after which its steps may log in. */
export function createFirstContact(
  place: Place,
  { login, contact }: { readonly login: Omit<HostAccess, "address" | "hostKey">; readonly contact: ContactArgs },
  after: readonly pulumi.Resource[],
  parent: pulumi.Resource,
): FirstContact {
  const { stack, port } = login;
  const passes = new pulumi.ResourceHook("first-contact-passes", () => {
    if (!contact.standsAside) login.loginCheck.pass();
  });
  return new FirstContact(
    "first-contact",
    {
      ...place,
      ...contact,
      stack,
      port,
      login: login.login.apply((own) => createHash("sha256").update(JSON.stringify(own)).digest("hex")),
      // With a configured host key the secrets may be sent: the operator has compared the key.
      secrets: place.hostKey === undefined && contact.secrets.length > 0 ? contact.secrets : undefined,
    },
    { parent, dependsOn: [...after], hooks: { afterCreate: [passes], afterUpdate: [passes] } },
  );
}

/** Hashes the program's own files. */
function hashProgram(): string {
  const root = join(import.meta.dirname, "../..");
  const hash = createHash("sha256").update(readFileSync(join(root, "index.ts")));
  for (const folder of ["cli", "components", "core", "providers"])
    for (const name of readdirSync(join(root, folder), { recursive: true, encoding: "utf8" }).sort())
      if (/\.\w+$/.test(name)) hash.update(name).update(readFileSync(join(root, folder, name)));
  return hash.digest("hex");
}

/**
 * Returns the conditions of the first contact. Until a run has `finished`, every run logs in first; later, only a run
 * with new work does, because otherwise the plugin would try a refused login eleven times. A retiring host may be dead:
 * its contact makes no login and keeps its state.
 * @param program a changed program counts as new work, because its steps may have changed
 */
export function createContactArgs(config: StackConfig, finished: boolean, program = hashProgram()) {
  const { ssh: _, stack: __, ...rest } = config;
  const isRetiring = config.lifecycle === "retiring";
  const secrets = new Set(listSecretKeys().map((path) => path.join(".")));
  // Hashes no secrets, because a reader of the state could guess one from the short hash.
  const work = JSON.stringify([program, removeKeys(rest, secrets)]);
  return {
    work: createHash("sha256").update(work).digest("hex").slice(0, 12),
    run: finished || isRetiring ? undefined : randomUUID(),
    standsAside: isRetiring || undefined,
    secrets: [
      ...(config.ssh.password === undefined ? [] : ["pillar-host:ssh.password"]),
      ...(config.ssh.sudoPassword === undefined ? [] : ["pillar-host:ssh.sudoPassword"]),
      ...(config.orchestrator?.move ? ["pillar-host:orchestrator.move"] : []),
    ],
  };
}

function removeKeys(value: unknown, paths: ReadonlySet<string>, at = ""): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  const kept = Object.entries(value).filter(([key]) => !paths.has(at + key));
  return Object.fromEntries(kept.map(([key, inner]) => [key, removeKeys(inner, paths, `${at}${key}.`)]));
}
