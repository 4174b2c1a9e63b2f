// Plain JavaScript that any Node understands: an old one must live to say what it lacks.
var needed = 22;

/**
 * What is wrong with the Node that runs this; undefined for one that is new enough.
 *
 * @param {string} [found]
 */
function nodeFault(found) {
  var version = found || process.versions.node;
  if (Number(version.split(".")[0]) >= needed) return undefined;
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

module.exports = { nodeFault: nodeFault };
