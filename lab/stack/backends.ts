import { randomBytes } from "node:crypto";
import { join } from "node:path";
import type { OwnProcess } from "../hosts/machine.ts";
import { operatorAddress } from "../hosts/network.ts";
import type { Lab } from "../lab.ts";
import { noteSecret } from "../testRun/printed.ts";
import { buildGo, sourceHash } from "../toolchain/go.ts";
import { cached } from "../util/cache.ts";

/** Backend of Pulumi's state: PULUMI_BACKEND_URL, and its credentials. */
export interface Backend {
  readonly url: string;
  readonly env: Readonly<Record<string, string>>;
}

const s3Source = join(import.meta.dirname, "../s3server");
const s3Port = 9000;

async function s3Server(): Promise<string> {
  const directory = await cached("s3-server", sourceHash([s3Source]), (dir) =>
    buildGo("build of an S3 server from its Go module", {
      module: s3Source,
      package: ["."],
      output: join(dir, "s3server"),
    }),
  );
  return join(directory, "s3server");
}

/** Starts an S3 bucket on the operator's machine, until the lab goes down. The lab's `bucket` has its event logs. */
export async function startS3(lab: Lab): Promise<Backend & { readonly server: OwnProcess }> {
  const at = `${operatorAddress}:${s3Port}`;
  const server = await lab.startAtOperator([await s3Server(), at, join(lab.dir, "bucket")]);
  const key = randomBytes(20).toString("hex");
  noteSecret("the key of the state's bucket", key);
  return {
    url: `s3://state?endpoint=${encodeURIComponent(`http://${at}`)}&s3ForcePathStyle=true&region=us-east-1`,
    env: { AWS_ACCESS_KEY_ID: "operator", AWS_SECRET_ACCESS_KEY: key },
    server,
  };
}
