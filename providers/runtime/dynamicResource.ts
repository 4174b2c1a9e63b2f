import fs from "node:fs";
import path from "node:path";
import { brotliCompressSync } from "node:zlib";
import * as pulumi from "@pulumi/pulumi";
import { createProvider, type ResourceTable } from "./provider";

export type ArgsOf<I> = { readonly [K in keyof I]: pulumi.Input<I[K]> };
type OutputsOf<O> = { readonly [K in keyof O]-?: pulumi.Output<O[K]> };
type ResourceClass<I, O> = new (
  name: string,
  args: ArgsOf<I>,
  options?: pulumi.CustomResourceOptions,
) => pulumi.CustomResource & OutputsOf<O>;

/** Returns the class of a resource whose provider is stored in the state as text (pulumi.dynamic.Resource). */
export function defineResource<I extends object, O extends object>(table: ResourceTable<I, O>): ResourceClass<I, O> {
  const { type, outputs, options: own } = table;
  // The address of a reference may hold an access key.
  const secretInputs = [...table.secretInputs, "references"] as (keyof I & string)[];
  const secretOutputs = Object.entries(outputs).flatMap(([key, kind]) => (kind === "secret" ? [key] : []));
  let text: pulumi.Input<string> | undefined;
  class Resource extends pulumi.CustomResource {
    constructor(name: string, args: ArgsOf<I>, options?: pulumi.CustomResourceOptions) {
      text ??= buildProviderText(table);
      const secrets = secretInputs.filter((key) => args[key] !== undefined);
      super(
        `pulumi-nodejs:dynamic/pillar-host:${type}`,
        name,
        {
          // The SDK creates an output only for a key that the properties have.
          ...Object.fromEntries(Object.keys(outputs).map((key) => [key, undefined])),
          ...args,
          ...Object.fromEntries(secrets.map((key) => [key, pulumi.secret(args[key])])),
          __provider: text,
        },
        { ...options, ...own, additionalSecretOutputs: [...secretInputs, ...secretOutputs] },
      );
    }
  }
  // The engine sets the outputs at run time, which the type checker can't see.
  return Resource as unknown as ResourceClass<I, O>;
}

/** True if an input changed. An input that the run leaves out does not count. */
export function hasChanges(olds: object, news: object, ...except: readonly string[]): boolean {
  const before: Readonly<Record<string, unknown>> = { ...olds };
  return Object.entries(news).some(
    ([key, value]) => !except.includes(key) && JSON.stringify(before[key]) !== JSON.stringify(value),
  );
}

const sdk = (require("@pulumi/pulumi/package.json") as { version: string }).version;

/**
 * Returns the text of a resource's provider for the state. Caches it beside the compiled program, once per version,
 * because serializing takes a quarter of the time of an `up` without changes.
 */
function buildProviderText<I extends object, O extends object>(table: ResourceTable<I, O>): pulumi.Input<string> {
  // The directory's name is the program's hash; the file name holds the other versions that matter.
  const kept = path.join(__dirname, `${table.type}.${sdk}.${process.version}.txt`);
  const isCompiled = __dirname.includes(`${path.sep}.compiled${path.sep}`);
  if (isCompiled && fs.existsSync(kept)) return fs.readFileSync(kept, "utf8");
  return serializeProvider(createProvider(table)).then((text) => {
    if (isCompiled) writeText(kept, text);
    return text;
  });
}

async function serializeProvider(provider: pulumi.dynamic.ResourceProvider): Promise<string> {
  // The SDK does the same for its own dynamic resources.
  const { text, containsSecrets } = await pulumi.runtime.serializeFunction(() => provider, { allowSecrets: true });
  if (containsSecrets) throw new Error("a provider must not capture a secret");
  return packModule(text);
}

/** Writes the file atomically. If that fails, the next run serializes again. */
function writeText(file: string, text: string): void {
  const fresh = `${file}.${process.pid}`;
  try {
    fs.writeFileSync(fresh, text);
    fs.renameSync(fresh, file);
  } catch {
    fs.rmSync(fresh, { force: true });
  }
}

/** Compresses a module's text: a state holds it up to four times, and each run sends it about ten times. */
function packModule(text: string): string {
  const bytes = brotliCompressSync(text).toString("base64");
  return [
    'const { brotliDecompressSync } = require("node:zlib");',
    'const { compileFunction } = require("node:vm");',
    `const text = brotliDecompressSync(Buffer.from("${bytes}", "base64")).toString();`,
    'compileFunction(text, ["exports", "require"])(exports, require);',
    "",
  ].join("\n");
}
