import { z } from "zod";
import { findBucketProblem } from "../store/bucketPlace";
import type { SchemaFault } from "./configFaults";

export const storeSchema = z
  .string()
  .superRefine((address, context) => {
    const message = findBucketProblem(address);
    if (message !== undefined) context.addIssue({ code: "custom", message });
  })
  .optional()
  .meta({
    description:
      "A bucket that keeps event log and backups, so that more than one machine knows them. Its credentials are found as AWS " +
      "tools find them",
    form: "address of a bucket, as `s3://BUCKET?region=REGION`",
    otherwise: "a directory of this machine",
    see: "unattended.md#records-in-a-bucket",
  });

export function storeFaults({
  store,
  orchestrator,
}: {
  readonly store?: string | undefined;
  readonly orchestrator: { readonly backup: { readonly directory?: string | undefined } };
}): SchemaFault[] {
  if (store === undefined || orchestrator.backup.directory === undefined) return [];
  return [[["store"], "is a place for what orchestrator.backup.directory has already: needed one of both"]];
}
