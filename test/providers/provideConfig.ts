import { configure } from "../../providers/runtime/stackConfig.ts";
import { least } from "../components/exampleConfig.ts";

/** Gives the providers the smallest configuration with these blocks, as the engine sends it: each value a text. */
export function provideConfig(changes: Readonly<Record<string, unknown>> = {}, plugins: object = {}): void {
  const own = Object.entries({ ...least, ...changes }).map(([key, value]) => [
    `pillar-host:${key}`,
    typeof value === "string" ? value : JSON.stringify(value),
  ]);
  const values: Readonly<Record<string, string>> = { ...Object.fromEntries(own), ...plugins };
  const get = (key: string) => values[key];
  void configure({ config: { get, require: get } } as Parameters<typeof configure>[0]);
}
