import { negativeBinomialOf } from '@lethe/accountants';
import {
  clippedMeanSensitivity,
  gaussianEvent,
  InvalidParameter,
  negativeBinomialSelectionEvent,
  parseEvent,
  poissonSelectionEvent,
  repeatedEvent,
  sampledEvent,
  type Adjacency,
  type PrivacyEvent,
  type SamplerSpec,
} from '@lethe/core';
import { defined } from '@lethe/numerics';
import type { Method, RunsDistribution, Sampling } from './commands/method-options.js';
import { runsDistributions, samplings } from './commands/method-options.js';
import { chosen } from './parsed.js';
import type { Parsed } from './command.js';

/** The event of a method, by its noise. */
export interface MethodEvent {
  /** Public guarantee that is usual for the method, where no adjacency is given. */
  readonly adjacency: Adjacency;
  event(noise: number): PrivacyEvent;
}

/**
 * The event of a method that the command line describes, or of the best of several runs of it.
 *
 * @throws {InvalidParameter} for numbers that do not describe one.
 */
export function methodEvent(method: Method, parsed: Parsed): MethodEvent {
  const { adjacency, event } = oneRun(method, parsed);
  const mean = parsed.number('best-of');
  if (mean === undefined) return { adjacency, event };
  const distribution: RunsDistribution = chosen(parsed, 'runs-by', runsDistributions) ?? 'poisson';
  return { adjacency, event: (noise) => parseEvent(bestOfRuns(event(noise), mean, distribution)) };
}

function bestOfRuns(base: PrivacyEvent, mean: number, distribution: RunsDistribution): PrivacyEvent {
  if (!(mean > 1)) throw new InvalidParameter(`--best-of is ${mean}; it must be above 1`, { mean });
  switch (distribution) {
    case 'poisson':
      return poissonSelectionEvent(base, { mean });
    case 'geometric':
      return negativeBinomialSelectionEvent(base, negativeBinomialOf({ mean, shape: 1 }));
    case 'logarithmic':
      return negativeBinomialSelectionEvent(base, negativeBinomialOf({ mean, shape: 0 }));
  }
}

function oneRun(method: Method, parsed: Parsed): MethodEvent {
  const { number } = parsed;
  if (method !== 'dp-sgd') {
    const steps = wholeSteps(number('steps') ?? 1, '--steps');
    const once = (noise: number): PrivacyEvent =>
      method === 'gaussian'
        ? gaussianEvent(noise, clippedMeanSensitivity)
        : parseEvent({ kind: 'core/laplace', v: 1, scale: noise, sensitivity: clippedMeanSensitivity });
    return {
      adjacency: 'add-remove',
      event: (noise) => parseEvent(steps === 1 ? once(noise) : repeatedEvent(once(noise), steps)),
    };
  }
  const sampling: Sampling = chosen(parsed, 'sampling', samplings) ?? 'poisson';
  const { sampler, count } = batches(sampling, parsed);
  return {
    adjacency: sampling === 'poisson' || sampling === 'allocation' ? 'add-remove' : 'replace-one',
    event: (noise) =>
      parseEvent(repeatedEvent(sampledEvent(sampler, gaussianEvent(noise, clippedMeanSensitivity)), count)),
  };
}

function batches(
  sampling: Sampling,
  { number }: Parsed,
): { readonly sampler: SamplerSpec; readonly count: number } {
  const n = number('n');
  const size = number('batch');
  const rate = number('rate') ?? defined(size) / defined(n);
  if (!(rate > 0 && rate <= 1))
    throw new InvalidParameter(`the sampling rate is ${rate}; a batch has from 1 record to all of them`, {
      rate,
    });
  const epochs = number('epochs');
  const steps = wholeSteps(
    number('steps') ?? Math.ceil(defined(epochs) / rate - 1e-9),
    '--steps or --epochs',
  );
  switch (sampling) {
    case 'poisson':
      return { sampler: { kind: 'core/poisson', rate }, count: steps };
    case 'allocation': {
      const perEpoch = Math.ceil(1 / rate - 1e-9);
      return {
        sampler: { kind: 'core/random-allocation', steps: perEpoch },
        count: Math.ceil(steps / perEpoch),
      };
    }
    default:
      return {
        sampler: {
          kind: 'core/fixed-size',
          n: wholeSteps(defined(n), '--n'),
          size: wholeSteps(defined(size), '--batch'),
          replacement: sampling === 'with-replacement',
        },
        count: steps,
      };
  }
}

function wholeSteps(value: number, name: string): number {
  if (Number.isSafeInteger(value) && value >= 1) return value;
  throw new InvalidParameter(`${name} is ${value}; it must be a whole number from 1`, { value });
}
