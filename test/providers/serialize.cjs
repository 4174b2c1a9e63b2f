// Serializes each dynamic provider as the engine's program does, and prints the texts as JSON.
const { compiled } = require("../../compile");
const pulumi = require("@pulumi/pulumi");

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
  const { SyncGate } = require(`${program}/providers/syncGate`);
  const { FirstContact } = require(`${program}/providers/firstContact`);
  new SyncGate("syncGate", { target: {}, confirmations: 1, deadline: 1 }, {});
  const { HostKey } = require(`${program}/providers/hostKey`);
  const { LoginKey } = require(`${program}/providers/loginKey`);
  new FirstContact("firstContact", { address: "a", port: 22, login: { user: "op" }, work: "w", run: undefined });
  const { OrchestratorBackup } = require(`${program}/providers/orchestratorBackup`);
  new OrchestratorBackup("signerBackup", { oldHost: {}, newHost: {}, node: {}, library: "" });
  new HostKey("hostKey", {});
  new LoginKey("loginKey", { target: {}, publicKey: "", serverId: "", isOrder: true });
  const { CopyKey } = require(`${program}/providers/copyKey`);
  new CopyKey("copyKey", { old: {}, new: {} }, {});
  const { OrchestratorMove } = require(`${program}/providers/orchestratorMove`);
  new OrchestratorMove("signerMove", { old: {}, new: {}, backup: {} }, {});
  const { HourlyRestartOff } = require(`${program}/providers/hourlyRestartOff`);
  new HourlyRestartOff("hourlyRestartOff", { target: {}, script: "", found: undefined });
  const { RetirementGuard } = require(`${program}/providers/retirementGuard`);
  new RetirementGuard("retirementGuard", { host: {}, node: {}, isLast: true }, {});
  const { NodeShutdown } = require(`${program}/providers/nodeShutdown`);
  new NodeShutdown("nodeShutdown", { host: {}, node: {}, memory: {} }, {});
  const { NodeUpgrade } = require(`${program}/providers/nodeUpgrade`);
  new NodeUpgrade("nodeUpgrade", { host: {}, node: {}, release: {}, library: "" }, {});
  const { ChainCopy } = require(`${program}/providers/chainCopy`);
  new ChainCopy("chainCopy", { old: {}, new: {}, record: {} }, {});
  await pulumi.runtime.disconnect();
  process.stdout.write(JSON.stringify(texts));
}

main();
