import { clippedMeanEvent, InvalidParameter, repeatedEvent, sampledEvent, Unsupported } from '@lethe/core';
import { describe, expect, it } from 'vitest';
import { accountants, bestOf } from '../index.js';
import { fromDpAccounting, toDpAccounting } from './dp-accounting.js';

const best = bestOf(accountants);
const step = (noise: number, rate: number): string =>
  `PoissonSampledDpEvent(sampling_probability=${rate}, event=GaussianDpEvent(noise_multiplier=${noise}))`;

describe('events of dp_accounting', () => {
  it('cost what the same events cost here, under each adjacency', () => {
    const text = `SelfComposedDpEvent(event=${step(1.1, 0.004)}, count=1000)`;
    // A replaced record moves the sum by two of the norms that the multiplier is in units of.
    for (const [adjacency, noise] of [
      ['add-remove', 1.1],
      ['zero-out', 1.1],
      ['replace-one', 0.55],
    ] as const) {
      const own = repeatedEvent(
        sampledEvent({ kind: 'core/poisson', rate: 0.004 }, clippedMeanEvent(noise, adjacency)),
        1000,
      );
      const query = { adjacency, delta: 1e-5 };
      expect(best.epsilon(fromDpAccounting(text, adjacency), query)).toEqual(best.epsilon(own, query));
    }
  });

  it.each([
    ['dp_accounting.GaussianDpEvent(2)', 'zero-out'],
    ['GaussianDpEvent(noise_multiplier=0.0)', 'zero-out'],
    ['LaplaceDpEvent(noise_multiplier=3.0)', 'replace-one'],
    ['DiscreteLaplaceDpEvent(noise_parameter=0.5, sensitivity=2)', 'zero-out'],
    ['DiscreteGaussianDpEvent(sigma=4.0, sensitivity=1.0, dimension=None)', 'add-remove'],
    ['MixtureOfGaussiansDpEvent(2.0, [0.0, 1.0], (0.75, 0.25))', 'zero-out'],
    ['RandomizedResponseDpEvent(noise_parameter=0.5, num_buckets=4)', 'replace-one'],
    ['EpsilonDeltaDpEvent(epsilon=0.5, delta=1e-7)', 'add-remove'],
    ['ExponentialMechanismDpEvent(epsilon=0.5)', 'zero-out'],
    ['ZCDpEvent(rho=0.1, xi=0.0)', 'zero-out'],
    ['ComposedDpEvent(events=[GaussianDpEvent(2.0), LaplaceDpEvent(4.0), NoOpDpEvent()])', 'zero-out'],
    ['SampledWithReplacementDpEvent(1000, 10, GaussianDpEvent(2.0))', 'replace-one'],
    ['SampledWithoutReplacementDpEvent(1000, 10, GaussianDpEvent(2.0))', 'replace-one'],
    ['TruncatedSubsampledGaussianDpEvent(10_000, 0.01, 120, 1.0)', 'zero-out'],
    ['SingleEpochTreeAggregationDpEvent(noise_multiplier=8.0, step_counts=[7, 8])', 'zero-out'],
    ['NonPrivateDpEvent()', 'zero-out'],
  ] as const)('%s has a cost under %s', (text, adjacency) => {
    const { lower, upper } = best.epsilon(fromDpAccounting(text, adjacency), { adjacency, delta: 1e-6 });
    expect(lower <= upper && upper > 0).toBe(true);
  });

  it('counts the nodes of a tree that a record is in', () => {
    const tree = (steps: string): number =>
      best.epsilon(fromDpAccounting(`SingleEpochTreeAggregationDpEvent(8.0, ${steps})`, 'zero-out'), {
        adjacency: 'zero-out',
        delta: 1e-6,
      }).upper;
    expect([tree('1'), tree('2'), tree('[3, 1]'), tree('4')].map((upper) => upper / tree('1'))).toEqual([
      1,
      expect.closeTo(1.44, 1),
      tree('2') / tree('1'),
      tree('[7, 7]') / tree('1'),
    ]);
  });

  it('of the best of several runs have the number of runs', () => {
    const read = (mean: string, shape: string): unknown =>
      fromDpAccounting(
        `RepeatAndSelectDpEvent(EpsilonDeltaDpEvent(1.0, 0.0), ${mean}, ${shape})`,
        'zero-out',
      );
    const base = { kind: 'core/approximate', v: 1, epsilon: 1, delta: 0 };
    const geometric = { kind: 'core/negative-binomial-selection', v: 1, base, shape: 1 };
    expect(read('4', '1')).toEqual({ ...geometric, stopProbability: expect.closeTo(0.25, 11) as number });
    expect(read('4', 'inf')).toEqual({ kind: 'core/poisson-selection', v: 1, base, mean: 4 });
    expect(read('1', '0')).toEqual(base);
    expect(() => read('0.5', '1')).toThrow(InvalidParameter);
  });

  it('go there and back', () => {
    const text =
      'dp_accounting.ComposedDpEvent(events=[' +
      'dp_accounting.SelfComposedDpEvent(event=dp_accounting.PoissonSampledDpEvent(' +
      'sampling_probability=0.25, event=dp_accounting.GaussianDpEvent(noise_multiplier=1.5)), count=12), ' +
      'dp_accounting.EpsilonDeltaDpEvent(epsilon=0.5, delta=1e-7), ' +
      'dp_accounting.RandomizedResponseDpEvent(noise_parameter=0.5, num_buckets=3), ' +
      'dp_accounting.LaplaceDpEvent(noise_multiplier=4)])';
    for (const adjacency of ['zero-out', 'replace-one'] as const)
      expect(toDpAccounting(fromDpAccounting(text, adjacency), adjacency)).toBe(text);
    expect(() => toDpAccounting({ kind: 'core/prefix-sum', v: 1 }, 'zero-out')).toThrow(Unsupported);
  });

  it.each([
    ['GaussianDpEvent(noise_multiplier=', /has its end where a value is due/u],
    ['GaussianDpEvent(1.0', /has its end where ',' is due/u],
    ['GaussianDpEvent(1.0) 2', /has '2' where its end is due/u],
    ['GaussianDpEvent(-1.0)', /noise_multiplier/u],
    ['GaussianDpEvent(1.0, 2.0)', /takes 1 arguments \(noise_multiplier\); got 2/u],
    ['GaussianDpEvent(1.0, noise_multiplier=2.0)', /noise_multiplier twice/u],
    ['GaussianDpEvent(sigma=1.0)', /noise_multiplier/u],
    ['SelfComposedDpEvent(event=3, count=2)', /must be an event/u],
    ['SelfComposedDpEvent(event=GaussianDpEvent(1.0), count=0)', /count/u],
    ['3', /no event of dp_accounting/u],
    ['__import__; x', /cannot be read at ';/u],
    ['', /has its end/u],
  ])('%s is refused with its place', (text, message) => {
    expect(() => fromDpAccounting(text, 'zero-out')).toThrow(InvalidParameter);
    expect(() => fromDpAccounting(text, 'zero-out')).toThrow(message);
  });

  it('refuses classes without a counterpart, and adjacencies without a guarantee', () => {
    const refused = (text: string, adjacency: 'add-remove' | 'replace-one'): void =>
      expect(() => fromDpAccounting(text, adjacency), text).toThrow(Unsupported);
    refused('MixtureOfGaussiansDpEvent(2.0, [0.0, 1.0], [0.5, 0.5])', 'replace-one');
    refused('SingleEpochTreeAggregationDpEvent(8.0, 8)', 'add-remove');
    refused('ZCDpEvent(0.1, 0.5)', 'add-remove');
  });
});
