import { z } from "zod";

/** A spork with the fields of embedded.spork.getAll, in the same order. */
const sporkSchema = z.strictObject({
  id: z.string().regex(/^[0-9a-f]{64}$/, "is no hash"),
  name: z.string(),
  description: z.string().default(""),
  activated: z.boolean().default(false),
  enforcementHeight: z.number().int().nonnegative().default(0),
});

export const sporksSchema = z.strictObject({ list: z.array(sporkSchema) });

export type Spork = z.infer<typeof sporkSchema>;
/** A spork as a test sets it: most fields have defaults. */
export type SporkGiven = z.input<typeof sporkSchema>;

const enforced = (id: string, name: string): Spork => ({
  id,
  name,
  description: name,
  activated: true,
  enforcementHeight: 0,
});

/** The network's sporks in 2026. */
export const usualSporks: readonly Spork[] = [
  enforced("6d2b1e6cb4025f2f45533f0fe22e9b7ce2014d91cc960471045fa64eee5a6ba3", "spork-accelerator"),
  enforced("ceb7e3808ef17ea910adda2f3ab547be4cdfb54de8400ce3683258d06be1354b", "spork-htlc"),
  enforced("ddd43466769461c5b5d109c639da0f50a7eeb96ad6e7274b1928a35c431d7b1b", "spork-bridge"),
];
