import { once } from "node:events";
import { createServer, type Server } from "node:http";
import { json } from "node:stream/consumers";

/** Prefix that Vault puts before a ciphertext. */
const mark = "vault:v1:";

/**
 * Returns a stack's data key as the double of Vault encrypts it. The key stays readable: it protects only tests'
 * secrets.
 */
export function wrapKey(key: Buffer): string {
  return `${mark}${key.toString("base64")}`;
}

/**
 * Answers `transit/encrypt` and `transit/decrypt` as Vault does, for the engine's `hashivault://` secrets provider. A
 * passphrase costs each engine process 0.3 seconds of CPU time. A request to this double costs nothing.
 */
export async function serveVault({ host, port }: { readonly host: string; readonly port: number }): Promise<Server> {
  const server = createServer(async (request, response) => {
    const [, action] = /^\/v1\/transit\/(encrypt|decrypt)\/./.exec(request.url ?? "") ?? [];
    const { plaintext = "", ciphertext = "" } = (await json(request).catch(() => ({}))) as Record<string, string>;
    response.setHeader("content-type", "application/json");
    if (action === undefined) response.writeHead(404).end('{"errors":[]}');
    else if (action === "encrypt") response.end(JSON.stringify({ data: { ciphertext: `${mark}${plaintext}` } }));
    else if (!ciphertext.startsWith(mark)) response.writeHead(400).end('{"errors":["invalid ciphertext: no prefix"]}');
    else response.end(JSON.stringify({ data: { plaintext: ciphertext.slice(mark.length) } }));
  });
  await once(server.listen(port, host), "listening");
  return server;
}
