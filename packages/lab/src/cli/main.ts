import { LetheError } from '@lethe/core';
import { readText } from '../experiment/read.js';
import { helpOf, parseCommandLine, type Command, type Heading, type Streams } from './command.js';
import { printable } from './printable.js';

/**
 * A command as the usage names it. What it needs is loaded when
 * it is asked for: all of it takes longer than most commands do.
 */
interface Entry extends Heading {
  readonly load: () => Promise<Command>;
}

const commands: readonly Entry[] = [
  {
    name: 'run',
    arguments: 'EXPERIMENT.{json,yaml}…',
    summary:
      "Plans, runs and accounts experiments; writes results.json and report.html. An evaluation is a simulation over many seeds; a release is one private run, charged to the data set's ledger.",
    load: async () => (await import('./run.js')).runCommand,
  },
  {
    name: 'plan',
    arguments: 'OPTIMIZER',
    summary:
      'The schedule, the noise, the privacy event and the predicted bound of an optimizer. Touches no data.',
    load: async () => (await import('./plan.js')).planCommand,
  },
  {
    name: 'audit',
    arguments: 'EXPERIMENT.{json,yaml}',
    summary:
      'Attacks what an experiment plans, on records of its own making, and gives a lower bound on epsilon beside the certificate; writes audit.json and audit.html. Reads nothing of private records but their columns and number, and charges no ledger.',
    load: async () => (await import('./audit.js')).auditCommand,
  },
  {
    name: 'ledger',
    arguments: '[DIR|FILE]',
    summary:
      'What data sets have spent by run, their limits, what is left of them, and what is set aside. Reads ledgers and changes nothing. Default: LETHE_HOME, or .lethe in the home folder.',
    load: async () => (await import('./ledger.js')).ledgerCommand,
  },
  {
    name: 'account',
    arguments: '[EVENT.json|-]',
    summary:
      'From a privacy event to epsilon at a delta, or delta at an epsilon, with lower and upper bound.',
    load: async () => (await import('./account.js')).accountCommand,
  },
  {
    name: 'calibrate',
    arguments: 'TEMPLATE.json|-',
    summary:
      'Finds the free number of an event that meets a target: the least private one whose certified upper end does.',
    load: async () => (await import('./calibrate.js')).calibrateCommand,
  },
  {
    name: 'laws',
    arguments: '[PLUGIN …]',
    summary:
      'Checks what plugins claim: those that files or packages export, those that experiment files name, or those that ship.',
    load: async () => (await import('./laws.js')).lawsCommand,
  },
  {
    name: 'claims',
    arguments: '[CLAIMS.json …]',
    summary:
      "Prints the ledger of a paper's claims, and runs the laws behind its verdicts; without a file, of every paper that ships.",
    load: async () => (await import('./claims.js')).claimsCommand,
  },
  {
    name: 'new',
    arguments: 'KIND NAME',
    summary: 'Writes a package with a plugin of a kind, and a test of its laws, to begin with.',
    load: async () => (await import('./new.js')).newCommand,
  },
  {
    name: 'plugins',
    arguments: '',
    summary: 'Lists the plugins that ship with Lethe and those of --plugin, with where each comes from.',
    load: async () => (await import('./plugins.js')).pluginsCommand,
  },
];

const usage = [
  'lethe: differentially private stochastic optimisation',
  '',
  ...commands.map(
    ({ name, arguments: positional, summary }) => `  ${`${name} ${positional}`.padEnd(34)} ${summary}`,
  ),
  '',
  'Exit codes: 0 done, 1 a law, claim or run failed, 2 bad usage or input.',
  '',
].join('\n');

/** What the operating system refused: a folder that cannot be written, a disk that is full. */
const isSystemError = (problem: unknown): problem is NodeJS.ErrnoException =>
  problem instanceof Error &&
  typeof (problem as NodeJS.ErrnoException).code === 'string' &&
  typeof (problem as NodeJS.ErrnoException).syscall === 'string';

/** Runs the command line and resolves to the exit code. Never throws for what a user can cause. */
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
    error(usage);
    return 2;
  }
  if (name === '--help' || name === 'help') {
    out(usage);
    return 0;
  }
  const entry = commands.find((known) => known.name === name);
  if (entry === undefined) {
    error(`lethe: no command '${name}'.\n\n${usage}`);
    return 2;
  }
  try {
    const command = await entry.load();
    if (rest.includes('--help')) {
      out(helpOf(entry, command));
      return 0;
    }
    return await command.run(parseCommandLine(entry.name, command, rest), {
      out,
      error,
      rewrite: terminal.error,
      drained,
      signal,
      hold,
      input: () => readText('-'),
      inputChunks: input,
    });
  } catch (problem) {
    if (signal.aborted) {
      error('lethe: interrupted; a release can go on with --resume\n');
      return 1;
    }
    if (isSystemError(problem)) {
      error(`lethe ${name}: ${problem.message}; nothing was spent that the ledger does not hold\n`);
      return problem.code === 'ENAMETOOLONG' ? 2 : 1;
    }
    if (!(problem instanceof LetheError)) throw problem;
    error(`lethe ${name}: ${problem.message}\n`);
    return problem.code === 'budget-exceeded' || problem.code === 'corrupt' ? 1 : 2;
  }
}
