import { expect, test } from "vitest";
import { checkStackName } from "../../../cli/pulumi/stackName.ts";
import { ProblemError } from "../../../core/util/problem.ts";

test.each(["", ".", "..", "a b", "organization/pillar-host/..", "ä", "a:b", "a".repeat(101)])(
  "refuses %j as a new stack's name",
  (name) => {
    expect(() => checkStackName(name)).toThrow(ProblemError);
  },
);

test.each(["prod", "prod-2", "organization/pillar-host/Prod.EU-1", ".x", "a".repeat(100)])("accepts %j", (name) => {
  expect(() => checkStackName(name)).not.toThrow();
});
