import { InvalidParameter } from '@lethe/core';

/** A call such as `f(1, x=[2, 3])`, as Python prints objects: positional arguments, then named ones. */
export interface Call {
  /** Without the name of its module. */
  readonly name: string;
  readonly positional: readonly PythonValue[];
  readonly named: Readonly<Record<string, PythonValue>>;
}
/** What an argument may be. A tuple is read as a list. */
export type PythonValue = number | string | boolean | null | Call | readonly PythonValue[];

const token =
  /\s*(?:(?<number>[+-]?(?:\d[\d_]*\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)|(?<name>[A-Za-z_][\w.]*)|(?<text>'[^']*'|"[^"]*")|(?<mark>[()[\],=]))/uy;
const constants: ReadonlyMap<string, PythonValue> = new Map<string, PythonValue>([
  ['None', null],
  ['True', true],
  ['False', false],
  ['inf', Infinity],
  ['math.inf', Infinity],
]);

interface Token {
  readonly kind: string;
  readonly text: string;
}

/** A name that is called or stands before `=` loses its modules. */
const unqualified = (name: string): string => name.slice(name.lastIndexOf('.') + 1);

/**
 * Reads one Python expression of calls, lists, tuples, numbers, texts and constants. Nothing is evaluated.
 *
 * @param what - Names the text in messages.
 * @throws {InvalidParameter} with the place, when the text is anything else.
 */
export function readCalls(text: string, what: string): PythonValue {
  const tokens = tokensOf(text, what);
  let at = 0;
  const peek = (): string | undefined => tokens[at]?.text;
  const fail = (wanted: string): never => {
    throw new InvalidParameter(
      `${what} has ${peek() === undefined ? 'its end' : `'${String(peek())}'`} where ${wanted} is due`,
      { what },
    );
  };
  const take = (mark: string): void => {
    if (peek() !== mark) fail(`'${mark}'`);
    at += 1;
  };
  /** Items up to `end`, separated by commas; the last may have one behind it. */
  const listUpTo = (end: string, item: () => void): void => {
    while (peek() !== end) {
      item();
      if (peek() !== end) take(',');
    }
    take(end);
  };
  const sequence = (end: string): readonly PythonValue[] => {
    const values: PythonValue[] = [];
    listUpTo(end, () => values.push(value()));
    return values;
  };
  const call = (name: string): Call => {
    const positional: PythonValue[] = [];
    const named: Record<string, PythonValue> = {};
    listUpTo(')', () => {
      const isNamed = tokens[at]?.kind === 'name' && tokens[at + 1]?.text === '=';
      if (!isNamed) {
        positional.push(value());
        return;
      }
      const key = tokens[at].text;
      at += 2;
      named[key] = value();
    });
    return { name: unqualified(name), positional, named };
  };
  const value = (): PythonValue => {
    const found = at < tokens.length ? tokens[at] : fail('a value');
    at += 1;
    if (found.kind === 'number') return Number(found.text.replaceAll('_', ''));
    if (found.kind === 'text') return found.text.slice(1, -1);
    if (found.text === '[') return sequence(']');
    if (found.text === '(') return sequence(')');
    if (found.kind === 'name') {
      const constant = constants.get(found.text);
      if (constant !== undefined) return constant;
      if (peek() === '(') {
        at += 1;
        return call(found.text);
      }
    }
    at -= 1;
    return fail('a number, a list or a call');
  };
  const whole = value();
  if (at < tokens.length) fail('its end');
  return whole;
}

function tokensOf(text: string, what: string): readonly Token[] {
  const tokens: Token[] = [];
  const end = text.trimEnd().length;
  for (let at = 0; at < end;) {
    token.lastIndex = at;
    const groups = token.exec(text)?.groups;
    const [kind, found] = Object.entries(groups ?? {}).find(([, part]) => part !== undefined) ?? [];
    if (kind === undefined || found === undefined)
      throw new InvalidParameter(
        `${what} cannot be read at '${text.slice(at, at + 20).trim()}': it is no expression of calls, ` +
          'lists and numbers',
        { what, at },
      );
    tokens.push({ kind, text: found });
    at = token.lastIndex;
  }
  return tokens;
}
