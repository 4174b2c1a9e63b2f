import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { withTables } from "./configTables.ts";
import { stackFileSchema } from "./stackFileSchema.ts";

/** `npm run schema`: makes from the configuration's schema the one that editors read, and the lists of its keys. */
const root = join(import.meta.dirname, "../..");
writeFileSync(join(root, "docs/stack.schema.json"), `${JSON.stringify(stackFileSchema(), undefined, 2)}\n`);
const documentation = join(root, "docs/configuration.md");
writeFileSync(documentation, withTables(readFileSync(documentation, "utf8")));
