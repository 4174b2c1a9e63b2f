// @ts-check
// Starts each of the program's processes: the command line, the program and the process of the dynamic providers. Written
// in old JavaScript, so that an old Node can run the check of its version.

/**
 * Checks Node, and prepares it. Must run before the libraries are loaded: without the compile cache, compiling them takes
 * most of the start time. Prints the problem and ends the process if Node is too old, or the cache is not private.
 * @param {number} exitCode of a process that ends
 */
function start(exitCode) {
  const fault = nodeFault() || cacheFault();
  if (fault) {
    console.error(fault);
    process.exit(exitCode);
  }
  // Leaves out zod's error messages in about fifty languages, which take a fifth of the time to load the program.
  require("node:module").registerHooks({
    load: (url, context, next) =>
      url.endsWith("/zod/v4/locales/index.js")
        ? { format: "module", source: "", shortCircuit: true }
        : next(url, context),
  });
  useProxy();
  // Node gives up on each address of a name after 250 ms, too early for a distant server with one dead address.
  require("node:net").setDefaultAutoSelectFamilyAttemptTimeout(5000);
}

/** Returns the proxies that the environment's variables name, each with its variable. */
function findProxies() {
  const names = ["http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY"].filter((name) => process.env[name]);
  const urls = names.map((name) => [name, String(process.env[name]).replace(/^(?!.*:\/\/)/, "http://")]);
  return urls.filter(([, url]) => /^https?:/.test(url || ""));
}

/** Sends the program's own requests through the proxy that Pulumi and its plugins take from these variables. */
function useProxy() {
  const proxies = findProxies();
  const { setGlobalProxyFromEnv } = require("node:http");
  if (proxies.length === 0 || !setGlobalProxyFromEnv) return;
  // As they do, asks this machine directly.
  const env = { no_proxy: `${process.env.no_proxy || process.env.NO_PROXY || ""},localhost,127.0.0.1,[::1]` };
  setGlobalProxyFromEnv(Object.assign(env, Object.fromEntries(proxies)));
}

/**
 * Returns the error for a Node that is older than package.json allows, or undefined.
 * @param {string} [found]
 */
function nodeFault(found) {
  const needed = require("../../package.json").engines.node.replace(">=", "");
  const version = found || process.versions.node;
  if (version.localeCompare(needed, "en", { numeric: true }) >= 0) return undefined;
  return `pillar-host needs Node ${needed} or newer, found ${version} (${process.execPath})\n  needed: install it from https://nodejs.org, or put it first in PATH`;
}

/** Enables the compile cache. Returns the error for the operator, or undefined. */
function cacheFault() {
  try {
    const directory = privateDirectory(require("node:path").join(__dirname, "../../.compiled"));
    // Pulumi's SDK sets this flag while it loads. An entry of the cache counts only under the flags that made it.
    require("node:v8").setFlagsFromString("--allow-natives-syntax");
    if (directory) require("node:module").enableCompileCache(directory);
    return undefined;
  } catch (error) {
    return /** @type {Error} */ (error).message;
  }
}

/**
 * Makes the directory of the compile cache. Its files are executed, so no other user may have write access. Deletes and
 * recreates a directory of this user that other users could write to. Returns undefined in a checkout that this user may
 * not write to, which works without a cache.
 * @param {string} directory
 * @returns {string | undefined}
 * @throws if the directory belongs to another user, or is none
 */
function privateDirectory(directory) {
  const fs = require("node:fs");
  const found = fs.lstatSync(directory, { throwIfNoEntry: false });
  const user = process.getuid ? process.getuid() : 0;
  const mayOthersWrite = found && (found.mode & 0o022) !== 0;
  if (found && (!found.isDirectory() || (found.uid !== user && (found.uid !== 0 || mayOthersWrite))))
    throw new Error(
      `${directory} must be a directory that only you can write to, because its files are executed\n  found: owned by user ${found.uid}, mode ${(found.mode & 0o777).toString(8)}\n  needed: remove it: rm -r '${directory}'; then run the same command again`,
    );
  try {
    if (mayOthersWrite) fs.rmSync(directory, { recursive: true });
    // `recursive` accepts a directory that a concurrent run has just created.
    fs.mkdirSync(directory, { recursive: true, mode: 0o700 });
    return directory;
  } catch (_) {
    return undefined;
  }
}

module.exports = { start, findProxies, nodeFault, privateDirectory };
