import { existsSync } from 'node:fs';
import type { Option, Parsed } from '../command.js';
import { meantBy } from '../spelling.js';
import { UsageError } from '../usage-error.js';
import { namesOf } from './names-of.js';

/** Methods that are described by a few numbers, in place of an event file. */
export type Method = 'dp-sgd' | 'gaussian' | 'laplace';
export const methods = namesOf<Method>({ 'dp-sgd': true, gaussian: true, laplace: true });

/** How a batch of DP-SGD is drawn. */
export type Sampling = 'poisson' | 'without-replacement' | 'with-replacement' | 'allocation';
export const samplings = namesOf<Sampling>({
  poisson: true,
  'without-replacement': true,
  'with-replacement': true,
  allocation: true,
});

/** The distribution of the number of runs of which the best is published. */
export type RunsDistribution = 'poisson' | 'geometric' | 'logarithmic';
export const runsDistributions = namesOf<RunsDistribution>({
  poisson: true,
  geometric: true,
  logarithmic: true,
});

const number = (value: string, help: string): Option => ({ type: 'number', value, help });

/** Options of the methods. */
export const methodOptions: Readonly<Record<string, Option>> = {
  sigma: number(
    'S',
    'standard deviation of Gaussian noise, in units of the clip norm: the noise multiplier of Opacus and ' +
      'others',
  ),
  scale: number('B', 'scale of Laplace noise, in units of the largest l1 norm of a record'),
  steps: number('T', 'number of steps (default: 1; of dp-sgd, from --epochs)'),
  n: number('N', 'dp-sgd: number of records'),
  batch: number('B', 'dp-sgd: records in a batch, on average'),
  rate: number('Q', 'dp-sgd: sampling rate, in place of --n and --batch'),
  epochs: number('E', 'dp-sgd: passes over the records, in place of --steps'),
  sampling: {
    type: 'string',
    value: 'S',
    choices: samplings,
    help:
      'dp-sgd: how batches are drawn (default poisson); allocation: each record in one random step of an ' +
      'epoch',
  },
  'best-of': number(
    'R',
    'the best of R runs on average, each with its score; the number of runs is random and secret',
  ),
  'runs-by': {
    type: 'string',
    value: 'D',
    choices: runsDistributions,
    help: 'how the number of runs of --best-of is drawn (default poisson)',
  },
};

/** Options that every method takes. */
const ofEach = ['best-of', 'runs-by'];

/** The method that the first argument names. */
export const methodOf = ({ positionals }: Parsed): Method | undefined =>
  methods.find((name) => name === positionals[0]);

/** Options that each method takes; the first list must be given. */
const taken: Readonly<Record<Method, { readonly noise: string; readonly others: readonly string[] }>> = {
  'dp-sgd': { noise: 'sigma', others: ['n', 'batch', 'rate', 'steps', 'epochs', 'sampling'] },
  gaussian: { noise: 'sigma', others: ['steps'] },
  laplace: { noise: 'scale', others: ['steps'] },
};

/**
 * Checks that the options of methods fit the method, and that there are none beside an event file.
 *
 * @param isFree - The noise is what the command looks for.
 * @throws {UsageError}
 */
export function checkMethod(parsed: Parsed, isFree: boolean): void {
  const { strings } = parsed;
  const given = Object.keys(methodOptions).filter((name) => strings(name).length > 0);
  const method = methodOf(parsed);
  if (method === undefined) {
    assertFile(parsed.positionals[0]);
    if (given.length > 0)
      throw new UsageError(
        `--${given[0]} describes a method, and none is named; begin with one of ${methods.join(', ')}, ` +
          'or leave it out to read an event',
      );
    return;
  }
  const { noise, others: own } = taken[method];
  const others = [...own, ...ofEach];
  const other = given.find((name) => name !== noise && !others.includes(name));
  if (other !== undefined)
    throw new UsageError(
      `${method} takes no --${other}; it takes ${[noise, ...others].map(option).join(', ')}`,
    );
  if (isFree && given.includes(noise))
    throw new UsageError(`--${noise} is what calibration finds; leave it out`);
  if (!isFree && !given.includes(noise))
    throw new UsageError(`${method} needs --${noise}: ${methodOptions[noise].help}`);
  if (given.includes('runs-by') && !given.includes('best-of'))
    throw new UsageError('--runs-by says how the runs of --best-of are drawn; give --best-of as well');
  if (method === 'dp-sgd') checkSteps(parsed);
}

/** What other libraries and commands call the numbers of a method. */
export const otherMethodWords = {
  q: 'the sampling rate is --rate',
  'sample-rate': 'the sampling rate is --rate',
  'sampling-rate': 'the sampling rate is --rate',
  'noise-multiplier': 'the noise multiplier is --sigma',
  noise: 'the noise is --sigma, or --scale of laplace',
  'batch-size': 'the size of a batch is --batch',
  eps: 'epsilon is --epsilon',
  params: 'the numbers of a method are options of their own, such as --sigma 1.1',
  set: 'the numbers of a method are options of their own, such as --sigma 1.1',
};

/** @throws {UsageError} for a first argument that is neither a method nor a file. */
function assertFile(given = '-'): void {
  if (given === '-' || existsSync(given)) return;
  const meant = meantBy(given, methods);
  throw new UsageError(
    `'${given}' is neither a method nor a file; ` +
      (meant === undefined ? `the methods are ${methods.join(', ')}` : `is '${meant}' meant?`),
  );
}

const option = (name: string): string => `--${name}`;

function checkSteps({ strings, string }: Parsed): void {
  const has = (name: string): boolean => strings(name).length > 0;
  const sampling = string('sampling') ?? 'poisson';
  if (has('steps') === has('epochs')) throw new UsageError('dp-sgd needs --steps or --epochs; give one');
  if (!has('rate') && !(has('n') && has('batch')))
    throw new UsageError('dp-sgd needs --n and --batch, or --rate');
  if (has('rate') && (has('n') || has('batch')))
    throw new UsageError('dp-sgd takes --rate, or --n and --batch; give one form');
  if (has('rate') && sampling.endsWith('replacement'))
    throw new UsageError(
      `--sampling ${sampling} needs --n and --batch; --rate does not say how many there are`,
    );
}
