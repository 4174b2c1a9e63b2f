// Written in old JavaScript, so that an old Node can run this check. Node 22.13 is the first version in which `require`
// loads ES modules, such as the backup library.
var needed = "22.13";

/**
 * Returns the error for a Node that is too old, or undefined.
 * @param {string} [found]
 */
function nodeFault(found) {
  var version = found || process.versions.node;
  if (isAtLeast(version.split("."), needed.split("."))) return undefined;
  return (
    "pillar-host needs Node " +
    needed +
    " or newer, found " +
    version +
    " (" +
    process.execPath +
    ")\n  needed: install it from https://nodejs.org, or put it first in PATH"
  );
}

/**
 * @param {string[]} found
 * @param {string[]} least
 */
function isAtLeast(found, least) {
  var major = Number(found[0]) - Number(least[0]);
  return major > 0 || (major === 0 && Number(found[1]) >= Number(least[1]));
}

module.exports = { nodeFault: nodeFault };
