import { spawn } from "node:child_process";
import net, { type AddressInfo } from "node:net";
import ssh2, { type Connection, type ServerChannel } from "ssh2";

/** Options of a test's server, which accepts every login. */
export interface SshServerOptions {
  hostKey: string;
  port?: number;
  /** Shell text that it runs before each command. */
  before?: string;
}

/** An ssh server on loopback that runs commands with /bin/sh and records the attempts. */
export class SshServer {
  /** Connections ever made. */
  connections = 0;
  /** `method user` of each authentication attempt. */
  readonly attempts: string[] = [];
  readonly commands: string[] = [];
  private readonly sockets = new Set<Connection>();

  private constructor(
    private readonly server: ssh2.Server,
    readonly port: number,
  ) {}

  static async start(options: SshServerOptions): Promise<SshServer> {
    const server = new ssh2.Server({ hostKeys: [options.hostKey] });
    await new Promise<void>((resolve) => server.listen(options.port ?? 0, "127.0.0.1", resolve));
    const started = new SshServer(server, (server.address() as AddressInfo).port);
    server.on("connection", (connection) => started.serve(connection, options));
    return started;
  }

  async stop(): Promise<void> {
    for (const socket of this.sockets) socket.end();
    await new Promise<void>((resolve) => this.server.close(() => resolve()));
  }

  private serve(connection: Connection, options: SshServerOptions): void {
    this.connections++;
    this.sockets.add(connection);
    connection.on("error", () => undefined); // a refused host key ends in a reset
    connection.on("close", () => this.sockets.delete(connection));
    connection.on("authentication", (attempt) => {
      this.attempts.push(`${attempt.method} ${attempt.username}`);
      if (attempt.method === "none") attempt.reject(["publickey", "password", "keyboard-interactive"]);
      else attempt.accept();
    });
    connection.on("tcpip", (accept, _reject, target) => {
      const channel = accept();
      const onward = net.connect(target.destPort, target.destIP);
      channel.pipe(onward).pipe(channel);
    });
    connection.on("session", (acceptSession) => {
      const session = acceptSession();
      session.on("exec", (accept, _reject, { command }) => {
        this.commands.push(command);
        runCommand(`${options.before ?? ""}\n${command}`, accept());
      });
    });
  }
}

function runCommand(command: string, channel: ServerChannel): void {
  const child = spawn("/bin/sh", ["-c", command]);
  child.stdin.on("error", () => undefined); // the command need not read its stdin
  channel.pipe(child.stdin);
  child.stdout.pipe(channel, { end: false });
  child.stderr.pipe(channel.stderr, { end: false });
  channel.on("close", () => child.kill("SIGKILL"));
  child.on("close", (code, signal) => {
    if (signal) channel.exit(signal.slice(3), false, "");
    else channel.exit(code ?? 1);
    channel.end();
  });
}
