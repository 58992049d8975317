import { readFileSync } from 'node:fs';
import type { Command, Streams } from './command.js';
import { commands } from './commands/index.js';
import { helpOf, usageOf } from './help.js';
import { parseCommandLine } from './parsed.js';
import { printable } from './printable.js';
import { UsageError } from './usage-error.js';

/**
 * Runs the command line and resolves to the exit code. Never throws for what a user can cause. Help, version
 * and usage errors load no other package.
 */
export async function main(
  args: readonly string[],
  {
    drained = () => Promise.resolve(true),
    input = () => process.stdin,
    hold = () => () => undefined,
    ...terminal
  }: Streams,
  signal: AbortSignal = new AbortController().signal,
): Promise<number> {
  const out = (text: string): void => {
    terminal.out(printable(text));
  };
  const error = (text: string): void => {
    terminal.error(printable(text));
  };
  const [name, ...rest] = args;
  if (name === undefined) {
    error(usageOf(commands));
    return 2;
  }
  if (isHelp(name) || name === 'help') {
    out(usageOf(commands));
    return 0;
  }
  if (name === '--version' || name === '-v') {
    out(`${version()}\n`);
    return 0;
  }
  const command = commands.find((known) => known.name === name);
  if (command === undefined) {
    error(`lethe: no command '${name}'.\n\n${usageOf(commands)}`);
    return 2;
  }
  if (rest.some(isHelp)) {
    out(helpOf(command));
    return 0;
  }
  try {
    const parsed = parseCommandLine(command, rest);
    const act = await command.load();
    return await act(parsed, { out, error, rewrite: terminal.error, drained, signal, hold, input });
  } catch (problem) {
    const { code, message } = await failure(command, problem, signal);
    error(message);
    return code;
  }
}

const isHelp = (argument: string): boolean => argument === '--help' || argument === '-h';

const version = (): string => {
  const path = new URL('../../package.json', import.meta.url);
  return (JSON.parse(readFileSync(path, 'utf8')) as { readonly version: string }).version;
};

/** Exit code and message of what a user can cause. @throws `problem` when it is anything else. */
async function failure(
  { name }: Command,
  problem: unknown,
  signal: AbortSignal,
): Promise<{ readonly code: number; readonly message: string }> {
  if (problem instanceof UsageError) return { code: 2, message: `lethe ${name}: ${problem.message}\n` };
  if (signal.aborted) return { code: 1, message: 'lethe: interrupted; continue a release with --resume\n' };
  if (isSystemError(problem))
    return {
      code: problem.code === 'ENAMETOOLONG' ? 2 : 1,
      message: `lethe ${name}: ${problem.message}; nothing was spent that the ledger does not hold\n`,
    };
  const { LetheError } = await import('@lethe/core');
  if (!(problem instanceof LetheError)) throw problem;
  return {
    code: problem.code === 'budget-exceeded' || problem.code === 'corrupt' ? 1 : 2,
    message: `lethe ${name}: ${problem.message}\n`,
  };
}

/** Whether the operating system refused something: a folder that cannot be written, a disk that is full. */
const isSystemError = (problem: unknown): problem is NodeJS.ErrnoException =>
  problem instanceof Error &&
  typeof (problem as NodeJS.ErrnoException).code === 'string' &&
  typeof (problem as NodeJS.ErrnoException).syscall === 'string';
