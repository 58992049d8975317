import { LetheError } from '@lethe/core';
import { readText } from '../experiment/read.js';
import { accountCommand } from './account.js';
import { auditCommand } from './audit.js';
import { calibrateCommand } from './calibrate.js';
import { claimsCommand } from './claims.js';
import { helpOf, parseCommandLine, type Command, type Streams } from './command.js';
import { lawsCommand } from './laws.js';
import { ledgerCommand } from './ledger.js';
import { planCommand } from './plan.js';
import { pluginsCommand } from './plugins.js';
import { printable } from './printable.js';
import { runCommand } from './run.js';

const commands: readonly Command[] = [
  runCommand,
  planCommand,
  auditCommand,
  ledgerCommand,
  accountCommand,
  calibrateCommand,
  lawsCommand,
  claimsCommand,
  pluginsCommand,
];

const usage = [
  'lethe: differentially private stochastic optimisation', '',
  ...commands.map(({ name, arguments: positional, summary }) => `  ${`${name} ${positional}`.padEnd(34)} ${summary}`), '',
  'Exit codes: 0 done, 1 a law, claim or run failed, 2 bad usage or input.', '',
].join('\n');

/** What the operating system refused: a folder that cannot be written, a disk that is full. */
const isSystemError = (problem: unknown): problem is NodeJS.ErrnoException => problem instanceof Error && typeof (problem as NodeJS.ErrnoException).code === 'string' && typeof (problem as NodeJS.ErrnoException).syscall === 'string';

/** Runs the command line and resolves to the exit code. Never throws for what a user can cause. */
export async function main(args: readonly string[], { drained = () => Promise.resolve(true), input = () => process.stdin, hold = () => () => undefined, ...terminal }: Streams, signal: AbortSignal = new AbortController().signal): Promise<number> {
  const out = (text: string): void => { terminal.out(printable(text)); }, error = (text: string): void => { terminal.error(printable(text)); };
  const [name, ...rest] = args;
  if (name === undefined) { error(usage); return 2; }
  if (name === '--help' || name === 'help') { out(usage); return 0; }
  const command = commands.find((known) => known.name === name);
  if (command === undefined) { error(`lethe: no command '${name}'.\n\n${usage}`); return 2; }
  try {
    if (rest.includes('--help')) { out(helpOf(command)); return 0; }
    return await command.run(parseCommandLine(command, rest), { out, error, rewrite: terminal.error, drained, signal, hold, input: () => readText('-'), inputChunks: input });
  } catch (problem) {
    if (signal.aborted) { error('lethe: interrupted; a release can go on with --resume\n'); return 1; }
    if (isSystemError(problem)) { error(`lethe ${name}: ${problem.message}; nothing was spent that the ledger does not hold\n`); return problem.code === 'ENAMETOOLONG' ? 2 : 1; }
    if (!(problem instanceof LetheError)) throw problem;
    error(`lethe ${name}: ${problem.message}\n`);
    return problem.code === 'budget-exceeded' || problem.code === 'corrupt' ? 1 : 2;
  }
}
