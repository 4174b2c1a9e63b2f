import net from "node:net";
import * as pulumi from "@pulumi/pulumi";
import { printable } from "../../core/util/printable.ts";

const pollIntervalMs = 5000;

/**
 * Watches the engine at its address, which is the provider's first argument. Aborts `signal` once the engine is gone,
 * and ends the process some seconds later, because a killed engine leaves its providers running.
 */
export function watchEngine(address = process.argv[2] ?? "", end = () => process.exit(1)) {
  const [, host, port] = /^(.*):(\d+)$/.exec(address) ?? [];
  const gone = new AbortController();
  const timer = setInterval(() => {
    if (port === undefined) return;
    if (gone.signal.aborted) return void end();
    const socket = net.connect(Number(port), host);
    socket.on("connect", () => socket.destroy());
    socket.on("error", (error: NodeJS.ErrnoException) => {
      if (error.code === "ECONNREFUSED") gone.abort();
    });
  }, pollIntervalMs);
  timer.unref();
  return { signal: gone.signal, stop: () => clearInterval(timer) };
}

/** Shows a line beside a resource on the screen of `pulumi up`, until a newer one replaces it. */
export function showBeside(urn: string, line: string): void {
  if (pulumi.runtime.getEngine() === undefined) return;
  const row = { urn: pulumi.output(urn) } as pulumi.Resource;
  void pulumi.log.info(printable(line), row, undefined, true);
}
