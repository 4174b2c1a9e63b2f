import * as pulumi from "@pulumi/pulumi";
import { MockMonitor } from "@pulumi/pulumi/runtime/mocks.js";
import { expect, vi } from "vitest";
import { otherTypes, providerNames } from "../../core/util/resourceTypes.ts";

/** A registered resource. `inputs` keep their secret marks; `after` names its dependencies. */
export interface Registered {
  readonly type: string;
  readonly name: string;
  readonly parent: string;
  readonly after: readonly string[];
  readonly inputs: Record<string, unknown>;
}

const secretKey = "4dabf18193072939515e22adb298388d";
const secretMark = "1b47061264138c4ac30d75fd1eb44270";

function isSecret(value: unknown): value is { value: unknown } {
  return typeof value === "object" && value !== null && (value as Record<string, unknown>)[secretKey] === secretMark;
}

function replaceSecrets(value: unknown, replace: (secret: unknown) => unknown): unknown {
  if (isSecret(value)) return replace(value.value);
  if (Array.isArray(value)) return value.map((each) => replaceSecrets(each, replace));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, replaceSecrets(inner, replace)]));
}
/** Returns a value without its secret marks. */
export const revealed = (value: unknown): unknown => replaceSecrets(value, revealed);
/** Replaces each secret in a value by a word. */
export const concealed = (value: unknown): unknown => replaceSecrets(value, () => "[secret]");

interface Request {
  getParent(): string;
  getName(): string;
  getDependenciesList(): string[];
  getAliasesList(): { getSpec(): { getNoparent(): boolean } | undefined }[];
}

const nameOf = (urn: string) => urn.split("::").at(-1) ?? "";

/** Returns the output of a step that runs to its end: its marks around its result. */
function stepOutputs(inputs: Record<string, unknown>, result: unknown): Record<string, unknown> {
  const token = /pillar-host-done-([0-9a-f]{32})/.exec(String(revealed(inputs.stdin)))?.[1];
  const done = `pillar-host-done-${token}`;
  return { stdout: pulumi.secret(`\npillar-host-answer-${token}\n${result ?? ""}\n${done}`), stderr: "" };
}

/** Runs a program against an engine that only writes down, and answers with the outputs given for each name; a step's is its `result`. */
export async function registeredBy(
  program: () => unknown,
  outputs: Readonly<Record<string, Record<string, unknown>>> = {},
): Promise<Registered[]> {
  const registered: Registered[] = [];
  const requests = new Map<string, Request>();
  const { prototype } = MockMonitor;
  // The SDK's own has no hooks.
  const taken = (_request: unknown, done: (error: null) => void) => done(null);
  Object.assign(prototype, { registerResourceHook: taken, registerErrorHook: taken });
  const original = prototype.registerResource;
  const spy = vi.spyOn(prototype, "registerResource").mockImplementation(function (
    this: typeof prototype,
    ...call: Parameters<typeof original>
  ) {
    const request = call[0] as Request;
    requests.set(request.getName(), request);
    return original.apply(this, call);
  });
  await pulumi.runtime.setMocks(
    {
      newResource: ({ type, name, inputs }) => {
        const request = requests.get(name);
        expect(providerNames.has(type) || otherTypes.has(type), type).toBe(true);
        if (type !== "pulumi:pulumi:Stack")
          registered.push({
            type,
            name,
            parent: nameOf(request?.getParent() ?? ""),
            after: (request?.getDependenciesList() ?? []).map(nameOf),
            inputs: inputs as Record<string, unknown>,
          });
        const { result, ...given } = outputs[name] ?? {};
        const printed = type === "command:remote:Command" ? stepOutputs(inputs, result) : {};
        return { id: `${name}-id`, state: { ...inputs, ...printed, ...given } };
      },
      call: () => ({}),
    },
    "pillar-host",
    "prod-2",
    false,
  );
  await program();
  await pulumi.runtime.disconnect();
  spy.mockRestore();
  return registered;
}
