import net from "node:net";

/** Knows whether the engine that waits for a provider's answer still lives. */
export interface EngineWatch {
  isThere(): boolean;
  stop(): void;
}

const interval = 5000;

/**
 * Watches the engine by its address, the provider's first argument, and ends the process some seconds after it is
 * gone. An engine that was killed leaves its providers behind.
 */
export function watchEngine(address = process.argv[2] ?? "", end = () => process.exit(1)): EngineWatch {
  const [, host, port] = /^(.*):(\d+)$/.exec(address) ?? [];
  let there = true;
  const timer = setInterval(() => {
    if (port === undefined) return;
    if (!there) return void end();
    const socket = net.connect(Number(port), host);
    socket.on("connect", () => socket.destroy());
    socket.on("error", (error: NodeJS.ErrnoException) => {
      if (error.code === "ECONNREFUSED") there = false;
    });
  }, interval);
  timer.unref();
  return { isThere: () => there, stop: () => clearInterval(timer) };
}
