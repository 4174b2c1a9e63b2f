import { type Answer, ok } from "../api/http";

export type Labels = Readonly<Record<string, string>>;

interface Listed {
  readonly id: number;
  readonly name?: string;
  readonly labels?: Labels;
}

/** Answers with a list, which fits on its first page. Applies the filters that all lists have: the name, and labels with a value. */
export function listing<T extends Listed>(key: string, all: readonly T[], query: URLSearchParams): Answer {
  const name = query.get("name");
  const labels = (query.get("label_selector") || undefined)?.split(",").map((label) => label.split("="));
  const found = all.filter(
    (item) =>
      (name === null || item.name === name) &&
      (labels ?? []).every(([label = "", value]) => item.labels?.[label] === value),
  );
  const pagination = { page: 1, per_page: 50, next_page: null, last_page: 1 };
  return ok({ [key]: found, meta: { pagination } });
}
