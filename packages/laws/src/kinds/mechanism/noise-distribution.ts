import { whiteBoxNoise } from '../../engines/white-box-noise.js';
import { defineLaw } from '../../law/law.js';
import { skipped } from '../../law/finding.js';
import { cdfOf, isExact, noised, refusesAll, supportedScale } from './call.js';

const short = [1, 7, 2, 33];
const long = [1500];
const cellOf = (scale: number, value: number, lengths: readonly number[]) => ({
  name: `scale ${scale} on ${lengths === long ? 'long ' : ''}${value === 0 ? 'zeros' : 'other values'}`,
  values: { scale, value, lengths },
});

/**
 * Scales other than 1, to detect a square or a root in place of
 * the scale; integer noise declares scale 1 only.
 */
const cells = [
  cellOf(0.5, 0, short),
  cellOf(0.5, 5, short),
  cellOf(3, 0, short),
  cellOf(3, 5, short),
  cellOf(3, 0, long),
];
const wholeCells = [cellOf(1, 0, short), cellOf(1, 5, short), cellOf(1, 0, long)];

export const noiseDistribution = defineLaw({
  id: 'mechanism/noise-law',
  kind: 'mechanism',
  tier: 'statistical',
  statement:
    'every entry gets noise of the declared distribution, times the scale, for any value, ' +
    'length and position in the vector',
  source: { id: 'waudby-smith-ramdas-2020', item: 'betting' },
  power:
    'an error of 10 % in the scale with probability 0.99 in 12 000 draws; ' +
    'a distribution of another shape with the same variance (uniform or Laplace for Gaussian) in 3 000',
  cells: (subject) => (isExact(subject) ? wholeCells : cells),
  check(subject, env) {
    const { scale, value, lengths } = env.cell.values as {
      readonly scale: number;
      readonly value: number;
      readonly lengths: readonly number[];
    };
    if (supportedScale(subject, [scale], env.random('tried')) === undefined) return skipped(refusesAll);
    return whiteBoxNoise({
      cdf: cdfOf(subject),
      lengths,
      draws: env.samples(20_000),
      alpha: env.alpha,
      random: env.random('calls'),
      draw: (length, randomness) =>
        noised(subject, new Float64Array(length).fill(value), scale, randomness).map(
          (x) => (x - value) / scale,
        ),
    });
  },
});
