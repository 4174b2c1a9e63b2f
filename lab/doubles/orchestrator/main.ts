import { homedir } from "node:os";
import { join } from "node:path";
import { readLabHost } from "../labHost.ts";
import { firstLines } from "./logLines.ts";
import { orchestratorBuild } from "./methods.ts";
import { OrchestratorDouble } from "./orchestrator.ts";
import { ensureLogs } from "./stateDir.ts";

// The real orchestrator always uses this folder in its home, whatever the working directory is.
const home = join(homedir(), ".orchestrator");

// pgrep finds the process by this title. Without one, the process has the name of the interpreter's thread.
process.title = "orchestrator";

if (["version", "--version", "-v"].includes(process.argv[2] ?? "")) {
  const { version, gitCommit } = orchestratorBuild;
  const lines = [...firstLines(version, gitCommit), `Version: ${version}`, `Commit hash: ${gitCommit}`];
  ensureLogs(home);
  console.log(lines.join("\n"));
} else {
  const host = readLabHost();
  const orchestrator: OrchestratorDouble = new OrchestratorDouble(
    home,
    host?.chain ?? "http://127.0.0.1:1",
    host?.name ?? "unnamed",
    () => {
      for (const signal of ["SIGTERM", "SIGINT"] as const) process.on(signal, () => void orchestrator.stop());
    },
  );
  void orchestrator.start();
}
