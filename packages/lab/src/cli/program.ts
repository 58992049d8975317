import { Command as Program, CommanderError, Option as ProgramOption } from 'commander';
import type { Command, Option, Parsed } from './command.js';
import { parsedFrom } from './parsed.js';

/** Where a program writes, and what it does with a command. */
export interface ProgramParts {
  readonly commands: readonly Command[];
  readonly version: () => string;
  /** Help and version, which hold nothing that a user wrote. */
  out(text: string): void;
  error(text: string): void;
  /** Columns of the terminal. */
  readonly width: number;
  readonly hasColours: boolean;
  /** What is done with a command whose arguments are in order. */
  act(command: Command, parsed: Parsed): Promise<void>;
}

const widest = 110;

/** The command line as a program of `commander`, made from the table of commands. */
export function programOf(parts: ProgramParts): Program {
  const { commands, version, act } = parts;
  const program = settled(new Program('lethe'), '', parts)
    .description('Differentially private training, and experiments with differentially private optimizers.')
    .version(version(), '-v, --version', 'print the version')
    .helpOption('-h, --help', 'print this text')
    .helpCommand('help [COMMAND]', 'print the help of a command')
    .addHelpText(
      'after',
      '\nStart with a CSV: lethe train data.csv --label NAME --epsilon 1\n' +
        'Exit codes: 0 done, 1 a law, claim or run failed, 2 bad usage or input.',
    );
  for (const command of commands) program.addCommand(subcommandOf(command, parts, act));
  return program;
}

function subcommandOf(command: Command, parts: ProgramParts, act: ProgramParts['act']): Program {
  const { name, arguments: positional, summary, notes, examples = [], options } = command;
  const made = settled(new Program(name), name, parts, command.otherWords)
    .summary(firstSentence(summary))
    .description([summary, ...(notes === undefined ? [] : [notes])].join('\n\n'))
    .usage(['[options]', positional].filter((part) => part !== '').join(' '))
    .argument('[arguments...]')
    .helpOption('-h, --help', 'print this text');
  for (const [key, option] of Object.entries(options)) made.addOption(optionOf(key, option));
  if (examples.length > 0)
    made.addHelpText('after', `\nExamples:\n${examples.map((one) => `  ${one}`).join('\n')}`);
  made.action(async (positionals: readonly string[], values: Readonly<Record<string, unknown>>) =>
    act(command, parsedFrom(command, positionals, values)),
  );
  return made;
}

function optionOf(
  key: string,
  { type, multiple = false, value = 'TEXT', help, choices, isRequired = false }: Option,
): ProgramOption {
  const what = [
    help,
    ...(choices === undefined ? [] : [`: ${choices.join(', ')}`]),
    ...(isRequired ? [' (required)'] : []),
  ].join('');
  const option = new ProgramOption(type === 'boolean' ? `--${key}` : `--${key} <${value}>`, what);
  // Values stay text; a command's own parser checks all of them.
  if (multiple)
    option.argParser((text: string, before: readonly string[] | undefined) => [...(before ?? []), text]);
  return option;
}

/** @param name - Of the command; empty for the whole program. */
function settled(
  program: Program,
  name: string,
  { out, error, width, hasColours }: ProgramParts,
  otherWords: Command['otherWords'] = {},
): Program {
  return program
    .exitOverride()
    .showSuggestionAfterError()
    .configureHelp({
      helpWidth: Math.min(width, widest),
      minWidthToWrap: 20,
      sortSubcommands: false,
      visibleArguments: () => [],
      subcommandTerm: (command) =>
        [command.name(), command.usage().replace('[options]', '').trim()].join(' ').trim(),
      styleTitle: (text) => bold(text),
      styleOptionText: (text) => cyan(text),
      styleCommandText: (text) => cyan(text),
    })
    .configureOutput({
      writeOut: out,
      writeErr: error,
      getOutHelpWidth: () => Math.min(width, widest),
      getErrHelpWidth: () => Math.min(width, widest),
      getOutHasColors: () => hasColours,
      getErrHasColors: () => hasColours,
      outputError: (text, write) =>
        write(`${name === '' ? 'lethe' : `lethe ${name}`}: ${withOther(sentence(text), otherWords)}`),
    });
}

/** A list of commands says in one line what each is for. */
const firstSentence = (text: string): string => text.split(/(?<=\.) /u)[0];

const bold = (text: string): string => `\u001B[1m${text}\u001B[22m`;
const cyan = (text: string): string => `\u001B[36m${text}\u001B[39m`;

/** A message of the parser without its prefix, with a suggestion in the same line. */
const sentence = (text: string): string =>
  text.replace(/^error: /u, '').replace(/\n\(Did you mean (.*)\?\)/u, '; is $1 meant?');

/** An unknown option with what the command takes in its place, or where its options are listed. */
function withOther(text: string, otherWords: NonNullable<Command['otherWords']>): string {
  const stray = /unknown option '--([\w-]+)'\n$/u.exec(text)?.[1];
  if (stray === undefined) return text;
  const other = Object.hasOwn(otherWords, stray) ? otherWords[stray] : undefined;
  return `${text.trimEnd()}; ${other ?? '--help lists what there is'}\n`;
}

/** Whether the parser has ended, with what exit code. */
export const endOf = (problem: unknown): number | null => {
  if (!(problem instanceof CommanderError)) return null;
  return problem.exitCode === 0 ? 0 : 2;
};
