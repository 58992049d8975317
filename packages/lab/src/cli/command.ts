import { parseArgs, type ParseArgsConfig } from 'node:util';
import { InvalidParameter } from '@lethe/core';
import { parseJson } from '../experiment/json-text.js';

/** Where a command writes. `out` is for results alone; everything else goes to `error`. */
export interface Streams {
  out(text: string): void;
  error(text: string): void;
  /** Resolves when `out` can take more: `false` when nobody reads any more. Left out, it always can. */
  readonly drained?: () => Promise<boolean>;
  /** Standard input, piece by piece. */
  readonly input?: () => AsyncIterable<Uint8Array>;
  /** From now until what it returns is called, an interrupt aborts the signal; otherwise it ends the process. */
  readonly hold?: () => () => void;
}

export interface Context extends Omit<Required<Streams>, 'input'> {
  readonly signal: AbortSignal;
  readonly input: () => string;
  readonly inputChunks: () => AsyncIterable<Uint8Array>;
  /** Writes to stderr as it is, for lines that are written over: what is shown has to be made printable before. */
  rewrite(text: string): void;
}

export interface Option {
  readonly type: 'string' | 'boolean';
  readonly multiple?: boolean;
  readonly value?: string;
  readonly help: string;
}

/** What the usage says of a subcommand. */
export interface Heading {
  readonly name: string;
  readonly arguments: string;
  readonly summary: string;
}

/** One subcommand as data: its help is made from this, and so is its parser. */
export interface Command {
  /** Shown in its help, after the summary. */
  readonly notes?: string;
  readonly options: Readonly<Record<string, Option>>;
  /** Resolves to the exit code. */
  run(parsed: Parsed, context: Context): Promise<number>;
}
export interface Parsed {
  readonly positionals: readonly string[];
  string(name: string): string | undefined;
  strings(name: string): readonly string[];
  flag(name: string): boolean;
  /** A number option. @throws {InvalidParameter} when it is not a number. */
  number(name: string): number | undefined;
  /** Numbers of an option that may be repeated. @throws {InvalidParameter} when one is not a number. */
  numbers(name: string): readonly number[];
}

/** Reads a command line; anything unknown is an error, never ignored. */
export function parseCommandLine(name: string, { options }: Command, args: readonly string[]): Parsed {
  const config = Object.fromEntries(
    Object.entries(options).map(([key, { type, multiple }]) => [
      key,
      multiple === true ? { type, multiple } : { type },
    ]),
  );
  let values: Record<string, unknown>;
  let positionals: string[];
  try {
    ({ values, positionals } = parseArgs({
      args: [...args],
      options: config as NonNullable<ParseArgsConfig['options']>,
      allowPositionals: true,
      strict: true,
    }));
  } catch (error) {
    const [reason] = (error as Error).message.split(/\n|\. To specify|\.$/u);
    throw new InvalidParameter(`${reason}. See lethe ${name} --help.`, { command: name });
  }
  const string = (key: string): string | undefined => values[key] as string | undefined;
  return {
    positionals,
    string,
    strings: (key) => [values[key] ?? []].flat() as string[],
    flag: (key) => values[key] === true,
    number(key) {
      const text = string(key);
      return text === undefined ? undefined : numberIn(key, text);
    },
    numbers: (key) => ([values[key] ?? []].flat() as string[]).map((text) => numberIn(key, text)),
  };
}

function numberIn(key: string, text: string): number {
  const value = text.trim() === '' ? Number.NaN : Number(text);
  if (Number.isNaN(value))
    throw new InvalidParameter(`--${key} is '${text}'; it must be a number`, { option: key, value: text });
  return value;
}

/** A number that must be there. */
export function required(parsed: Parsed, name: string): number {
  const value = parsed.number(name);
  if (value === undefined)
    throw new InvalidParameter(`--${name} is missing; give a number`, { option: name });
  return value;
}

/** JSON given on the command line. */
export function jsonOption(parsed: Parsed, name: string): unknown {
  const text = parsed.string(name);
  return text === undefined ? undefined : parseJson(text, `--${name}`);
}

export function helpOf(
  { name, arguments: positional, summary }: Heading,
  { notes, options }: Command,
): string {
  const rows = Object.entries(options).map(
    ([key, { type, value, help }]) =>
      [`--${key}${type === 'string' ? ` ${value ?? 'TEXT'}` : ''}`, help] as const,
  );
  const width = Math.max(...rows.map(([left]) => left.length));
  return [
    `lethe ${name}${positional === '' ? '' : ` ${positional}`}`,
    '',
    summary,
    ...(notes === undefined ? [] : ['', notes]),
    '',
    ...rows.map(([left, help]) => `  ${left.padEnd(width)}  ${help}`),
    '',
  ].join('\n');
}

export const jsonFlag: Option = { type: 'boolean', help: 'JSON on stdout, nothing else there' };
export const helpFlag: Option = { type: 'boolean', help: 'this text' };
