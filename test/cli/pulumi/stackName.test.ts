import { readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { parseConfiguration } from "../../../cli/pulumi/configuration";
import { formatLine, parseLine } from "../../../core/eventLog/logLine";
import { createMoveId, formatMove, parseMove } from "../../../core/eventLog/moveId";
import { least } from "../../components/exampleConfig";
import { scratchDirectory } from "../../scratchDirectory";
import { printConfig, runTool } from "../fakePulumi";

const place = scratchDirectory();

const fullNames = ["prod", "myorg/prod", "organization/pillar-host/prod"];

test.each(fullNames)("passes %s to pulumi as typed, and prints the stack's short name", async (full) => {
  const script = `echo "$*" >> asked\ncase $1 in config) echo '${printConfig(least)}';; stack) echo '{"deployment":{}}';; esac`;
  const args = ["next", full, "--json"];
  const { stdout } = await runTool(place(), script, args, { PULUMI_BACKEND_URL: "https://backend.example" });
  expect(JSON.parse(stdout)).toMatchObject({ stack: "prod" });
  const asked = readFileSync(join(place(), "asked"), "utf8").trim().split("\n");
  expect(asked.filter((line) => !`${line} `.includes(` -s ${full} `))).toEqual([]);
});

test.each(fullNames)("reads again what was written into the event log of %s", (full) => {
  const config = parseConfiguration(full, printConfig(least));
  const move = createMoveId(config, config.stack);
  const entry = { at: "2026-11-22T10:00:00.000Z", move, event: "starting", details: { generation: 1 } } as never;
  expect(parseLine(formatLine(entry), "here")).toMatchObject({ move: { stack: "prod" } });
});

const part = fc.oneof(fc.string({ maxLength: 8 }), fc.constantFrom("prod", "Anvil", "myorg/prod", "", "a b"));

test("writes a move's name only if it parses to the same move", () => {
  const number = fc.double().filter((each) => each !== 0);
  const attempt = fc.oneof(fc.nat(), number, fc.constantFrom(-1, 1e21));
  const requiredKeys = ["project", "stack", "pillar"] as const;
  const move = fc.record({ project: part, stack: part, pillar: part, attempt }, { requiredKeys: [...requiredKeys] });
  fc.assert(
    fc.property(move, (id) => {
      let text: string;
      try {
        text = formatMove(id);
      } catch (error) {
        return (error as Error).message.startsWith("no move can be called");
      }
      expect(parseMove(text)).toEqual(id);
      return true;
    }),
  );
  expect(parseMove(formatMove({ project: "p", stack: "s", pillar: "A", attempt: 1 }))).toMatchObject({ attempt: 1 });
});
