import type { CoreEvent } from '@lethe/core';
import { integerPair } from '../../divergence/finite-pair.js';
import { audit } from '../../engines/audit.js';
import { skipped } from '../../law/finding.js';
import { defineLaw } from '../../law/law.js';
import { unlessUnsupported } from '../../law/unless-unsupported.js';
import { isExact, type MechanismSubject, noised } from './call.js';

const scales = [1.5, 5, 17, 60, 257, 1030];
/** Sensitivity over scale: neighbours that are distinguishable in some hundred pairs. */
const ratio = 2;
/** From nearly 0 to twice the squared ratio, where only the tails of the noise count. */
const epsilons = [0.1, 0.5, 1, 2, 4, 2 * ratio * ratio];

/** Logarithm of the probability of a number, up to a constant, by the event of a release at this scale. */
function logWeightOf(
  { plugin, params }: MechanismSubject,
  scale: number,
): ((k: number) => number) | undefined {
  const event = plugin.event(params, scale, { 'replace-one': 1 }) as CoreEvent;
  const unit = 'sensitivity' in event ? (event.sensitivity['replace-one'] ?? NaN) : NaN;
  if (event.kind === 'core/discrete-gaussian') {
    const sigma = event.sigma / unit;
    return (k) => (-k * k) / (2 * sigma * sigma);
  }
  if (event.kind !== 'core/discrete-laplace') return undefined;
  const each = event.scale / unit;
  return (k) => -Math.abs(k) / each;
}

export const wholeDivergence = defineLaw({
  id: 'mechanism/whole-divergence',
  kind: 'mechanism',
  tier: 'statistical',
  property: 'event',
  statement:
    'integer noise whose event is discrete Gaussian or discrete Laplace noise has the δ(ε) of that noise ' +
    'on integers one sensitivity apart, at scales from 1.5 to 1030 and ε up to 8',
  power: 'noise 30 % too small at a sensitivity of twice the scale in 3 000 pairs, at each of six scales',
  exempt: (subject) =>
    isExact(subject) && logWeightOf(subject, 2) !== undefined
      ? undefined
      : 'its event is neither discrete Gaussian nor discrete Laplace noise; see mechanism/divergence',
  cells: () =>
    scales.map((scale) => ({ name: `scale ${scale}`, values: { scale }, adjacency: 'replace-one' as const })),
  check(subject, env) {
    const { scale } = env.cell.values as { readonly scale: number };
    const logWeight = logWeightOf(subject, scale);
    const shift = Math.round(ratio * scale);
    if (
      logWeight === undefined ||
      unlessUnsupported(() => noised(subject, [0], scale, env.random('tried'))) === undefined
    )
      return skipped(`the scale ${scale} is Unsupported`);
    const pair = integerPair(`whole ${subject.name} ${scale}`, logWeight, shift);
    const claimed = new Map(epsilons.map((epsilon) => [epsilon, pair.delta(epsilon).upper]));
    return audit({
      draw: (neighbour, randomness) => noised(subject, [neighbour * shift], scale, randomness),
      profile: (epsilon) => claimed.get(epsilon) ?? 1,
      epsilons,
      logRatio: (y) => logWeight(y[0]) - logWeight(y[0] - shift),
      witnesses: () => [],
      pairs: env.samples(3000),
      most: 3000,
      alpha: env.alpha,
      random: env.random('pairs'),
      input: { scale, neighbours: [0, shift] },
    });
  },
});
