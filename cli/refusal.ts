/** Why the tool ends without having done its work; for the operator, so it is shown without a stack trace. */
export class CliRefusal extends Error {}

/** The exit code of a refusal, and of an unusable command line. */
export const couldNot = 2;
