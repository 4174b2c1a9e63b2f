// Plain JavaScript that any Node understands: an old one must live to say what it lacks.
// The first that loads libraries which are ES modules, such as the one of the backups, as the program asks for them.
var needed = "22.13";

/**
 * What is wrong with the Node that runs this; undefined for one that is new enough.
 *
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
    ")\n  needed: https://nodejs.org, or another PATH"
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
