import { createNodeTarget } from "../../core/chain/configuredNode.ts";
import { readNodeFacts } from "../../core/host/nodeFacts.ts";
import { createNewHost } from "../../core/ssh/configuredLogin.ts";
import { type Connection, createConnection } from "../../core/ssh/connection.ts";
import { openRoot } from "../../core/ssh/root.ts";
import type { SshTarget } from "../../core/ssh/ssh.ts";
import { readFactsLibrary } from "../../core/steps/libraries.ts";
import { createWitnessSources } from "../../core/sync/gateSettings.ts";
import { openNodeReader } from "../../core/sync/nodeReader.ts";
import type { StackWithHost } from "./openStack.ts";

export type HostReader = ReturnType<typeof openHostReader>;

export function openHostReader({ config, address, hostKey }: StackWithHost) {
  const target = createNodeTarget(config, address, hostKey);
  const connection = createConnection(target.ssh);
  const root = openRoot(createNewHost(config, address, hostKey), readFactsLibrary(), shareConnection(connection));
  const options = { logLines: 10, withStages: config.lifecycle === "active" };
  const services = [config.node.service, config.orchestrator.service];
  const { closeWitnesses, ...deps } = openNodeReader(target, createWitnessSources(config), connection);
  const connections = new Map([[connectionKey(target.ssh), connection]]);
  return {
    connection: shareConnection(connection),
    /** Returns the shared connection to a host, this one or another. close() closes all of them. */
    connect: (other: SshTarget) => {
      const known = connections.get(connectionKey(other)) ?? createConnection(other);
      connections.set(connectionKey(other), known);
      return shareConnection(known);
    },
    close: () => {
      closeWitnesses();
      for (const each of connections.values()) each.drop();
    },
    deps,
    root,
    readFacts: () => readNodeFacts(root, { ...config.node, services }, options),
  };
}

const connectionKey = ({ user, address, port, proxy }: SshTarget): string =>
  `${user}@${address}:${port}${proxy ? ` by ${connectionKey(proxy)}` : ""}`;

/** Returns a connection whose `drop` does nothing, so that no part closes it for the others. */
const shareConnection = (connection: Connection): Connection =>
  Object.create(connection, { drop: { value: () => undefined } });
