export interface Sample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

const metricName = /^[a-zA-Z_:][a-zA-Z0-9_:]*$/;
const labelName = /^(?!__)[a-zA-Z_][a-zA-Z0-9_]*$/;
const types = ["counter", "gauge", "histogram", "summary", "untyped"];

/**
 * Parses Prometheus' text format, version 0.0.4 (prometheus.io/docs/instrumenting/exposition_formats), as strictly as
 * promtool and node_exporter's textfile collector together: HELP and TYPE once and before a metric's samples, the lines
 * of a metric in one group, no series twice, no times, each line ended. @throws with the line that breaks a rule
 */
export function parseExposition(text: string): Sample[] {
  if (!text.endsWith("\n")) throw new Error("the last line is not ended");
  const samples: Sample[] = [];
  const helped: string[] = [];
  const typed: string[] = [];
  const groups: string[] = [];
  const series = new Set<string>();
  const enter = (name: string, line: string) => {
    if (groups.at(-1) === name) return;
    if (groups.includes(name)) throw new Error(`a metric in two groups: ${line}`);
    groups.push(name);
  };
  for (const line of text.slice(0, -1).split("\n")) {
    const [, comment, about = "", rest = ""] = /^# (HELP|TYPE) (\S+) (\S.*)$/.exec(line) ?? [];
    if (comment !== undefined) {
      if (!metricName.test(about)) throw new Error(`a wrong name: ${line}`);
      const before = comment === "HELP" ? helped : typed;
      if (before.includes(about)) throw new Error(`${comment} twice: ${line}`);
      if (samples.some(({ name }) => name === about)) throw new Error(`${comment} after a sample: ${line}`);
      if (comment === "TYPE" && !types.includes(rest)) throw new Error(`a wrong type: ${line}`);
      if (comment === "HELP" && /\\(?![\\n])/.test(rest)) throw new Error(`a wrong escape: ${line}`);
      before.push(about);
      enter(about, line);
      continue;
    }
    const sample = parseSample(line);
    for (const before of [helped, typed])
      if (!before.includes(sample.name)) throw new Error(`neither HELP nor TYPE: ${line}`);
    enter(sample.name, line);
    const key = JSON.stringify([sample.name, Object.entries(sample.labels).sort()]);
    if (series.has(key)) throw new Error(`a series twice: ${line}`);
    series.add(key);
    samples.push(sample);
  }
  return samples;
}

function parseSample(line: string): Sample {
  const [, name = "", block, value = ""] = /^([^{\s]+)(\{.*\})? (\S+)$/.exec(line) ?? [];
  if (!metricName.test(name)) throw new Error(`no sample: ${line}`);
  if (!/^([+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?|[+-]Inf|NaN)$/i.test(value)) throw new Error(`no number: ${line}`);
  const labels: Record<string, string> = {};
  let left = block?.slice(1, -1) ?? "";
  while (left !== "") {
    const [whole = "", label = "", quoted = ""] = /^([^=]+)="((?:[^"\\\n]|\\["\\n])*)"(?:,|$)/.exec(left) ?? [];
    if (!labelName.test(label) || Object.hasOwn(labels, label)) throw new Error(`a wrong label: ${line}`);
    labels[label] = quoted.replace(/\\(.)/g, (_, escaped: string) => (escaped === "n" ? "\n" : escaped));
    left = left.slice(whole.length);
  }
  return { name, labels, value: Number(value.replace("Inf", "Infinity")) };
}
