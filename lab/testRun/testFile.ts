import { rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, expect } from "vitest";
import { recordedName } from "./durations";
import { fileVariable } from "./printed";

// The same histories in each run: a failure repeats. Another seed is given by hand.
fc.configureGlobal({ seed: Number(process.env.PILLAR_SEED ?? 1) });

const name = recordedName(expect.getState().testPath ?? "");
// Whose secrets are noted, and who printed what: the runner's own output names no file.
process.env[fileVariable] = name;

// No test writes into the data directory of who runs it, and none reads what another one left.
const data = join(tmpdir(), `pillar-host-data-${process.pid}-${name.replaceAll(/[^A-Za-z0-9]+/g, "-")}`);
process.env.XDG_DATA_HOME = data;
afterAll(() => rmSync(data, { recursive: true, force: true }));
