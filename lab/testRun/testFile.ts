import { expect } from "vitest";
import { recordedName } from "./durations";
import { fileVariable } from "./printed";

// Whose secrets are noted, and who printed what: the runner's own output names no file.
process.env[fileVariable] = recordedName(expect.getState().testPath ?? "");
