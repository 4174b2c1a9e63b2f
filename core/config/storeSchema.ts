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
      "A bucket for event log and backups, so that several machines share them. Its credentials are found as AWS tools find them",
    form: "address of a bucket, as `s3://BUCKET?region=REGION`",
    otherwise: "a directory on this machine",
    see: "unattended.md#records-in-a-bucket",
  });

export function findStoreFaults({
  store,
  orchestrator,
}: {
  readonly store?: string | undefined;
  readonly orchestrator: { readonly backup: { readonly directory?: string | undefined } };
}): SchemaFault[] {
  if (store === undefined || orchestrator.backup.directory === undefined) return [];
  return [[["store"], "found orchestrator.backup.directory, too, for the same files: needed one of the two"]];
}
