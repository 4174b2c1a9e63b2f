import { ProblemError } from "./problem.ts";

/**
 * Awaits an import whose package may be missing: an operator without a cloud provider and without a bucket need not
 * install it. @throws with the command that installs it
 */
export async function loadOptional<T>(loading: Promise<T>): Promise<T> {
  try {
    return await loading;
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const [, name] = /^Cannot find package '([^']+)'/.exec(message) ?? [];
    if (code !== "ERR_MODULE_NOT_FOUND" || name === undefined) throw error;
    throw new ProblemError({
      what: `this stack needs the package ${name}, which is not installed; nothing was changed`,
      needed: "install the packages for cloud providers and buckets too, in the program's directory:",
      next: ["  npm ci --omit=dev --ignore-scripts", "Then run the same command again."],
    });
  }
}
