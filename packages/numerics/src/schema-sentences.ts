import type * as z from 'zod';

type Raw = z.core.$ZodIssue;

/** Whether a message is the default of the schema library, rather than a custom one. */
export const isOfZod = ({ message }: Raw): boolean =>
  /^(?:Invalid |Too (?:small|big)|Unrecognized key)/u.test(message);

const longest = 40;

/** Short description of a value; for nested or long values only the kind. */
function named(value: unknown): string {
  if (typeof value === 'string')
    return value.length <= longest ? `'${value}'` : `a text of ${value.length} characters`;
  if (Array.isArray(value)) return value.length === 0 ? 'an empty list' : 'a list';
  if (typeof value === 'object' && value !== null) return 'an object';
  return typeof value === 'function' ? 'a function' : String(value);
}

/** Names in quotes, for messages. */
export const quoted = (names: readonly string[]): string => names.map((name) => `'${name}'`).join(', ');

/** Message with a value and its rule. */
export const mustBe = (value: unknown, rule: string): string =>
  value === undefined ? `is missing; it must be ${rule}` : `is ${named(value)}; it must be ${rule}`;

const types: Readonly<Record<string, string>> = {
  string: 'a text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  tuple: 'a list',
  object: 'an object',
  record: 'an object',
  null: 'null',
  undefined: 'left out',
  never: 'left out',
  nonoptional: 'given',
  function: 'a function',
};
const literal = (value: unknown): string => (typeof value === 'string' ? `'${value}'` : String(value));
const oneOf = (values: readonly unknown[]): string =>
  values.length < 2
    ? values.map(literal).join('')
    : `${values.slice(0, -1).map(literal).join(', ')} or ${literal(values.at(-1))}`;
const units: Readonly<Record<string, readonly [string, string]>> = {
  string: ['character', 'characters'],
  array: ['entry', 'entries'],
  set: ['entry', 'entries'],
  map: ['entry', 'entries'],
  object: ['key', 'keys'],
  record: ['key', 'keys'],
};

function bound(origin: string, words: string, limit: number | bigint): string {
  const unit = units[origin];
  return unit === undefined
    ? `${words} ${limit}`
    : `${types[origin] ?? 'a list'} with ${words} ${limit} ${limit === 1 ? unit[0] : unit[1]}`;
}

/** The rule of an issue, as the end of "it must be …". */
export function ruleOf(issue: Raw): string {
  switch (issue.code) {
    case 'invalid_type':
      return types[issue.expected] ?? `of type ${issue.expected}`;
    case 'invalid_value':
      return oneOf(issue.values);
    case 'too_small': {
      const chosenOf = () => {
        if (issue.exact === true) return 'exactly';
        return issue.inclusive === false ? 'above' : 'at least';
      };
      return bound(issue.origin, chosenOf(), issue.minimum);
    }
    case 'too_big': {
      const chosenHere = () => {
        if (issue.exact === true) return 'exactly';
        return issue.inclusive === false ? 'below' : 'at most';
      };
      return bound(issue.origin, chosenHere(), issue.maximum);
    }
    case 'not_multiple_of':
      return `a multiple of ${issue.divisor}`;
    case 'invalid_format':
      return issue.pattern === undefined
        ? `a text of the form ${issue.format}`
        : `a text that matches ${issue.pattern}`;
    case 'invalid_union':
      return issue.errors.length === 0 && issue.discriminator !== undefined
        ? discriminators(issue)
        : 'one of the allowed forms';
    default:
      return 'another value';
  }
}

const discriminators = ({
  options,
  discriminator,
}: {
  readonly options?: readonly unknown[] | undefined;
  readonly discriminator?: string | undefined;
}): string =>
  options === undefined || options.length === 0 ? `a known ${discriminator ?? 'kind'}` : oneOf(options);

/** One issue as a sentence about the value. */
export const sentence = (issue: Raw, value: unknown): string => mustBe(value, ruleOf(issue));
