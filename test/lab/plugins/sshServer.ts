import { spawn } from "node:child_process";
import fs from "node:fs";
import net, { type AddressInfo } from "node:net";
import ssh2, { type AuthContext, type Connection, type ServerChannel, type SFTPWrapper } from "ssh2";

const { OPEN_MODE, STATUS_CODE } = ssh2.utils.sftp;

/** What a test's server accepts. */
export interface SshServerOptions {
  hostKey: string;
  /** Decides each attempt; accepts all where it is missing. */
  authenticate?: (attempt: AuthContext) => boolean;
  /** Names of the environment variables that it accepts (AcceptEnv). */
  acceptEnv?: readonly string[];
  /** Asks for this password by keyboard-interactive, besides. */
  ask?: string;
  port?: number;
}

/** An ssh server on loopback that runs commands with /bin/sh, serves files by sftp and remembers what was tried. */
export class SshServer {
  /** Connections ever made, and those open now. */
  connections = 0;
  open = 0;
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
    this.open++;
    this.sockets.add(connection);
    connection.on("error", () => undefined); // a refused host key ends in a reset
    connection.on("close", () => {
      this.open--;
      this.sockets.delete(connection);
    });
    connection.on("authentication", (attempt) => {
      this.attempts.push(`${attempt.method} ${attempt.username}`);
      if (attempt.method === "keyboard-interactive" && options.ask) {
        attempt.prompt([{ prompt: "Password: ", echo: false }], ([answer]) =>
          answer === options.ask ? attempt.accept() : attempt.reject(),
        );
        return;
      }
      const accepted = attempt.method !== "none" && (options.authenticate?.(attempt) ?? true);
      if (accepted) attempt.accept();
      else attempt.reject(["publickey", "password", "keyboard-interactive"]);
    });
    connection.on("tcpip", (accept, _reject, target) => {
      const channel = accept();
      const onward = net.connect(target.destPort, target.destIP);
      channel.pipe(onward).pipe(channel);
    });
    connection.on("session", (acceptSession) => {
      const session = acceptSession();
      const env: Record<string, string> = {};
      session.on("env", (accept, reject, { key, val }) => {
        if (!options.acceptEnv?.includes(key)) return reject?.();
        env[key] = String(val);
        accept?.();
      });
      session.on("exec", (accept, _reject, { command }) => {
        this.commands.push(command);
        runCommand(command, env, accept());
      });
      session.on("sftp", (accept) => serveFiles(accept()));
    });
  }
}

function runCommand(command: string, env: Record<string, string>, channel: ServerChannel): void {
  const child = spawn("/bin/sh", ["-c", command], { env: { PATH: process.env.PATH, ...env } });
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

// As much of sftp as uploads need.
function serveFiles(sftp: SFTPWrapper): void {
  const answer = (id: number, work: () => void): void => {
    try {
      work();
    } catch (error) {
      const missing = (error as NodeJS.ErrnoException).code === "ENOENT";
      sftp.status(id, missing ? STATUS_CODE.NO_SUCH_FILE : STATUS_CODE.FAILURE);
    }
  };
  const stat = (id: number, name: string): void => answer(id, () => sftp.attrs(id, attributes(fs.statSync(name))));
  sftp.on("end", () => sftp.end()); // as sftp-server ends with its input
  sftp.on("STAT", stat);
  sftp.on("LSTAT", stat);
  sftp.on("OPEN", (id, name, flags) =>
    answer(id, () => {
      const descriptor = fs.openSync(name, flags & OPEN_MODE.WRITE ? "w" : "r");
      const handle = Buffer.alloc(4);
      handle.writeUInt32BE(descriptor);
      sftp.handle(id, handle);
    }),
  );
  sftp.on("WRITE", (id, handle, offset, data) =>
    answer(id, () => {
      fs.writeSync(handle.readUInt32BE(), data, 0, data.length, offset);
      sftp.status(id, STATUS_CODE.OK);
    }),
  );
  sftp.on("FSTAT", (id, handle) => answer(id, () => sftp.attrs(id, attributes(fs.fstatSync(handle.readUInt32BE())))));
  sftp.on("CLOSE", (id, handle) =>
    answer(id, () => {
      fs.closeSync(handle.readUInt32BE());
      sftp.status(id, STATUS_CODE.OK);
    }),
  );
  sftp.on("MKDIR", (id, name) =>
    answer(id, () => {
      fs.mkdirSync(name);
      sftp.status(id, STATUS_CODE.OK);
    }),
  );
}

function attributes(stats: fs.Stats): ssh2.Attributes {
  const { mode, uid, gid, size } = stats;
  return { mode, uid, gid, size, atime: stats.atimeMs / 1000, mtime: stats.mtimeMs / 1000 };
}
