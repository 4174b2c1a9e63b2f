import http from "node:http";

/**
 * Sends an HTTP request through a socket file: JSON, or bytes as they are.
 * @throws for a status of 400 and above, with its text
 */
export function callSocket<T>(
  socketPath: string,
  method: string,
  path: string,
  body?: unknown,
  more: Readonly<Record<string, string>> = {},
): Promise<T> {
  return new Promise((resolve, reject) => {
    const binary = Buffer.isBuffer(body);
    const payload = body === undefined ? undefined : binary ? body : JSON.stringify(body);
    const headers = { "content-type": binary ? "application/zip" : "application/json", ...more };
    const request = http.request({ socketPath, method, path, headers }, async (response) => {
      const text = Buffer.concat(await response.toArray()).toString();
      if ((response.statusCode ?? 500) >= 400) reject(new Error(`${method} ${path}: ${response.statusCode} ${text}`));
      else resolve((text.startsWith("{") || text.startsWith("[") ? JSON.parse(text) : text) as T);
    });
    request.on("error", reject);
    request.end(payload);
  });
}
