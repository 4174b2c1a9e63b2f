import { rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, expect } from "vitest";
import { withoutLogsVariable } from "../toolchain/engineLogs.ts";
import { recordedName } from "./durations.ts";
import { waitForProcessor } from "./pressure.ts";
import { fileVariable } from "./printed.ts";

// Each run plays the same histories, so a failure repeats.
fc.configureGlobal({ seed: 1 });

const name = recordedName(expect.getState().testPath ?? "");
// Ties secrets and output to this file: the runner's own output names no file.
process.env[fileVariable] = name;

// An earlier file of this process may have kept the engine's logs.
if (process.env.PILLAR_TEST_RUN) process.env[withoutLogsVariable] = "1";

// A test must not write into the operator's data directory, nor read what another test left.
const data = join(tmpdir(), `pillar-host-data-${process.pid}-${name.replaceAll(/[^A-Za-z0-9]+/g, "-")}`);
process.env.XDG_DATA_HOME = data;
afterAll(() => rmSync(data, { recursive: true, force: true }));

// Here and not in a hook, whose time limit would run.
if (name.startsWith("test/lab/")) await waitForProcessor();
