// @ts-check
/**
 * The architecture as rules: each folder, and the folders that it may import from. All other imports are forbidden.
 *
 *   index → components → providers ─┐
 *     cli ──────────────────────────┤
 *   journey → retirement → registration, orchestrator → sync   chainCopy → sync, steps   upgrade → orchestrator
 *   host → chain   eventLog → chain → ssh   steps → chain   notify   cloud
 *   config → store
 *   util
 */
const core = {
  util: [],
  store: ["util"],
  config: ["store", "util"],
  ssh: ["config", "util"],
  chain: ["config", "ssh", "util"],
  steps: ["chain", "config", "ssh", "util"],
  cloud: ["config", "ssh", "store", "util"],
  eventLog: ["chain", "config", "ssh", "store", "util"],
  notify: ["util"],
  host: ["chain", "config", "ssh", "util"],
  sync: ["host", "chain", "config", "eventLog", "ssh", "store", "util"],
  registration: ["sync", "host", "chain", "config", "eventLog", "ssh", "store", "util"],
  // The gate does not depend on this folder: it can be deleted together with its provider.
  chainCopy: ["sync", "host", "steps", "chain", "config", "eventLog", "ssh", "util"],
  orchestrator: ["sync", "steps", "chain", "cloud", "config", "eventLog", "host", "ssh", "store", "util"],
  retirement: [
    "registration",
    "orchestrator",
    "sync",
    "host",
    "steps",
    "chain",
    "cloud",
    "config",
    "eventLog",
    "ssh",
    "store",
    "util",
  ],
  journey: ["retirement", "orchestrator", "registration", "sync", "eventLog", "chain", "ssh", "config", "util"],
  upgrade: ["orchestrator", "sync", "chain", "ssh", "util"],
};

const room = (/** @type {string} */ name) => `core/${name}`;
const allRooms = Object.keys(core).map(room);

/** @type {Record<string, readonly string[]>} */
const arrows = {
  ...Object.fromEntries(Object.entries(core).map(([name, others]) => [room(name), others.map(room)])),
  providers: allRooms,
  components: ["providers", ...allRooms],
  cli: allRooms,
};

/** Folders within a folder, each with the siblings that it may import from. cli/commands may import from all. */
const walls = {
  "core/orchestrator": {
    rules: [],
    backup: ["rules"],
    hosts: ["rules", "backup"],
    checks: ["rules", "backup", "hosts"],
    move: ["rules", "backup", "hosts", "checks"],
  },
  cli: {
    terminal: [],
    pulumi: ["terminal"],
    init: ["pulumi", "terminal"],
    edit: ["init", "status", "pulumi", "terminal"],
    status: ["pulumi", "terminal"],
    check: ["status", "pulumi", "terminal"],
    next: ["check", "status", "pulumi", "terminal"],
    backup: ["status", "pulumi", "terminal"],
    restore: ["edit", "status", "pulumi", "terminal"],
    report: ["status", "pulumi", "terminal"],
    support: ["backup", "check", "report", "status", "pulumi", "terminal"],
  },
};

const within = (/** @type {readonly string[]} */ rooms) => `^(${rooms.join("|")})/`;

/** @type {import("dependency-cruiser").IConfiguration} */
module.exports = {
  forbidden: [
    ...Object.entries(arrows).map(([from, to]) => ({
      name: `arrows of ${from}`,
      comment: `${from} may import from ${to.join(", ") || "nothing else"}`,
      severity: /** @type {const} */ ("error"),
      from: { path: within([from]) },
      to: { path: "^(index\\.ts$|components/|core/|providers/|cli/|lab/|test/)", pathNot: within([from, ...to]) },
    })),
    ...Object.entries(walls).flatMap(([whole, rooms]) =>
      Object.entries(rooms).map(([from, to]) => ({
        name: `arrows of ${whole}/${from}`,
        comment: `${whole}/${from} may import from ${to.join(", ") || "nothing else"} beside it`,
        severity: /** @type {const} */ ("error"),
        from: { path: within([`${whole}/${from}`]) },
        to: { path: within([whole]), pathNot: within([from, ...to].map((name) => `${whole}/${name}`)) },
      })),
    ),
    {
      name: "Pulumi in components and providers only",
      comment: "the rooms below can be used, and tested, without an engine",
      severity: "error",
      from: { path: within([...allRooms, "cli"]) },
      to: { path: "^node_modules/@pulumi/" },
    },
    { name: "no circles", severity: "error", from: {}, to: { circular: true } },
  ],
  options: {
    doNotFollow: { path: "node_modules" },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: "tsconfig.json" },
  },
};
