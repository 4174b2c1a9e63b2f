import ms from "ms";
import { z } from "zod";

/** Parses a duration such as `90s`, `30m`, `12h` or `7d` into milliseconds. */
export const duration = (atLeast: string) =>
  z
    .string()
    .transform((text, context) => {
      // Requires a unit: ms() would take a bare number for milliseconds, which nobody means.
      const value = /^\d.*[a-z]$/i.test(text) ? (ms(text as ms.StringValue) as number | undefined) : undefined;
      if (value === undefined || value < ms(atLeast as ms.StringValue)) {
        context.addIssue({
          code: "custom",
          message: `found ${text}, needed a duration of at least ${atLeast}, such as 90s, 12h or 7d`,
        });
        return z.NEVER;
      }
      return value;
    })
    .meta({ form: `duration of at least ${atLeast}` });
