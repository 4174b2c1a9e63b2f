import { randomBytes } from "node:crypto";
import { join } from "node:path";
import type { OwnProcess } from "../hosts/machine";
import { operatorAddress } from "../hosts/network";
import { onHost } from "../hosts/onHost";
import { ensureLayer, runInImage } from "../images/imageLayer";
import type { Lab } from "../lab";
import { noteSecret } from "../testRun/printed";
import { buildGo, sourceHash } from "../toolchain/go";
import { cached } from "../util/cache";

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

/** Starts an S3 bucket on the operator's machine, until the lab goes down. */
export async function startS3(lab: Lab): Promise<Backend & { readonly server: OwnProcess }> {
  const at = `${operatorAddress}:${s3Port}`;
  const server = await lab.startAtOperator([await s3Server(), at]);
  const key = randomBytes(20).toString("hex");
  noteSecret("the key of the state's bucket", key);
  return {
    url: `s3://state?endpoint=${encodeURIComponent(`http://${at}`)}&s3ForcePathStyle=true&region=us-east-1`,
    env: { AWS_ACCESS_KEY_ID: "operator", AWS_SECRET_ACCESS_KEY: key },
    server,
  };
}

/** Builds the base image with the distribution's PostgreSQL. */
function ensurePostgresImage(): Promise<string> {
  return ensureLayer({
    name: "postgres-image",
    version: "2",
    title: "building the image of a host with PostgreSQL (half a minute)",
    build: async (root, progress) => {
      await runInImage(root, ["apt-get", "-q", "update"], progress);
      await runInImage(root, ["apt-get", "-q", "-y", "install", "--no-install-recommends", "postgresql"], progress);
      const listen = `cd /etc/postgresql/*/main
        echo "listen_addresses = '*'" >> postgresql.conf
        echo 'host pulumi pulumi 0.0.0.0/0 scram-sha-256' >> pg_hba.conf`;
      await runInImage(root, ["bash", "-euc", listen], progress);
    },
  });
}

/** Starts a PostgreSQL database on a host of its own. */
export async function startPostgres(lab: Lab): Promise<Backend> {
  const host = await lab.addHost("state", ensurePostgresImage);
  const password = randomBytes(20).toString("hex");
  noteSecret("the password of the state's database", password);
  await onHost(
    host,
    `cd /; read -r password
     for i in $(seq 60); do if runuser -u postgres -- pg_isready -q -h ${host.address}; then break; fi; sleep 1; done
     runuser -u postgres -- psql -q -v ON_ERROR_STOP=1 <<< "SET password_encryption = 'scram-sha-256'; CREATE ROLE pulumi LOGIN PASSWORD '$password';"
     runuser -u postgres -- createdb -O pulumi pulumi`,
    `${password}\n`,
  );
  return { url: `postgres://pulumi@${host.address}:5432/pulumi?sslmode=disable`, env: { PGPASSWORD: password } };
}
