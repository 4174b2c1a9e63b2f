import { homedir } from "node:os";
import { join } from "node:path";
import { readLabHost } from "../labHost";
import { firstLines } from "./logLines";
import { orchestratorBuild } from "./methods";
import { OrchestratorDouble } from "./orchestrator";
import { ensureLogs } from "./stateDir";

// The real orchestrator always uses this folder in its home, whatever the working directory is.
const home = join(homedir(), ".orchestrator");

// pgrep finds the process by this title. Without one, the process has the name of the interpreter's thread.
process.title = "orchestrator";

if (["version", "--version", "-v"].includes(process.argv[2] ?? "")) {
  const { version, gitCommit } = orchestratorBuild();
  const lines = [...firstLines(version, gitCommit), `Version: ${version}`, `Commit hash: ${gitCommit}`];
  ensureLogs(home);
  console.log(lines.join("\n"));
} else {
  const host = readLabHost();
  const orchestrator = new OrchestratorDouble({
    dir: home,
    ports: { rpc: 55000, p2p: 55055 },
    chainUrl: host?.chain ?? "http://127.0.0.1:1",
    name: host?.name ?? "unnamed",
    // Before this moment a signal ends the process at once, and config.json is not rewritten.
    onReady: () => {
      for (const signal of ["SIGTERM", "SIGINT"] as const) process.on(signal, () => void orchestrator.stop());
    },
  });
  void orchestrator.start();
}
