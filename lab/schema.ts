import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { stackFileSchema } from "../components/stackFileSchema";

/** `npm run schema`: writes the JSON schema of a stack's file, for editors. */
writeFileSync(
  join(import.meta.dirname, "../stack.schema.json"),
  `${JSON.stringify(stackFileSchema(), undefined, 2)}\n`,
);
