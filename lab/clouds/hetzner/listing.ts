import { type Answer, ok } from "./http";

const DEFAULT_PER_PAGE = 25;

export type Labels = Readonly<Record<string, string>>;

interface Listed {
  readonly id: number;
  readonly name?: string;
  readonly labels?: Labels;
}

/** Answers with one page of a list. Applies the filters that all lists have: the name, and labels with a value. */
export function listing<T extends Listed>(key: string, all: readonly T[], query: URLSearchParams): Answer {
  const name = query.get("name");
  const labels = (query.get("label_selector") || undefined)?.split(",").map((label) => label.split("="));
  const found = all.filter(
    (item) =>
      (name === null || item.name === name) &&
      (labels ?? []).every(([label = "", value]) => item.labels?.[label] === value),
  );
  const [page, perPage] = [Number(query.get("page") ?? 1), Number(query.get("per_page") ?? DEFAULT_PER_PAGE)];
  const last = Math.max(1, Math.ceil(found.length / perPage));
  const pagination = { page, per_page: perPage, next_page: page < last ? page + 1 : null, last_page: last };
  return ok({ [key]: found.slice((page - 1) * perPage, page * perPage), meta: { pagination } });
}
