// @ts-check
const { createHash } = require("node:crypto");
const fs = require("node:fs");
const path = require("node:path");

const sources = [
  ...["index.ts", "cli", "components", "core", "providers"],
  ...["examples", "package.json", "tsconfig.pulumi.json"],
];

/**
 * Returns the directory of the compiled program. Compiles the program first if its sources changed: the directory's
 * name is a hash of them. Checks no types, CI does that. docs/architecture.md ("The program is compiled once") explains
 * why this is not Pulumi's ts-node.
 * @param {string} [root] the program's directory
 */
function compiled(root = __dirname) {
  const files = sources.flatMap((name) => filesOf(root, name)).map((name) => ({ name, text: read(root, name) }));
  const key = createHash("sha256")
    .update(JSON.stringify([require("typescript/package.json").version, files]))
    .digest("hex")
    .slice(0, 16);
  const directory = path.join(ownDirectory(root), key);
  try {
    if (fs.existsSync(directory) && mayOthersWrite(fs.statSync(directory))) fs.rmSync(directory, { recursive: true });
    if (!fs.existsSync(directory)) compile(root, files, directory);
  } catch (error) {
    throw toFault(/** @type {Error} */ (error));
  }
  return directory;
}

/**
 * Returns the directory for compiled programs. Its files are executed, so no other user may have write access. If other
 * users could write to a directory of this user, deletes and recreates it.
 * @param {string} [root] the program's directory
 * @returns {string}
 */
function ownDirectory(root = __dirname) {
  const directory = path.join(root, ".compiled");
  try {
    const found = fs.lstatSync(directory, { throwIfNoEntry: false });
    const user = process.getuid?.();
    if (
      found &&
      (!found.isDirectory() || ![user, 0].includes(found.uid) || (mayOthersWrite(found) && found.uid !== user))
    )
      throw fault(
        `${directory} must be a directory that only you can write to, because its files are executed\n  found: owned by user ${found.uid}, mode ${(found.mode & 0o777).toString(8)}\n  needed: remove it: rm -r '${directory}'; then run the same command again`,
      );
    if (found && mayOthersWrite(found)) fs.rmSync(directory, { recursive: true });
    // `recursive` accepts a directory that a concurrent run has just created.
    fs.mkdirSync(directory, { recursive: true, mode: 0o700 });
  } catch (error) {
    throw toFault(/** @type {Error} */ (error));
  }
  return directory;
}

/** @param {import("node:fs").Stats} stat */
function mayOthersWrite(stat) {
  return (stat.mode & 0o022) !== 0;
}

/**
 * Returns an error that is printed without a stack trace.
 * @param {string} message
 */
function fault(message) {
  return Object.assign(new Error(message), { isForOperator: true });
}

/** @param {Error & { code?: string, isForOperator?: boolean }} error */
function toFault(error) {
  if (error.isForOperator || error.code === undefined) return error;
  return fault(
    `the program can't be compiled in this checkout\n  found: ${error.message}\n  needed: use a checkout that you may write to, on a disk with free space`,
  );
}

/**
 * Runs `work`. If it throws an error for the operator, prints the message and ends the process.
 * @template T
 * @param {number} exitCode
 * @param {() => T} work
 */
function orEnd(exitCode, work) {
  try {
    return work();
  } catch (error) {
    const { isForOperator, message } = /** @type {Error & { isForOperator?: boolean }} */ (error);
    if (!isForOperator) throw error;
    console.error(message);
    return process.exit(exitCode);
  }
}

/**
 * @param {string} root
 * @param {string} name
 * @returns {string[]}
 */
function filesOf(root, name) {
  if (!fs.statSync(path.join(root, name)).isDirectory()) return [name];
  const inside = fs.readdirSync(path.join(root, name), { recursive: true, withFileTypes: true });
  return inside
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(root, path.join(entry.parentPath, entry.name)))
    .sort();
}

/**
 * @param {string} root
 * @param {string} name
 */
function read(root, name) {
  return fs.readFileSync(path.join(root, name), "utf8");
}

/**
 * @param {string} root
 * @param {readonly { name: string, text: string }[]} files
 * @param {string} directory
 */
function compile(root, files, directory) {
  const ts = require("typescript");
  const { config } = ts.readConfigFile(path.join(root, "tsconfig.pulumi.json"), ts.sys.readFile);
  const { options } = ts.convertCompilerOptionsFromJson(config.compilerOptions, root);
  // Compiled under a temporary name and renamed at the end: a killed or concurrent run leaves no partial program.
  const fresh = `${directory}.${process.pid}`;
  for (const { name, text } of files) {
    const isCode = name.endsWith(".ts");
    const target = path.join(fresh, isCode ? name.replace(/\.ts$/, ".js") : name);
    fs.mkdirSync(path.dirname(target), { recursive: true, mode: 0o700 });
    const { outputText } = isCode ? ts.transpileModule(text, { compilerOptions: options, fileName: name }) : {};
    fs.writeFileSync(target, outputText ?? text, { mode: 0o600 });
    // Without fsync, a power cut could leave an empty file in a directory that counts as compiled.
    sync(target);
  }
  try {
    fs.renameSync(fresh, directory);
    sync(path.dirname(directory));
  } catch (error) {
    fs.rmSync(fresh, { recursive: true, force: true });
    if (!fs.existsSync(directory)) throw error;
  }
}

/** @param {string} name of a file or directory */
function sync(name) {
  const handle = fs.openSync(name, "r");
  try {
    fs.fsyncSync(handle);
  } finally {
    fs.closeSync(handle);
  }
}

module.exports = { compiled, orEnd, ownDirectory };
