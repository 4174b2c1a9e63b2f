import fs from "node:fs";
import path from "node:path";
import * as pulumi from "@pulumi/pulumi";
import { withOperatorErrors } from "./operatorError";

const sdk = (require("@pulumi/pulumi/package.json") as { version: string }).version;
const known = new Map<string, pulumi.Input<string>>();

/**
 * A resource whose provider is stored in the state as text (pulumi.dynamic.Resource). The text is made once for each
 * version of the program, and kept beside it where it is compiled: making it takes a fourth of the time of an `up` that
 * changes nothing.
 */
export class DynamicResource extends pulumi.CustomResource {
  /** @param type the name behind `pulumi-nodejs:dynamic/pillar-host:` */
  constructor(
    type: string,
    provider: pulumi.dynamic.ResourceProvider,
    name: string,
    properties: pulumi.Inputs,
    options?: pulumi.CustomResourceOptions,
  ) {
    const text = known.get(type) ?? textOf(type, provider);
    known.set(type, text);
    super(`pulumi-nodejs:dynamic/pillar-host:${type}`, name, { ...properties, __provider: text }, options);
  }
}

/** Those of some properties that there are, as secrets. */
export function secured<K extends string>(properties: { readonly [P in K]?: unknown }, keys: readonly K[]) {
  const given = keys.filter((key) => properties[key] !== undefined);
  return Object.fromEntries(given.map((key) => [key, pulumi.secret(properties[key])]));
}

function textOf(type: string, provider: pulumi.dynamic.ResourceProvider): pulumi.Input<string> {
  // The program as it is compiled lies under a name that changes with any byte of it; the rest of what counts is here.
  const kept = path.join(__dirname, `${type}.${sdk}.${process.version}.txt`);
  const isCompiled = __dirname.includes(`${path.sep}.compiled${path.sep}`);
  if (isCompiled && fs.existsSync(kept)) return fs.readFileSync(kept, "utf8");
  return serialized(withOperatorErrors(provider)).then((text) => {
    if (isCompiled) keep(kept, text);
    return text;
  });
}

async function serialized(provider: pulumi.dynamic.ResourceProvider): Promise<string> {
  // As the SDK does for its own dynamic resources.
  const { text, containsSecrets } = await pulumi.runtime.serializeFunction(() => provider, { allowSecrets: true });
  if (containsSecrets) throw new Error("a provider must not capture a secret");
  return text;
}

/** Whole or not at all; a run that can't keep it makes it again. */
function keep(file: string, text: string): void {
  const fresh = `${file}.${process.pid}`;
  try {
    fs.writeFileSync(fresh, text);
    fs.renameSync(fresh, file);
  } catch {
    fs.rmSync(fresh, { force: true });
  }
}
