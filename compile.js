// @ts-check
const { createHash } = require("node:crypto");
const fs = require("node:fs");
const path = require("node:path");

/** What the program and its command line tool consist of. */
const sources = [
  ...["index.ts", "cli", "components", "core", "providers"],
  ...["examples", "package.json", "tsconfig.pulumi.json"],
];

/**
 * The program in JavaScript, below `.compiled`, under a name that changes with any byte of it: made where it is missing,
 * never stale. Types are checked by CI.
 *
 * docs/architecture.md ("The program is compiled once") has why it is neither Pulumi's ts-node nor a bundler.
 *
 * @param {string} [root] where the program lies
 * @returns {string} the directory of the compiled program
 */
function compiled(root = __dirname) {
  const files = sources.flatMap((name) => filesOf(root, name)).map((name) => ({ name, text: read(root, name) }));
  const key = createHash("sha256")
    .update(JSON.stringify([require("typescript/package.json").version, files]))
    .digest("hex")
    .slice(0, 16);
  const directory = path.join(root, ".compiled", key);
  if (!fs.existsSync(directory)) compile(root, files, directory);
  return directory;
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
  // Renamed into place: a run that dies here, or one beside it, leaves nothing that is half done.
  const fresh = `${directory}.${process.pid}`;
  for (const { name, text } of files) {
    const isCode = name.endsWith(".ts");
    const target = path.join(fresh, isCode ? name.replace(/\.ts$/, ".js") : name);
    fs.mkdirSync(path.dirname(target), { recursive: true });
    const { outputText } = isCode ? ts.transpileModule(text, { compilerOptions: options, fileName: name }) : {};
    fs.writeFileSync(target, outputText ?? text);
  }
  try {
    fs.renameSync(fresh, directory);
  } catch (error) {
    fs.rmSync(fresh, { recursive: true, force: true });
    if (!fs.existsSync(directory)) throw error;
  }
}

module.exports = { compiled };
