import type { Command, Option, Parsed } from './command.js';
import { meantBy } from './spelling.js';
import { UsageError } from './usage-error.js';

/**
 * Arguments of a command from what a parser found, checked.
 *
 * @param values - By names as `commander` writes them: `--new-ledger` is `newLedger`.
 * @throws {UsageError} that lists missing options, values that an option does not take, and arguments that do
 * not fit
 *   together.
 */
export function parsedFrom(
  command: Command,
  positionals: readonly string[],
  values: Readonly<Record<string, unknown>>,
): Parsed {
  const valueOf = (key: string): unknown =>
    values[key.replaceAll(/-(\w)/gu, (_, letter: string) => letter.toUpperCase())];
  const strings = (key: string): readonly string[] => [valueOf(key) ?? []].flat() as string[];
  const mistakes = Object.entries(command.options).flatMap(([key, option]) =>
    option.type === 'boolean' ? [] : mistakesOf(key, option, strings(key)),
  );
  // The command's own check names a missing argument where options have no mistakes.
  if (mistakes.length > 0) throw new UsageError([...missingArgument(), ...mistakes].join('\n'));
  const number = (text: string): number => Number(text);
  const parsed: Parsed = {
    positionals,
    string: (key) => strings(key)[0],
    strings,
    flag: (key) => valueOf(key) === true,
    number: (key) => strings(key).map(number)[0],
    numbers: (key) => strings(key).map(number),
  };
  command.check?.(parsed);
  return parsed;

  function missingArgument(): readonly string[] {
    const [wanted] = command.arguments.split(' ');
    return positionals.length === 0 && /^[A-Z]/u.test(wanted) ? [`${wanted} is missing`] : [];
  }
}

/** The value of an option with choices, typed as one of them; `undefined` without the option. */
export const chosen = <Choice extends string>(
  { string }: Parsed,
  name: string,
  choices: readonly Choice[],
): Choice | undefined => choices.find((choice) => choice === string(name));

function mistakesOf(
  key: string,
  { type, choices, isRequired = false, help }: Option,
  given: readonly string[],
): readonly string[] {
  if (isRequired && given.length === 0) return [`--${key} is missing; give ${whatToGive()}`];
  const notNumber = type === 'number' ? given.find((text) => Number.isNaN(numberIn(text))) : undefined;
  if (notNumber !== undefined) return [`--${key} is '${notNumber}'; it must be a number`];
  const unknown = choices === undefined ? undefined : given.find((text) => !choices.includes(text));
  return unknown === undefined || choices === undefined ? [] : [`--${key} ${noChoice(unknown, choices)}`];

  function whatToGive(): string {
    if (choices !== undefined) return `one of ${choices.join(', ')}`;
    return type === 'number' ? 'a number' : help;
  }
}

/** That a value is none of the choices, and which is meant: `lower-bound` means `lowerBound`. */
function noChoice(given: string, choices: readonly string[]): string {
  const meant = meantBy(given, choices);
  const rule = meant === undefined ? `it must be one of ${choices.join(', ')}` : `is '${meant}' meant?`;
  return `is '${given}'; ${rule}`;
}

const numberIn = (text: string): number => (text.trim() === '' ? Number.NaN : Number(text));
