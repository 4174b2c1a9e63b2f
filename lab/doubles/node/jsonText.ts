/** Returns the first JSON value of a text, or undefined if the text is blank. Throws on broken JSON. */
export function firstValue(text: string): string | undefined {
  const start = skipSpace(text, 0);
  if (start === text.length) return undefined;
  const value = text.slice(start, endOf(text, start));
  JSON.parse(value);
  return value;
}

/**
 * Returns the members of a JSON object with their values as written, byte for byte. If a name repeats, the last one
 * wins.
 */
export function rawMembers(object: string): Map<string, string> {
  const members = new Map<string, string>();
  eachPart(object, (at) => {
    const nameEnd = endOf(object, at);
    const valueStart = skipSpace(object, skipSpace(object, nameEnd) + 1);
    const valueEnd = endOf(object, valueStart);
    members.set(JSON.parse(object.slice(at, nameEnd)) as string, object.slice(valueStart, valueEnd));
    return valueEnd;
  });
  return members;
}

/** Returns the elements of a JSON array as written. */
export function rawElements(array: string): string[] {
  const elements: string[] = [];
  eachPart(array, (at) => {
    const end = endOf(array, at);
    elements.push(array.slice(at, end));
    return end;
  });
  return elements;
}

function eachPart(text: string, take: (at: number) => number): void {
  let at = skipSpace(text, 1);
  while (text[at] !== "}" && text[at] !== "]") {
    at = skipSpace(text, take(at));
    if (text[at] === ",") at = skipSpace(text, at + 1);
  }
}

function endOf(text: string, start: number): number {
  const first = text[start];
  if (first === '"') return stringEnd(text, start);
  if (first !== "{" && first !== "[") {
    let at = start;
    while (at < text.length && !/[\s,\]}]/.test(text.charAt(at))) at++;
    return at;
  }
  let depth = 0;
  for (let at = start; at < text.length; at++) {
    const character = text[at];
    if (character === '"') at = stringEnd(text, at) - 1;
    else if (character === "{" || character === "[") depth++;
    else if ((character === "}" || character === "]") && --depth === 0) return at + 1;
  }
  throw new SyntaxError("unexpected end of JSON input");
}

function stringEnd(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at++) {
    if (text[at] === "\\") at++;
    else if (text[at] === '"') return at + 1;
  }
  throw new SyntaxError("unexpected end of JSON input");
}

function skipSpace(text: string, start: number): number {
  let at = start;
  while (at < text.length && " \t\r\n".includes(text.charAt(at))) at++;
  return at;
}
