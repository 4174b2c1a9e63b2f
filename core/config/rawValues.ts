export type Raw = Readonly<Record<string, unknown>>;

type Path = readonly PropertyKey[];

const isBlock = (value: unknown): value is Raw => typeof value === "object" && value !== null && !Array.isArray(value);

export function findValue(raw: unknown, path: Path): unknown {
  return path.reduce<unknown>((value, step) => {
    if (Array.isArray(value)) return (value as unknown[])[Number(step)];
    return isBlock(value) ? value[String(step)] : undefined;
  }, raw);
}

/** Returns a copy with another value at the path. Creates missing blocks; `undefined` removes the key. */
export function setValue(raw: Raw, [step = "", ...below]: Path, value: unknown): Raw {
  const name = String(step);
  const { [name]: inner, ...others } = raw;
  const now = below.length === 0 ? value : setElement(inner, below, value);
  return now === undefined ? others : { ...raw, [name]: now };
}

function setElement(inner: unknown, path: Path, value: unknown): unknown {
  if (!Array.isArray(inner)) return setValue(isBlock(inner) ? inner : {}, path, value);
  const [step, ...below] = path;
  const elements = (inner as unknown[]).map((one, i) => {
    if (i !== Number(step)) return one;
    return below.length === 0 ? value : setElement(one, below, value);
  });
  return elements.filter((one) => one !== undefined);
}
