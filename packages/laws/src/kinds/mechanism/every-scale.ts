import { likelihoodRatio, mixture, noiseDistribution, type EProcess } from '../../evidence/index.js';
import { fails, holds, skipped } from '../../law/finding.js';
import { defineLaw } from '../../law/law.js';
import { unlessUnsupported } from '../../law/unless-unsupported.js';
import { isExact, noised } from './call.js';
import { cdfAtScale } from './cdf-at-scale.js';

type Cdf = (x: number) => number;

/** Scales from part of a grid step to nearly the largest that exact samplers are proved for. */
const scales = [0.3, 0.6, 1.5, 5, 17, 60.3, 257, 4100.7, 2 ** 20 + 0.3, 2 ** 32.1, 2 ** 39.1];
const entries = 4096;
/** The same for integer noise, whose spread is bet on at every octave. */
const wholeEntries = 2048;
/** Draws between tests of the evidence. */
const stride = 64;
/** Factors on the probability of one number, bet on separately. */
const factors = [2, 4, 0.5, 0.1];

/** Bets that one whole number has another probability; none for rare numbers. */
function betOnNumber(cdf: Cdf, at: number): EProcess | undefined {
  const p = cdf(at) - cdf(at - 0.5);
  if (!(p > 1e-3 && p < 0.99)) return undefined;
  return mixture(
    factors
      .map((factor) => Math.min(factor * p, (1 + p) / 2))
      .map((other) => {
        const hit = Math.log(other / p);
        const miss = Math.log((1 - other) / (1 - p));
        return likelihoodRatio((x) => (x === at ? hit : miss), { mostGain: Math.max(hit, miss) });
      }),
  );
}

/**
 * Bets against the distribution: on its scale, centre, tails and shape, and for integer noise on single
 * numbers.
 */
function betAgainst(cdf: Cdf, whole: boolean): EProcess {
  const numbers = whole
    ? [0, 1, -1, 2, -2].map((at) => betOnNumber(cdf, at)).filter((process) => process !== undefined)
    : [];
  return mixture([noiseDistribution({ cdf }), ...numbers], [3, ...numbers.map(() => 1)]);
}

/** Frequencies of small and of large noise, with the declared probabilities. */
function sharesOf(noise: Float64Array, cdf: Cdf, scale: number): string {
  const share = (inside: (size: number) => boolean): string =>
    (noise.reduce((count, x) => count + (inside(Math.abs(x)) ? 1 : 0), 0) / noise.length).toPrecision(3);
  const within = (size: number): number => cdf(size) - cdf(-size);
  const [near, far] = [scale / 2, 2.03 * scale];
  return [
    `${share((size) => size <= near)} are at most ${near} in size (declared ${within(near).toPrecision(3)})`,
    `${share((size) => size > far)} above ${far} (declared ${(1 - within(far)).toPrecision(3)})`,
    `${share((size) => size === 0)} are 0 (declared ${within(2 ** -20).toPrecision(3)})`,
  ].join(', ');
}

export const everyScale = defineLaw({
  id: 'mechanism/every-scale',
  kind: 'mechanism',
  tier: 'statistical',
  property: 'noise-law',
  source: { id: 'waudby-smith-ramdas-2020', item: 'betting' },
  statement:
    'noise of any scale, from part of a grid step to 2^39, has the declared distribution of that scale: ' +
    'its spread, its shape, and for integer noise the probability of 0',
  power:
    'an error of 20 % in the scale in 1 000 draws at each of eleven scales; twice the probability of 0 ' +
    'where that is 0.05 or more; integer noise without a declared distribution at other scales than 1',
  cells: () => scales.map((scale) => ({ name: `scale ${scale}`, values: { scale } })),
  check(subject, env) {
    const { scale } = env.cell.values as { readonly scale: number };
    const random = env.random('coins');
    if (unlessUnsupported(() => noised(subject, [0], scale, env.random('tried'))) === undefined)
      return skipped(`the scale ${scale} is Unsupported`);
    const cdf = cdfAtScale(subject, scale);
    const process = betAgainst(cdf, isExact(subject));
    const draws = env.samples(isExact(subject) ? wholeEntries : entries);
    const length = subject.plugin.scalar === true ? 1 : stride;
    const noise = new Float64Array(draws);
    for (let count = 0, call = 0; count < draws; call++) {
      const drawn = noised(
        subject,
        new Float64Array(Math.min(length, draws - count)),
        scale,
        random.fork(call),
      );
      noise.set(drawn, count);
      count += drawn.length;
      for (const x of drawn) process.push(x);
      if (!process.rejects(env.alpha)) continue;
      return fails(count, {
        what:
          `noise of scale ${scale} does not have its declared distribution: of ${count} draws ` +
          `${sharesOf(noise.subarray(0, count), cdf, scale)}`,
        logE: process.peak,
        input: { scale },
      });
    }
    return holds(draws);
  },
});
