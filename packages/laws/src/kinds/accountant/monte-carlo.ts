import { countedEvent, type Accountant, type PrivacyEvent, type RandomSource } from '@lethe/core';
import { defined } from '@lethe/numerics';
import { gaussianNoise, laplaceNoise } from '../../divergence/noise.js';
import { tiltedLosses } from '../../divergence/loss-draws.js';
import type { ShiftedPair } from '../../divergence/shifted-pair.js';
import { boundedMean, type EProcess } from '../../evidence/index.js';
import { fails, holds, skipped } from '../../law/finding.js';
import { defineLaw } from '../../law/law.js';
import { deltaOf, epsilonOf } from './ask.js';
import { gaussian, laplace, poisson } from './events.js';

/** Runs of one release: noise, number, scale and sampling rate. */
interface Part {
  readonly noise: 'gaussian' | 'laplace';
  readonly count: number;
  readonly scale: number;
  readonly rate?: number;
}

/** A composition, and the exponential weight of its privacy losses for importance sampling. */
interface Composition {
  readonly parts: readonly Part[];
  readonly lambda: number;
  readonly delta: number;
}

const compositions: readonly Composition[] = [
  { parts: [{ noise: 'gaussian', count: 1000, scale: 20 }], lambda: 0, delta: 0.1 },
  { parts: [{ noise: 'gaussian', count: 1000, scale: 20 }], lambda: 3, delta: 1e-6 },
  { parts: [{ noise: 'gaussian', count: 200, scale: 1, rate: 0.05 }], lambda: 0, delta: 0.1 },
  { parts: [{ noise: 'gaussian', count: 1000, scale: 0.8, rate: 0.01 }], lambda: 2, delta: 1e-4 },
  { parts: [{ noise: 'laplace', count: 100, scale: 6 }], lambda: 0, delta: 0.1 },
  { parts: [{ noise: 'laplace', count: 100, scale: 6 }], lambda: 2, delta: 1e-6 },
  {
    parts: [
      { noise: 'gaussian', count: 20, scale: 6 },
      { noise: 'laplace', count: 20, scale: 6 },
      { noise: 'gaussian', count: 40, scale: 1.5, rate: 0.1 },
    ],
    lambda: 0,
    delta: 0.1,
  },
];

const eventOf = ({ parts }: Composition): PrivacyEvent =>
  countedEvent(
    parts.map(({ noise, count, scale, rate }) => {
      const event = noise === 'gaussian' ? gaussian(scale) : laplace(scale);
      return { event: rate === undefined ? event : poisson(rate, event), count };
    }),
  );

/** The worst pair of a part: remove, add, or replace by the opposite record. */
function pairOf({ noise, scale, rate = 1 }: Part, way: 'remove' | 'add' | 'replace'): ShiftedPair {
  const shift = 1 / scale;
  const law = noise === 'gaussian' ? gaussianNoise : laplaceNoise;
  // Without sampling only the distance matters; Q is the unshifted distribution.
  if (rate === 1) return { noise: law, rate, up: way === 'replace' ? 2 * shift : shift, down: 0 };
  return { noise: law, rate, up: way === 'add' ? 0 : shift, down: way === 'remove' ? 0 : shift };
}

/** Total privacy losses of `runs` runs of the composition, and the log-moment of the importance weights. */
function totals(
  { parts, lambda }: Composition,
  way: 'remove' | 'add' | 'replace',
  { runs, random }: { readonly runs: number; readonly random: RandomSource },
): { readonly losses: Float64Array; readonly logMoment: number } | undefined {
  const losses = new Float64Array(runs);
  let logMoment = 0;
  for (const [index, part] of parts.entries()) {
    const source = random.fork(index);
    const pair = pairOf(part, way);
    // Gaussians without sampling combine to one, with the shift of all of them.
    const whole = part.noise === 'gaussian' && part.rate === undefined;
    const count = whole ? 1 : part.count;
    const drawn = tiltedLosses(whole ? { ...pair, up: pair.up * Math.sqrt(part.count) } : pair, lambda);
    if (drawn === undefined) return undefined;
    logMoment += count * drawn.logMoment;
    const each = new Float64Array(count);
    for (let run = 0; run < runs; run++) {
      drawn.drawInto(each, source);
      for (const loss of each) losses[run] += loss;
    }
  }
  return { losses, logMoment };
}

/**
 * Contribution of a loss to `δ(ε) = E (1 − e^{ε − S})₊`, in
 * units of the largest contribution under the weighting.
 */
const share = (loss: number, epsilon: number, lambda: number): number =>
  loss > epsilon ? -Math.expm1(epsilon - loss) * Math.exp(-lambda * (loss - epsilon)) : 0;

function fed(process: EProcess, values: Iterable<number>): EProcess {
  for (const value of values) process.push(value);
  return process;
}

interface Claimed {
  readonly epsilon: number;
  readonly delta: number;
}

