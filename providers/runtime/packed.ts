import { brotliCompressSync } from "node:zlib";

/** Compresses a module's text: a state holds it up to four times, and each run sends it about ten times. */
export function packModule(text: string): string {
  const bytes = brotliCompressSync(text).toString("base64");
  return [
    'const { brotliDecompressSync } = require("node:zlib");',
    'const { compileFunction } = require("node:vm");',
    `const text = brotliDecompressSync(Buffer.from("${bytes}", "base64")).toString();`,
    'compileFunction(text, ["exports", "require"])(exports, require);',
    "",
  ].join("\n");
}
