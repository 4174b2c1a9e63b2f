// @ts-check
// Starts `npm run demo`, on any system and before anything is installed: plays the recording, or has the lab play all.
const { spawn } = require("node:child_process");
const { join } = require("node:path");
const { findFault } = require("../util/machine.cjs");
const { replay } = require("./replay.cjs");

const checkout = join(__dirname, "../..");
const args = process.argv.slice(2);

if (args[0] === "--replay") replay(join(__dirname, "recording.cast"));
else {
  const fault = findFault();
  if (fault) {
    console.error(`${fault}\n  Or watch a recorded run: npm run demo -- --replay`);
    process.exit(2);
  }
  const lab = spawn("lab/run", ["lab/demo/main.ts", ...args], { cwd: checkout, stdio: "inherit" });
  // The terminal sends Ctrl-C to both, and the lab ends first.
  process.on("SIGINT", () => undefined);
  process.on("SIGTERM", () => void lab.kill("SIGTERM"));
  lab.on("error", (error) => console.error(error.message));
  lab.on("close", (code) => process.exit(code === null ? 1 : code));
}
