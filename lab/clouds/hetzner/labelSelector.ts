import { invalidInput } from "./apiError";

/** Labels of a resource. */
export type Labels = Readonly<Record<string, string>>;

const KEY = "[A-Za-z0-9]([A-Za-z0-9_./-]*[A-Za-z0-9])?";
const VALUE = "([A-Za-z0-9]([A-Za-z0-9_.-]*[A-Za-z0-9])?)?";
type Groups = Readonly<Record<string, string>>;

const terms: readonly [RegExp, (groups: Groups, labels: Labels) => boolean][] = [
  [
    new RegExp(`^(?<key>${KEY})\\s+(?<not>not)?in\\s+\\((?<values>[^()]*)\\)$`),
    ({ key = "", not, values = "" }, labels) => {
      const wanted = values.split(",").map((value) => value.trim());
      return (labels[key] !== undefined && wanted.includes(labels[key])) === (not === undefined);
    },
  ],
  [
    new RegExp(`^(?<key>${KEY})\\s*(?<operator>==?|!=)\\s*(?<value>${VALUE})$`),
    ({ key = "", operator, value }, labels) => (labels[key] === value) === (operator !== "!="),
  ],
  [new RegExp(`^!(?<key>${KEY})$`), ({ key = "" }, labels) => labels[key] === undefined],
  [new RegExp(`^(?<key>${KEY})$`), ({ key = "" }, labels) => labels[key] !== undefined],
];

/** Whether labels fulfil a selector such as `stack=prod,!old,tier in (a,b)`; a malformed one is refused. */
export function labelSelector(selector: string): (labels: Labels) => boolean {
  const tests = selector.split(/,(?![^(]*\))/).map((part) => {
    for (const [pattern, test] of terms) {
      const groups = pattern.exec(part.trim())?.groups;
      if (groups) return (labels: Labels) => test(groups, labels);
    }
    throw invalidInput("label_selector", "Label selector is invalid");
  });
  return (labels) => tests.every((test) => test(labels));
}

const validKey = /^([A-Za-z0-9.-]{1,253}\/)?[A-Za-z0-9]([A-Za-z0-9_.-]{0,61}[A-Za-z0-9])?$/;
const validValue = new RegExp(`^${VALUE}$`);

/** Whether the API takes these labels. */
export function areLabels(labels: Labels): boolean {
  return Object.entries(labels).every(
    ([key, value]) => validKey.test(key) && value.length <= 63 && validValue.test(value),
  );
}
