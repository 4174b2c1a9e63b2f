import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { demoPicture } from "./picture";

/** `npm run -s demo | tee demo.log && npm run picture < demo.log`: draws README's picture from the output of a demo. */
writeFileSync(join(import.meta.dirname, "../../docs/journey.svg"), demoPicture(readFileSync(0, "utf8")));
