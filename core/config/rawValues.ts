export type Raw = Readonly<Record<string, unknown>>;

export function findValue(raw: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>((value, step) => (value as Raw | null | undefined)?.[String(step)], raw);
}

export function setValue(raw: Raw, [step = "", ...below]: readonly string[], value: unknown): Raw {
  return { ...raw, [step]: below.length === 0 ? value : setValue((raw[step] ?? {}) as Raw, below, value) };
}
