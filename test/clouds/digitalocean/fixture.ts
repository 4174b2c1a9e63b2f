import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import ssh2 from "ssh2";
import { createDigitalOcean, type DigitalOcean } from "../../../lab/clouds/digitalocean";
import type { Timings } from "../../../lab/clouds/digitalocean/cloud";
import { FakeRoom } from "../fakeRoom";

/** In the provider's form: dop_v1_ and 64 hex digits. */
export const TOKEN = `dop_v1_${"5ec7".repeat(16)}`;
export const READ_TOKEN = `dop_v1_${"4ead".repeat(16)}`;
export const OTHER_TOKEN = `dop_v1_${"07e4".repeat(16)}`;

export const publicKey = ssh2.utils.generateKeyPairSync("ed25519").public;

/** JSON as it came; tests assert on it in full or in part. */
// biome-ignore lint/suspicious/noExplicitAny: a test reads bodies of every form
export type Body = any;

/** A received answer. */
export interface Answered {
  readonly status: number;
  readonly body: Body;
  readonly headers: Headers;
}

/** The double on its own port. */
export class TestCloud {
  static async start(options: { timings?: Partial<Timings> } = {}): Promise<TestCloud> {
    const room = new FakeRoom();
    const tokens = { [TOKEN]: "write", [OTHER_TOKEN]: "write", [READ_TOKEN]: "read" } as const;
    const { timings = {} } = options;
    const double = createDigitalOcean({ room, tokens, timings });
    const server = createServer(double.handler);
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const close = () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      });
    return new TestCloud(url, double, room, close);
  }

  private constructor(
    readonly url: string,
    readonly double: DigitalOcean,
    readonly room: FakeRoom,
    readonly close: () => Promise<void>,
  ) {}

  async ask(method: string, path: string, body?: unknown, token = TOKEN): Promise<Answered> {
    const response = await fetch(`${this.url}${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    return { status: response.status, body: text === "" ? undefined : JSON.parse(text), headers: response.headers };
  }

  create(more: object = {}): Promise<Answered> {
    const order = { name: "pillar-1", region: "fra1", size: "s-4vcpu-8gb", image: "ubuntu-22-04-x64" };
    return this.ask("POST", "/v2/droplets", { ...order, ...more });
  }
}
