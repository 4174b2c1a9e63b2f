import { invalidInput } from "./apiError";
import { type Answer, ok } from "./http";
import { type Labels, labelSelector } from "./labelSelector";

const DEFAULT_PER_PAGE = 25;
const MAX_PER_PAGE = 50;

interface Listed {
  readonly id: number;
  readonly name?: string;
  readonly labels?: Labels;
  readonly created?: string;
}

/** One page of a list, after the filters that every list has: name, label_selector, sort. */
export function listing<T extends Listed>(key: string, all: readonly T[], query: URLSearchParams): Answer {
  let found = [...all];
  const name = query.get("name");
  if (name !== null) found = found.filter((item) => item.name === name);
  const selector = query.get("label_selector");
  if (selector) {
    const selects = labelSelector(selector);
    found = found.filter((item) => selects(item.labels ?? {}));
  }
  found.sort(order(query.getAll("sort")));

  const perPage = Math.min(positive(query, "per_page", DEFAULT_PER_PAGE), MAX_PER_PAGE);
  const page = positive(query, "page", 1);
  const last = Math.max(1, Math.ceil(found.length / perPage));
  const pagination = {
    page,
    per_page: perPage,
    previous_page: page > 1 ? page - 1 : null,
    next_page: page < last ? page + 1 : null,
    last_page: last,
    total_entries: found.length,
  };
  return ok({ [key]: found.slice((page - 1) * perPage, page * perPage), meta: { pagination } });
}

function positive(query: URLSearchParams, key: string, fallback: number): number {
  const value = Number(query.get(key) ?? fallback);
  if (!Number.isInteger(value) || value < 1) throw invalidInput(key, "must be a positive integer");
  return value;
}

function order(sorts: readonly string[]): (a: Listed, b: Listed) => number {
  const keys = (sorts.length > 0 ? sorts : ["id"]).map((sort) => {
    const [key = "id", direction = "asc"] = sort.split(":");
    return { key, sign: direction === "desc" ? -1 : 1 };
  });
  return (a, b) => {
    for (const { key, sign } of keys) {
      const [left, right] = [a[key as keyof Listed] ?? "", b[key as keyof Listed] ?? ""];
      if (left !== right) return left < right ? -sign : sign;
    }
    return 0;
  };
}
