import { parseArgs, type ParseArgsConfig } from 'node:util';
import type { Command, Option } from './command.js';
import { UsageError } from './usage-error.js';

/** Arguments of a command, by name. Options that the command does not have are not there. */
export interface Parsed {
  readonly positionals: readonly string[];
  readonly string: (name: string) => string | undefined;
  readonly strings: (name: string) => readonly string[];
  readonly flag: (name: string) => boolean;
  readonly number: (name: string) => number | undefined;
  readonly numbers: (name: string) => readonly number[];
}

/**
 * Parses and checks the arguments of a command.
 *
 * @throws {UsageError} for an unknown or missing option, a value that it does not take, or arguments that do
 *   not fit together.
 */
export function parseCommandLine(command: Command, args: readonly string[]): Parsed {
  const { name, options } = command;
  const { values, positionals } = rawValues(name, options, args);
  const strings = (key: string): readonly string[] => [values[key] ?? []].flat() as string[];
  for (const [key, option] of Object.entries(options)) checkOption(key, option, strings(key));
  const number = (text: string): number => Number(text);
  const parsed: Parsed = {
    positionals,
    string: (key) => strings(key)[0],
    strings,
    flag: (key) => values[key] === true,
    number: (key) => strings(key).map(number)[0],
    numbers: (key) => strings(key).map(number),
  };
  command.check?.(parsed);
  return parsed;
}

/** The value of an option with choices, typed as one of them; `undefined` without the option. */
export const chosen = <Choice extends string>(
  { string }: Parsed,
  name: string,
  choices: readonly Choice[],
): Choice | undefined => choices.find((choice) => choice === string(name));

interface RawValues {
  readonly values: Readonly<Record<string, unknown>>;
  readonly positionals: readonly string[];
}

function rawValues(name: string, options: Command['options'], args: readonly string[]): RawValues {
  const config: NonNullable<ParseArgsConfig['options']> = Object.fromEntries(
    Object.entries(options).map(([key, { type, multiple = false }]) => [
      key,
      { type: type === 'boolean' ? type : 'string', multiple },
    ]),
  );
  try {
    return parseArgs({ args: [...args], options: config, allowPositionals: true, strict: true });
  } catch (error) {
    const [reason] = (error as Error).message.split(/\n|\. To specify|\.$/u);
    throw new UsageError(`${reason}. See lethe ${name} --help.`);
  }
}

function checkOption(
  key: string,
  { type, choices, isRequired = false, help }: Option,
  given: readonly string[],
) {
  if (isRequired && given.length === 0) throw new UsageError(`--${key} is missing; give ${whatToGive()}`);
  const notNumber = type === 'number' ? given.find((text) => Number.isNaN(numberIn(text))) : undefined;
  if (notNumber !== undefined) throw new UsageError(`--${key} is '${notNumber}'; it must be a number`);
  const unknown = choices === undefined ? undefined : given.find((text) => !choices.includes(text));
  if (unknown !== undefined)
    throw new UsageError(`--${key} is '${unknown}'; it must be one of ${choices?.join(', ')}`);

  function whatToGive(): string {
    if (choices !== undefined) return `one of ${choices.join(', ')}`;
    return type === 'number' ? 'a number' : help;
  }
}

const numberIn = (text: string): number => (text.trim() === '' ? Number.NaN : Number(text));
