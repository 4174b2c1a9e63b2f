import { parse } from "yaml";
import { z } from "zod";
import { extractRawConfig, parseConfig, type Raw, setValue } from "../../core/config/config.ts";
import { network } from "../../core/config/hostSchema.ts";
import { nodeRelease } from "../../core/config/nodeSchema.ts";
import { address, hostKey, port, rpcUrl, word } from "../../core/config/schemaParts.ts";
import { stackSchema } from "../../core/config/stackSchema.ts";
import { ProblemError } from "../../core/util/problem.ts";
import type { Secret } from "./stackSecrets.ts";

export const answerSchemas = {
  pillar: stackSchema.shape.pillar.shape.name,
  address,
  destination: z
    .string()
    .regex(
      /^([A-Za-z0-9_][\w.-]*@)?[A-Za-z0-9_:][\w.:-]*$/,
      "needed an IP address, a host name, or a name of ~/.ssh/config; user@ before it gives the user",
    ),
  hostKey,
  network,
  user: word,
  port,
  nodeRelease: nodeRelease.unwrap().shape.url,
  nodeReleaseSha256: nodeRelease.unwrap().shape.sha256,
  nodeReleaseVersion: nodeRelease.unwrap().shape.version,
  references: z.array(rpcUrl).min(1, "needed at least one witness of the chain"),
};

export function createValidator(schema: z.ZodType): (answer: unknown) => true | string {
  return (answer) => {
    const { success, error } = schema.safeParse(answer);
    return success ? true : (error.issues[0]?.message ?? "not a valid answer");
  };
}

/** Checks answers, each under its flag or name. @throws Refusal that names every problem */
export function refuseBadAnswers(
  command: string,
  answers: readonly (readonly [name: string, z.ZodType, unknown])[],
): void {
  const faults = answers.flatMap(([name, schema, answer]) => {
    const said = answer === undefined ? true : createValidator(schema)(answer);
    return said === true ? [] : [`${name}: ${said}`];
  });
  refuseProblems(command, faults);
}

export function refuseProblems(command: string, faults: readonly string[]): void {
  if (faults.length === 0) return;
  const lines = faults.map((fault) => `  - ${fault}`);
  throw new ProblemError({
    what: [`pillar-host ${command} can't use these answers; nothing was written`, ...lines].join("\n"),
  });
}

/** Checks a stack's file together with the secrets; the private key's pass phrase may be missing. */
export function checkStackFile(stack: string, text: string, secrets: readonly Secret[]): string[] {
  const { config } = parse(text) as { config: Raw };
  const { raw } = extractRawConfig(config);
  const whole = secrets.reduce((all, [path, value]) => setValue(all, path.split("."), value), raw);
  const result = parseConfig(whole, stack, ["ssh.privateKeyPassword"]);
  return "faults" in result ? result.faults : [];
}
