import { readFileSync } from 'node:fs';
import type { Command, Streams, Parsed } from './command.js';
import { commands } from './commands/index.js';
import { printable } from './printable.js';
import { endOf, programOf } from './program.js';
import { UsageError } from './usage-error.js';

/** Width of help where the terminal does not say its own. */
const usualWidth = 110;

/**
 * Runs the command line and resolves to the exit code. Never throws for what a user can cause. Help, version
 * and usage errors load nothing but the parser.
 */
export async function main(
  args: readonly string[],
  {
    drained = () => Promise.resolve(true),
    input = () => process.stdin,
    hold = () => () => undefined,
    prompt = null,
    terminal: { width = usualWidth, hasColours = false } = {},
    ...streams
  }: Streams,
  signal: AbortSignal = new AbortController().signal,
): Promise<number> {
  const out = (text: string): void => {
    streams.out(printable(text));
  };
  const error = (text: string): void => {
    streams.error(printable(text));
  };
  let code = 0;
  /** Whether a line that is written over is on the terminal. */
  let isOverwritable = false;
  const rewrite = (text: string): void => {
    streams.error(text);
    isOverwritable = !text.endsWith('\n') && !text.endsWith('\u001B[K');
  };
  const act = async (command: Command, parsed: Parsed): Promise<void> => {
    const action = await command.load();
    const context = { out, error, rewrite, drained, signal, commands, hold, input, prompt };
    code = await action(parsed, { ...context, terminal: { width, hasColours } });
  };
  const isHelp = args.length === 0 || args.some((one) => ['-h', '--help', 'help'].includes(one));
  const program = programOf({
    commands,
    version,
    // Help holds nothing that a user wrote, and its colours are not escaped.
    out: isHelp ? (text) => streams.out(text) : out,
    error: args.length === 0 ? (text) => streams.error(text) : error,
    width,
    hasColours,
    act,
  });
  const known = commands.find(({ name }) => name === args[0]);
  try {
    if (args.length === 0) {
      error('lethe: give a command.\n\n');
      program.outputHelp({ error: true });
    } else await program.parseAsync([...args], { from: 'user' });
    return args.length === 0 ? 2 : code;
  } catch (problem) {
    const end = endOf(problem);
    if (end !== null) return end;
    const failed = await failure(known, problem, signal);
    if (isOverwritable) rewrite('\r\u001B[K');
    error(failed.message);
    return failed.code;
  }
}

const version = (): string => {
  const path = new URL('../../package.json', import.meta.url);
  return (JSON.parse(readFileSync(path, 'utf8')) as { readonly version: string }).version;
};

/** Exit code and message of what a user can cause. @throws `problem` when it is anything else. */
async function failure(
  command: Command | undefined,
  problem: unknown,
  signal: AbortSignal,
): Promise<{ readonly code: number; readonly message: string }> {
  const name = ['lethe', ...(command === undefined ? [] : [command.name])].join(' ');
  if (problem instanceof UsageError)
    return { code: 2, message: `${name}: ${problem.message}\nSee ${name} --help.\n` };
  if (signal.aborted)
    return { code: 1, message: `lethe: interrupted; ${command?.interrupted ?? 'run it again'}\n` };
  if (isSystemError(problem))
    return {
      code: problem.code === 'ENAMETOOLONG' ? 2 : 1,
      message: `${name}: ${problem.message}; nothing was spent that the ledger does not hold\n`,
    };
  const { LetheError } = await import('@lethe/core');
  if (!(problem instanceof LetheError)) throw problem;
  return {
    code: problem.code === 'budget-exceeded' || problem.code === 'corrupt' ? 1 : 2,
    message: `${name}: ${problem.message}\n`,
  };
}

/** Whether the operating system refused something: a folder that cannot be written, a disk that is full. */
const isSystemError = (problem: unknown): problem is NodeJS.ErrnoException =>
  problem instanceof Error &&
  typeof (problem as NodeJS.ErrnoException).code === 'string' &&
  typeof (problem as NodeJS.ErrnoException).syscall === 'string';
