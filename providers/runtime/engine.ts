import net from "node:net";

interface EngineWatch {
  /** Aborted once the engine that waits for the provider's answer is gone. */
  readonly signal: AbortSignal;
  stop(): void;
}

const pollIntervalMs = 5000;

/**
 * Watches the engine at its address, which is the provider's first argument. Ends the process some seconds after the
 * engine is gone, because a killed engine leaves its providers running.
 */
export function watchEngine(address = process.argv[2] ?? "", end = () => process.exit(1)): EngineWatch {
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
