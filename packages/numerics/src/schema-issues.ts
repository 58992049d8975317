import type { z } from 'zod';
import { nearestName } from './nearest-name.js';
import { isOfZod, mustBe, quoted, ruleOf, sentence } from './schema-sentences.js';

/** One thing that is wrong with a value: where, and what. */
export interface Issue { readonly path: readonly string[]; readonly message: string }

type Raw = z.core.$ZodIssue;

/** The issues of a schema with what was given to it, as a person can act on them: the value, the rule and the fix, inside the alternative that was meant. */
export function explained(issues: readonly Raw[], schema: Schema, given: unknown): readonly Issue[] {
  return issues.flatMap((issue) => {
    const path = issue.path.map(String);
    if (!isOfZod(issue)) return [{ path, message: issue.message }];
    if (issue.code === 'unrecognized_keys') return [{ path, message: strayKeys(issue.keys, keysAt(schema, given, path)) }];
    if (issue.code === 'invalid_key' || issue.code === 'invalid_element') return explained(issue.issues.map((inner) => ({ ...inner, path: [...issue.path, ...inner.path] })), schema, given);
    if (issue.code !== 'invalid_union' || issue.errors.length === 0) return [{ path, message: sentence(issue, valueAt(given, path)) }];
    const chosen = branchOf(issue.errors);
    if (chosen !== undefined) return explained(chosen.map((inner) => ({ ...inner, path: [...issue.path, ...inner.path] })), schema, given);
    return [{ path, message: mustBe(valueAt(given, path), [...new Set(issue.errors.map(wanted))].join(', or ')) }];
  });
}

const isMismatch = ({ path, code }: Raw): boolean => path.length === 0 && (code === 'invalid_type' || code === 'invalid_value');

/** Issues of the alternative with the right type, and with the fewest keys that it does not know; nothing where that is none or several. */
function branchOf(branches: readonly (readonly Raw[])[]): readonly Raw[] | undefined {
  const unknownNames = branches.map((issues) => (issues.some(isMismatch) ? Infinity : issues.reduce((sum, issue) => sum + (issue.code === 'unrecognized_keys' && issue.path.length === 0 ? issue.keys.length : 0), 0)));
  const least = Math.min(...unknownNames);
  return least === Infinity || unknownNames.filter((count) => count === least).length > 1 ? undefined : branches[unknownNames.indexOf(least)];
}

/** What one alternative asks for, in a few words. */
const wanted = (issues: readonly Raw[]): string => issues.map((issue) => `${issue.path.length === 0 ? '' : `${issue.path.map(String).join('.')}: `}${issue.code === 'unrecognized_keys' ? `no key ${quoted(issue.keys)}` : isOfZod(issue) ? ruleOf(issue) : issue.message}`).join(' and ');

function strayKeys(keys: readonly string[], known: readonly string[]): string {
  const one = keys.length === 1 ? keys[0]! : undefined, meant = one === undefined ? undefined : nearestName(one, known);
  const lacks = one === undefined ? `there are no keys ${quoted(keys)}` : `there is no key '${one}'`;
  if (meant !== undefined) return `${lacks}; write '${meant}', or leave it out`;
  return known.length === 0 ? `${lacks}; leave ${one === undefined ? 'them' : 'it'} out` : `${lacks}; there are ${known.join(', ')}`;
}

/** The parts of a schema that lead to what is inside. */
interface Schema { readonly def?: unknown }
interface Definition {
  readonly shape?: Readonly<Record<string, Schema>>;
  readonly innerType?: Schema;
  readonly element?: Schema;
  readonly valueType?: Schema;
  readonly options?: readonly Schema[];
  readonly values?: readonly unknown[];
}

/** Definition of a schema without its default or its leave to be absent; of alternatives, the one that shares most keys with what was given. */
function definition(schema: Schema | undefined, given: unknown): Definition | undefined {
  const def = schema?.def as Definition | undefined;
  if (def?.innerType !== undefined) return definition(def.innerType, given);
  const options = def?.options?.map((option) => definition(option, given)).filter((option) => option?.shape !== undefined) ?? [];
  return options.length === 0 ? def : options.toSorted((a, b) => shared(b!.shape!, given) - shared(a!.shape!, given))[0];
}

/** How many keys were given that there are; those whose value cannot be count for none of them. */
function shared(shape: NonNullable<Definition['shape']>, given: unknown): number {
  return entriesOf(given).reduce((sum, [key, value]) => {
    if (!Object.hasOwn(shape, key)) return sum;
    const values = definition(shape[key], value)?.values;
    return values === undefined || values.includes(value) ? sum + 1 : -Infinity;
  }, 0);
}
const entriesOf = (given: unknown): readonly (readonly [string, unknown])[] => (typeof given === 'object' && given !== null ? Object.entries(given) : []);

/** Keys that there are at a path of what was given. */
function keysAt(schema: Schema, given: unknown, path: readonly string[]): readonly string[] {
  let at: Schema | undefined = schema, value = given;
  for (const name of path) {
    const def = definition(at, value);
    at = def?.shape === undefined ? def?.element ?? def?.valueType : Object.hasOwn(def.shape, name) ? def.shape[name] : undefined;
    value = entriesOf(value).find(([key]) => key === name)?.[1];
  }
  return Object.keys(definition(at, value)?.shape ?? {});
}

/** What was given at a path. */
const valueAt = (given: unknown, path: readonly string[]): unknown => path.reduce<unknown>((value, name) => entriesOf(value).find(([key]) => key === name)?.[1], given);