/** Claimed points: both ends of the interval for ε, and of the interval for δ. */
function claimsOf(
  accountant: Accountant,
  event: PrivacyEvent,
  context: { readonly adjacency: 'add-remove' | 'replace-one'; readonly delta: number },
): { readonly above: readonly Claimed[]; readonly below: readonly Claimed[] } {
  const { adjacency, delta } = context;
  const cost = epsilonOf(accountant, event, context);
  if (cost === undefined || cost.certificate === 'estimate' || cost.upper === Infinity)
    return { above: [], below: [] };
  const at = cost.upper;
  const slack = deltaOf(accountant, event, { adjacency, epsilon: at });
  return {
    above: [
      { epsilon: cost.upper, delta },
      ...(slack === undefined ? [] : [{ epsilon: at, delta: slack.upper }]),
    ],
    below: [
      ...(cost.lower > 0 ? [{ epsilon: cost.lower, delta }] : []),
      ...(slack === undefined || slack.lower === 0 ? [] : [{ epsilon: at, delta: slack.lower }]),
    ],
  };
}

export const monteCarlo = defineLaw<'accountant'>({
  id: 'accountant/monte-carlo',
  kind: 'accountant',
  tier: 'statistical',
  statement:
    'δ of compositions of up to a thousand releases is at most the upper bound and, in one direction, ' +
    'at least the lower bound, by sampling of privacy losses',
  source: { id: 'waudby-smith-ramdas-2020', item: 'betting' },
  power: 'an error of a third of δ at δ = 0.1, 1e-4 or 1e-6, in 3 000 sampled totals',
  cells: () =>
    (['add-remove', 'replace-one'] as const).flatMap((adjacency) =>
      compositions.map((_, index) => ({ name: `${adjacency} #${index + 1}`, adjacency, values: { index } })),
    ),
  check: ({ plugin }, env) => {
    const adjacency = env.cell.adjacency as 'add-remove' | 'replace-one';
    const composition = compositions[defined(env.cell.values)['index'] as number];
    const event = eventOf(composition);
    const { above, below } = claimsOf(plugin, event, { adjacency, delta: composition.delta });
    if (above.length === 0) return skipped('the accountant refuses the event, or has no finite ε for it');
    const runs = env.samples(3000);
    const ways = adjacency === 'replace-one' ? (['replace'] as const) : (['remove', 'add'] as const);
    const { lambda } = composition;
    const drawn = ways.map((way) => totals(composition, way, { runs, random: env.random(way) }));
    // A separate test for each claim, from above in each direction.
    const alpha = env.alpha / (above.length * ways.length + below.length);
    if (drawn.every((one) => one === undefined))
      return skipped('losses of its parts cannot be drawn with weights');
    const unit = (epsilon: number, logMoment: number): number => Math.exp(logMoment - lambda * epsilon);
    let asked = 0;
    for (const { epsilon, delta } of above)
      for (const [i, one] of drawn.entries()) {
        const most = one === undefined ? 1 : delta / unit(epsilon, one.logMoment);
        if (one === undefined || most >= 1 || most <= 0) continue;
        asked++;
        const process = fed(
          boundedMean({ atMost: most, lowest: 0, highest: 1 }),
          one.losses.map((loss) => share(loss, epsilon, lambda)),
        );
        if (process.rejects(alpha))
          return fails(runs, {
            what:
              `${runs} sampled losses of the composition (${ways[i]}) show more than the upper bound ` +
              `δ = ${delta} at ε = ${epsilon}`,
            measured: meanOf(one.losses, epsilon, lambda) * unit(epsilon, one.logMoment),
            allowed: delta,
            input: event,
          });
      }
    for (const { epsilon, delta } of below) {
      asked++;
      // A lower bound is violated only if every direction is below
      // it; directions that cannot be sampled may not be.
      const short = drawn.every(
        (one) =>
          one !== undefined &&
          (delta / unit(epsilon, one.logMoment) >= 1 ||
            fed(
              boundedMean({ atMost: -delta / unit(epsilon, one.logMoment), lowest: -1, highest: 0 }),
              one.losses.map((loss) => -share(loss, epsilon, lambda)),
            ).rejects(alpha)),
      );
      if (short)
        return fails(runs, {
          what:
            `${runs} sampled losses of the composition show less than the lower bound δ = ${delta} at ` +
            `ε = ${epsilon}, in every direction`,
          measured: Math.max(
            ...drawn.map(
              (one) => meanOf(defined(one).losses, epsilon, lambda) * unit(epsilon, defined(one).logMoment),
            ),
          ),
          allowed: delta,
          input: event,
        });
    }
    return asked === 0 ? skipped('its claims are too weak to be refuted by draws') : holds(runs);
  },
});

const meanOf = (losses: Float64Array, epsilon: number, lambda: number): number =>
  losses.reduce((sum, loss) => sum + share(loss, epsilon, lambda), 0) / losses.length;
