import type * as z from 'zod';
import { nearestName } from './nearest-name.js';
import { isOfZod, mustBe, quoted, ruleOf, sentence } from './schema-sentences.js';
import { defined } from './defined.js';

/** One invalid part of a value: path and message. */
export interface Issue {
  readonly path: readonly string[];
  readonly message: string;
  /** The unknown keys at this place, where it is about some. */
  readonly keys?: readonly string[];
}

type Raw = z.core.$ZodIssue;

/**
 * Schema issues as readable messages: value, rule and fix. In a union, only the issues of the alternative
 * that matches best; the union's own message where none does.
 */
export function explained(issues: readonly Raw[], schema: Schema, given: unknown): readonly Issue[] {
  return issues.flatMap((issue) => {
    const path = issue.path.map(String);
    if (!isOfZod(issue) && issue.code !== 'invalid_union') return [{ path, message: issue.message }];
    if (issue.code === 'unrecognized_keys') {
      const shape = shapeAt(schema, given, path);
      // zod reports an alternative without these keys where the one that has them refuses their values.
      const refused = issue.keys.filter((key) => Object.hasOwn(shape, key));
      const stray = issue.keys.filter((key) => !Object.hasOwn(shape, key));
      return [
        ...refused.flatMap((key) => refusedValue(shape[key], valueAt(given, [...path, key]), [...path, key])),
        ...strayKeys(stray, Object.keys(shape)).map((one) => ({ path, ...one })),
      ];
    }
    if (issue.code === 'invalid_key' || issue.code === 'invalid_element')
      return explained(
        issue.issues.map((inner) => ({ ...inner, path: [...issue.path, ...inner.path] })),
        schema,
        given,
      );
    if (issue.code !== 'invalid_union' || issue.errors.length === 0)
      return [{ path, message: isOfZod(issue) ? sentence(issue, valueAt(given, path)) : issue.message }];
    const chosen = branchOf(issue.errors);
    if (chosen !== undefined)
      return explained(
        chosen.map((inner) => ({ ...inner, path: [...issue.path, ...inner.path] })),
        schema,
        given,
      );
    if (!isOfZod(issue)) return [{ path, message: issue.message }];
    return [
      { path, message: mustBe(valueAt(given, path), [...new Set(issue.errors.map(wanted))].join(', or ')) },
    ];
  });
}

/** What is wrong with a value, or that its key does not go with the others. */
function refusedValue(schema: Schema, value: unknown, path: readonly string[]): readonly Issue[] {
  const { issues = [] } = schema.safeParse?.(value).error ?? {};
  if (issues.length === 0) return [{ path, message: 'does not go with the other keys; leave it out' }];
  return explained(issues, schema, value).map((issue) => ({ ...issue, path: [...path, ...issue.path] }));
}

const isMismatch = ({ path, code }: Raw): boolean =>
  path.length === 0 && (code === 'invalid_type' || code === 'invalid_value');

/**
 * Issues of the alternative with the right type and the fewest unknown keys; `undefined` if it is not unique.
 */
function branchOf(branches: readonly (readonly Raw[])[]): readonly Raw[] | undefined {
  const unknownNames = branches.map((issues) =>
    issues.some(isMismatch)
      ? Infinity
      : issues.reduce(
          (sum, issue) =>
            sum + (issue.code === 'unrecognized_keys' && issue.path.length === 0 ? issue.keys.length : 0),
          0,
        ),
  );
  const least = Math.min(...unknownNames);
  return least === Infinity || unknownNames.filter((count) => count === least).length > 1
    ? undefined
    : branches[unknownNames.indexOf(least)];
}

/** Short description of one alternative's rules. */
const wanted = (issues: readonly Raw[]): string =>
  issues
    .map((issue) => {
      const chosenOf = () => {
        if (issue.code === 'unrecognized_keys') return `no key ${quoted(issue.keys)}`;
        return isOfZod(issue) ? ruleOf(issue) : issue.message;
      };
      return `${issue.path.length === 0 ? '' : `${issue.path.map(String).join('.')}: `}${chosenOf()}`;
    })
    .join(' and ');

/** Unknown keys: those that look like a known one each by itself, and the others together. */
function strayKeys(keys: readonly string[], known: readonly string[]): readonly Omit<Issue, 'path'>[] {
  const meant = keys.map((key) => ({ key, near: nearestName(key, known) }));
  const others = meant.flatMap(({ key, near }) => (near === undefined ? [key] : []));
  const misspelt = meant.flatMap(({ key, near }) =>
    near === undefined
      ? []
      : [{ keys: [key], message: `there is no key '${key}'; write '${near}', or leave it out` }],
  );
  if (others.length === 0) return misspelt;
  const [lacks, them] =
    others.length === 1
      ? [`there is no key '${others[0]}'`, 'it']
      : [`there are no keys ${quoted(others)}`, 'them'];
  const rest = known.length === 0 ? `leave ${them} out` : `there are ${known.join(', ')}`;
  return [...misspelt, { keys: others, message: `${lacks}; ${rest}` }];
}

/** Nested schemas of a schema. */
interface Schema {
  readonly def?: unknown;
  safeParse?(value: unknown): { readonly error?: { readonly issues: readonly Raw[] } | undefined };
}
interface Definition {
  readonly shape?: Readonly<Record<string, Schema>>;
  readonly innerType?: Schema;
  /** What a transformed value is written as. */
  readonly in?: Schema;
  readonly element?: Schema;
  readonly valueType?: Schema;
  readonly options?: readonly Schema[];
  readonly values?: readonly unknown[];
}

/**
 * Definition of a schema without defaults, optional wrappers and transforms; of a union, the alternative with
 * most keys in common.
 */
function definition(schema: Schema | undefined, given: unknown): Definition | undefined {
  const def = schema?.def as Definition | undefined;
  const inside = def?.innerType ?? def?.in;
  if (inside !== undefined) return definition(inside, given);
  const options =
    def?.options
      ?.map((option) => definition(option, given))
      .filter((option) => option?.shape !== undefined) ?? [];
  return options.length === 0
    ? def
    : options.toSorted(
        (a, b) => shared(defined(defined(b).shape), given) - shared(defined(defined(a).shape), given),
      )[0];
}

/** Number of known keys in the value; −Infinity if one of them has an impossible value. */
function shared(shape: NonNullable<Definition['shape']>, given: unknown): number {
  return entriesOf(given).reduce((sum, [key, value]) => {
    if (!Object.hasOwn(shape, key)) return sum;
    const values = definition(shape[key], value)?.values;
    return values === undefined || values.includes(value) ? sum + 1 : -Infinity;
  }, 0);
}
const entriesOf = (given: unknown): readonly (readonly [string, unknown])[] =>
  typeof given === 'object' && given !== null ? Object.entries(given) : [];

/** Schemas of the known keys at a path of the value. */
function shapeAt(schema: Schema, given: unknown, path: readonly string[]): Readonly<Record<string, Schema>> {
  let at: Schema | undefined = schema;
  let value = given;
  for (const name of path) {
    const def = definition(at, value);
    if (def?.shape === undefined) at = def?.element ?? def?.valueType;
    else if (Object.hasOwn(def.shape, name)) at = def.shape[name];
    else at = undefined;
    value = entriesOf(value).find(([key]) => key === name)?.[1];
  }
  return definition(at, value)?.shape ?? {};
}

/** The value at a path. */
const valueAt = (given: unknown, path: readonly string[]): unknown =>
  path.reduce<unknown>((value, name) => entriesOf(value).find(([key]) => key === name)?.[1], given);
