import { writeFileSync } from "node:fs";
import { documented, made } from "./files";

/** `npm run proofs`: writes the table of lab/README.md from the names of the lab's tests. */
writeFileSync(documented, made());
