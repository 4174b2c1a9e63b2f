// Serializes each dynamic provider as the engine's program does (ts-node under CommonJS), and prints the texts as JSON.
require("ts-node").register({ project: "tsconfig.pulumi.json", transpileOnly: true });
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
  await pulumi.runtime.setMocks(mocks, "pillar-host", "unit", false);
  const { SyncGate } = require("../../providers/syncGate");
  const { FirstContact } = require("../../providers/firstContact");
  new SyncGate("syncGate", { target: {}, confirmations: 1, deadline: 1 }, {});
  const { HostKey } = require("../../providers/hostKey");
  const { LoginKey } = require("../../providers/loginKey");
  new FirstContact("firstContact", { address: "a", port: 22, login: { user: "op" }, work: "w", run: undefined });
  new HostKey("hostKey");
  new LoginKey("loginKey", { target: {}, publicKey: "" });
  await pulumi.runtime.disconnect();
  process.stdout.write(JSON.stringify(texts));
}

main();
