import { ProblemError } from "../util/problem.ts";

export type BucketAddress = ReturnType<typeof parseBucketAddress>;

const parameters = ["endpoint", "region", "profile", "s3ForcePathStyle", "use_path_style"];

export function isBucket(configured: string): boolean {
  return configured.startsWith("s3://");
}

/** Formats the address of a Pillar's part of a bucket, as an input of a resource. */
export function formatBucketAddress(address: string, pillar: string): string {
  return `${address}#${pillar}`;
}

export function parseBucketPillar(configured: string): string | undefined {
  return configured.split("#")[1] || undefined;
}

/** Checks the address of a bucket. Returns the problem in the operator's words, without the address and its secrets. */
export function findBucketProblem(address: string): string | undefined {
  const form = "needed s3://BUCKET?region=REGION, or with an endpoint, as Pulumi's backend has it (docs/unattended.md)";
  if (!isBucket(address) || !URL.canParse(address)) return form;
  const { username, password, hash, hostname, searchParams } = new URL(address);
  if (username !== "" || password !== "")
    return "must not hold credentials: they are found as AWS tools find them (AWS_PROFILE, AWS_ACCESS_KEY_ID …)";
  if (!/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/.test(hostname) || hash !== "") return form;
  const unknown = [...searchParams.keys()].find((key) => !parameters.includes(key));
  if (unknown !== undefined) return `knows no ${unknown}: it takes ${parameters.join(", ")}`;
  const endpoint = searchParams.get("endpoint");
  if (endpoint === null || (URL.canParse(endpoint) && /^https?:\/\/[^@]+$/.test(endpoint))) return undefined;
  return "needed an endpoint such as https://s3.example.net, without user and password";
}

/** Parses a Pillar's part of a bucket. @throws in the operator's words */
export function parseBucketAddress(configured: string) {
  const [address = "", pillar = ""] = configured.split("#");
  const fault = findBucketProblem(address) ?? (pillar === "" ? "needed #PILLAR at its end" : undefined);
  if (fault !== undefined)
    throw new ProblemError({ what: `the bucket of the event log can't be used: pillar-host:store ${fault}` });
  const { hostname: bucket, pathname, searchParams } = new URL(address);
  const folders = pathname.split("/").filter((part) => part !== "");
  const prefix = `${[...folders, "pillar-host", pillar].join("/")}/`;
  const { endpoint, region, profile, s3ForcePathStyle, use_path_style } = Object.fromEntries(searchParams);
  return {
    bucket,
    /** Prefix of all keys, with a slash at its end. */
    prefix,
    /** Address for the operator. */
    address: `s3://${bucket}/${prefix}`,
    client: {
      endpoint,
      // Providers other than Amazon accept any region.
      region: region ?? (endpoint === undefined ? undefined : "us-east-1"),
      profile,
      forcePathStyle: s3ForcePathStyle === "true" || use_path_style === "true",
    },
  };
}
