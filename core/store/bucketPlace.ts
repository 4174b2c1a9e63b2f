import { createOperatorError } from "../util/operatorError";

export interface BucketPlace {
  readonly bucket: string;
  /** Prefix of all keys, with a slash at its end. */
  readonly prefix: string;
  readonly endpoint?: string | undefined;
  readonly region?: string | undefined;
  readonly profile?: string | undefined;
  readonly pathStyle: boolean;
  /** Address for the operator. */
  readonly address: string;
}

const scheme = "s3://";
const parameters = ["endpoint", "region", "profile", "s3ForcePathStyle", "use_path_style"];

export function isBucket(configured: string): boolean {
  return configured.startsWith(scheme);
}

/** Formats the address of a Pillar's part of a bucket, as an input of a resource. */
export function formatBucketPlace(address: string, pillar: string): string {
  return `${address}#${pillar}`;
}

export function parseBucketPillar(configured: string): string | undefined {
  return configured.split("#")[1] || undefined;
}

/** Checks the address of a bucket; returns the problem in the operator's words. */
export function findBucketProblem(address: string): string | undefined {
  const form = "needed s3://BUCKET?region=REGION, or with an endpoint, as Pulumi's backend has it (docs/unattended.md)";
  if (!isBucket(address) || !URL.canParse(address)) return form;
  const { username, password, hash, hostname, searchParams } = new URL(address);
  // The address is never quoted: it may hold a secret.
  if (username !== "" || password !== "")
    return "must not hold credentials: they are found as AWS tools find them (AWS_PROFILE, AWS_ACCESS_KEY_ID …)";
  if (!/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/.test(hostname) || hash !== "") return form;
  const unknown = [...searchParams.keys()].find((key) => !parameters.includes(key));
  if (unknown !== undefined) return `knows no ${unknown}: it takes ${parameters.join(", ")}`;
  const endpoint = searchParams.get("endpoint");
  if (endpoint === null) return undefined;
  const url = URL.canParse(endpoint) ? new URL(endpoint) : undefined;
  const isPlain = url && /^https?:$/.test(url.protocol) && url.username === "" && url.password === "";
  return isPlain ? undefined : "needed an endpoint such as https://s3.example.net, without user and password";
}

/** Parses a Pillar's part of a bucket. @throws in the operator's words */
export function parseBucketPlace(configured: string): BucketPlace {
  const [address = "", pillar = ""] = configured.split("#");
  const fault = findBucketProblem(address) ?? (pillar === "" ? "needed #PILLAR at its end" : undefined);
  if (fault !== undefined)
    throw createOperatorError(`the bucket of the event log can't be used: pillar-host:store ${fault}`);
  const { hostname: bucket, pathname, searchParams } = new URL(address);
  const folders = pathname.split("/").filter((part) => part !== "");
  const prefix = `${[...folders, "pillar-host", pillar].join("/")}/`;
  const parameter = (key: string) => searchParams.get(key) ?? undefined;
  const [endpoint, region, profile] = ["endpoint", "region", "profile"].map(parameter);
  return {
    bucket,
    prefix,
    address: `${scheme}${bucket}/${prefix}`,
    endpoint,
    // Providers other than Amazon accept any region.
    region: region ?? (endpoint === undefined ? undefined : "us-east-1"),
    profile,
    pathStyle: parameter("s3ForcePathStyle") === "true" || parameter("use_path_style") === "true",
  };
}
