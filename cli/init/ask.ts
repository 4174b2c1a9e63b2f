import { ProblemError } from "../../core/util/problem.ts";
import { askText } from "../terminal/prompts.ts";
import { answerSchemas, createValidator } from "./checkAnswers.ts";

export const ask = (name: keyof typeof answerSchemas, message: string, instead: string, usual?: string) =>
  askText(message, { instead, default: usual, validate: createValidator(answerSchemas[name]) });

/** Tries an answer. After a typed one that fails, asks for another one, to keep the other answers. No answer: undefined. */
export async function askUntilGood<T>(
  given: string | undefined,
  askAnswer: () => Promise<string>,
  tryAnswer: (answer: string) => Promise<T>,
): Promise<T | undefined> {
  for (;;) {
    const answer = given ?? (await askAnswer());
    if (answer === "" || answer === "none") return undefined;
    try {
      return await tryAnswer(answer);
    } catch (error) {
      if (given !== undefined || !(error instanceof ProblemError)) throw error;
      console.error(error.message);
    }
  }
}
