// Serializes each dynamic provider as the engine's program does, and prints the texts as JSON.
const { compiled } = require("../../compile");
const pulumi = require("@pulumi/pulumi");

/** Inputs of each resource, by its file in providers/. */
const providers = {
  syncGate: { target: {}, confirmations: 1, deadline: 1 },
  firstContact: { address: "a", port: 22, login: { user: "op" }, work: "w", run: undefined },
  orchestratorBackup: { oldHost: {}, newHost: {}, node: {}, library: "" },
  hostKey: {},
  hostSetUp: { address: "a", lost: undefined },
  serverOrder: { serverId: "", isOrder: true },
  copyKey: { old: {}, new: {} },
  orchestratorMove: { old: {}, new: {}, backup: {} },
  hourlyRestartOff: { target: {}, script: "", found: undefined },
  retirementGuard: { host: {}, node: {}, isLast: true },
  nodeShutdown: { host: {}, node: {}, memory: {} },
  nodeUpgrade: { host: {}, node: {}, release: {}, library: "" },
  chainCopy: { old: {}, new: {}, record: {} },
};

const texts = {};
const mocks = {
  newResource: ({ name, inputs }) => {
    if (inputs.__provider) texts[name] = inputs.__provider;
    return { id: name, state: inputs };
  },
  call: () => ({}),
};

async function main() {
  const program = compiled();
  await pulumi.runtime.setMocks(mocks, "pillar-host", "unit", false);
  for (const [file, inputs] of Object.entries(providers)) {
    const [first, ...rest] = file;
    const { [first.toUpperCase() + rest.join("")]: Resource } = require(`${program}/providers/${file}`);
    new Resource(file, inputs, {});
  }
  await pulumi.runtime.disconnect();
  process.stdout.write(JSON.stringify(texts));
}

main();
