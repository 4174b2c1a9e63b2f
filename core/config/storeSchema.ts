import { z } from "zod";
import { findBucketProblem } from "../store/bucketPlace";

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
