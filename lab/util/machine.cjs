// @ts-check
// Looks at this machine before anything is installed. package.json's scripts run it, so it needs no package, and works
// with an old Node and on any system.
const { spawnSync } = require("node:child_process");
const { existsSync, readdirSync, readFileSync } = require("node:fs");
const { homedir } = require("node:os");
const { delimiter, join } = require("node:path");

const engine = join(__dirname, "../toolchain/engine");

/**
 * Returns why this machine can't run the lab, or undefined.
 * @param {string} command as typed by the user
 * @param {{ platform: string, arch: string, uid?: number | undefined }} machine
 */
function findMachineFault(command, { platform, arch, uid } = readMachine()) {
  const what = `${command} boots test hosts on this machine`;
  if (platform === "win32")
    return format(what, "Windows", "Linux: WSL 2, and there the same command", "wsl --install -d Ubuntu-24.04");
  const isMac = platform === "darwin";
  if (isMac && arch === "x64") {
    const commands = ["multipass launch 24.04 -n pillar -c 4 -m 8G -d 30G", "multipass shell pillar"];
    return format(what, "a Mac", "Linux, for example in a virtual machine:", ...commands);
  }
  if (platform !== "linux" || arch !== "x64")
    return format(
      what,
      `${isMac ? "a Mac" : platform}, ${arch}`,
      "Linux on x86-64, for example a rented server with 4 cores and 8 GB",
    );
  return uid === 0 ? undefined : format(what, `user ${uid}`, "root:", sudo(command));
}

/**
 * Returns the error for a Go that can't build a module, or undefined. Asks in the module's directory, because Go may
 * fetch the version that the module requires.
 * @param {string} [module]
 * @param {string} [again] the command to try if sudo hides Go
 */
function findGoFault(module = engine, again) {
  const [, needed = ""] = /^go (\S+)$/m.exec(readFileSync(join(module, "go.mod"), "utf8")) || [];
  const { error, stdout, stderr } = spawnSync("go", ["env", "GOVERSION"], { encoding: "utf8", cwd: module });
  const found = error ? "no go in PATH" : stdout.trim() || stderr.trim().split("\n").slice(-1)[0] || "no answer";
  if (isAtLeast(found, needed)) return undefined;
  return format(
    "the lab builds its tools with Go, or uses a Pulumi that is installed",
    found,
    `one of them in PATH, and then the same command: Go ${needed} or newer,`,
    "https://go.dev/dl",
    "https://www.pulumi.com/docs/install/",
    ...(again ? ["sudo may hide it; try:", sudo(again)] : []),
  );
}

/**
 * @param {string} found as Go prints it
 * @param {string} needed
 */
function isAtLeast(found, needed) {
  const [, version] = /^go(\d[\d.]*)/.exec(found) || [];
  if (version === undefined) return false;
  const parts = version.split(".").map(Number);
  for (const [place, part] of needed.split(".").map(Number).entries())
    if (parts[place] !== part) return (parts[place] || 0) > part;
  return true;
}

/** True if Pulumi need not be built: it is in PATH, or an earlier run built it. */
function hasEngine() {
  const cache = join(process.env.XDG_CACHE_HOME || join(homedir(), ".cache"), "pillar-host");
  if (existsSync(cache) && readdirSync(cache).some((name) => name.startsWith("engine-"))) return true;
  return (process.env.PATH || "").split(delimiter).some((directory) => existsSync(join(directory, "pulumi")));
}

/** @param {string} command */
const sudo = (command) => `sudo env "PATH=$PATH" ${command}`;

/**
 * @param {string} what
 * @param {string} found
 * @param {string} needed
 * @param {readonly string[]} commands
 */
function format(what, found, needed, ...commands) {
  return [what, `  found: ${found}`, `  needed: ${needed}`, ...commands.map((each) => `    ${each}`)].join("\n");
}

function readMachine() {
  return { platform: process.platform, arch: process.arch, uid: process.getuid ? process.getuid() : undefined };
}

/** Returns why the script that npm runs can't run on this machine, or undefined. */
function findFault() {
  const script = process.env.npm_lifecycle_event || "demo";
  const command = script === "test" ? "npm test" : `npm run ${script}`;
  const again = process.env.SUDO_USER ? command : undefined;
  return findMachineFault(command) || (hasEngine() ? undefined : findGoFault(engine, again));
}

module.exports = { findFault, findMachineFault, findGoFault };

if (require.main === module) {
  const fault = findFault();
  if (fault) {
    console.error(fault);
    process.exit(2);
  }
}
