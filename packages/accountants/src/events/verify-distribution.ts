import type { PrivacyLossDistribution } from '@lethe/core';
import { defined } from '@lethe/numerics';

/** Throws an error from the value found and the rule. */
export type Refuse = (found: string, rule: string, details?: Readonly<Record<string, unknown>>) => never;

interface Masses {
  readonly p: Float64Array;
  readonly q: Float64Array;
  readonly edges: Float64Array;
}

/**
 * Ascending points for comparing profile and masses. They are cell edges, so no cell lies on both sides of
 * one.
 */
const probes = [-1, 0, 0.5, 1, 3] as const;
const powers = Array.from({ length: 32 }, (_, k) => 2 ** (6 - k));
/** Largest absolute loss whose exponential is used. */
const largestLoss = 64;

const slackOf = ({ grain = 2 ** -44 }: PrivacyLossDistribution): number => 1e-6 + 4 * grain;
const sum = (values: Float64Array): number => values.reduce((total, value) => total + value, 0);

/**
 * Refuses masses that are not probabilities, or whose total exceeds 1, or is below 1 if the edges cover all
 * losses. Negated comparisons refuse NaN.
 */
export function verifyMasses(
  { p, q, edges }: Masses,
  distribution: PrivacyLossDistribution,
  refuse: Refuse,
): void {
  const at = (of: string, i: number, mass: number): string =>
    `a loss distribution with mass ${mass} under ${of} for losses from ${edges[i]} to ${edges[i + 1]}`;
  for (let i = 0; i < p.length; i++) {
    if (!(p[i] >= 0))
      refuse(at('P', i, p[i]), 'every entry must be written, and be at least 0', { mass: p[i] });
    if (!(q[i] >= 0))
      refuse(at('Q', i, q[i]), 'every entry must be written, and be at least 0', { mass: q[i] });
  }
  const slack = slackOf(distribution);
  const [finite, against] = [sum(p), sum(q)];
  const all = finite + distribution.infinite;
  const whole = edges[0] === -Infinity && edges.at(-1) === Infinity;
  if (!(all <= 1 + slack && (!whole || all >= 1 - slack)))
    refuse(
      `a loss distribution with mass ${finite} of finite losses under P ` +
        `and ${distribution.infinite} of infinite loss`,
      'these must add up to 1',
      { finite, infinite: distribution.infinite },
    );
  if (!(against <= 1 + slack))
    refuse(`a loss distribution with total mass ${against} under Q`, 'it must be at most 1', { against });
}

/** Cheap checks: the profile must be that of two distributions and must agree with the masses. */
export function verifyLossDistribution(distribution: PrivacyLossDistribution, refuse: Refuse): void {
  const profile = probes.map((epsilon) => ({ epsilon, ...distribution.hockeyStick(epsilon) }));
  for (const [i, { epsilon, upper, lower }] of profile.entries()) {
    const least = Math.max(0, -Math.expm1(epsilon));
    if (!(upper >= least - 1e-9))
      refuse(
        `a loss distribution whose δ at ε = ${epsilon} is at most ${upper}`,
        `all outcomes together give δ = 1 − e^ε = ${least}`,
        { epsilon, upper },
      );
    const before = profile[i - 1];
    if (before !== undefined && !(lower <= before.upper + 1e-9))
      refuse(
        `a loss distribution whose δ is at most ${before.upper} at ε = ${before.epsilon} and at least ` +
          `${lower} at ε = ${epsilon}`,
        'δ must not grow with ε',
        { epsilon, lower },
      );
  }
  if (distribution.massesInto === undefined) return;
  massesOf(distribution, Float64Array.of(-Infinity, Infinity));
  const masses = massesOf(distribution, edgesFor(distribution));
  verifyCells(masses, distribution, refuse);
  for (const { epsilon, lower, upper } of profile) {
    const delta = masses.p.reduce(
      (total, mass, i) => total + Math.max(0, mass - Math.exp(epsilon) * masses.q[i]),
      distribution.infinite,
    );
    const slack = slackOf(distribution);
    if (!(delta <= upper + slack && delta >= lower - slack))
      refuse(
        `a loss distribution whose masses give δ = ${delta} at ε = ${epsilon}, ` +
          `and its profile [${lower}, ${upper}]`,
        'these must agree',
        { epsilon, delta, lower, upper },
      );
  }
}

/** Refuses cells whose ratio of masses lies outside their edges, or outside the support. */
function verifyCells({ p, q, edges }: Masses, distribution: PrivacyLossDistribution, refuse: Refuse): void {
  const {
    support: { least, most },
    infinite,
  } = distribution;
  const slack = slackOf(distribution);
  for (let i = 0; i < p.length; i++) {
    const from = edges[i];
    const to = edges[i + 1];
    const mine = p[i];
    const other = q[i];
    const cell =
      `a loss distribution with masses ${mine} under P and ${other} ` +
      `under Q for losses from ${from} to ${to}`;
    if (
      infinite < 1 &&
      (to < least - margin(least, distribution) || from > most + margin(most, distribution)) &&
      !(mine + other <= slack)
    )
      refuse(cell, `its losses lie between ${least} and ${most}`, { from, to });
    const low = Math.abs(from) <= largestLoss ? other * Math.exp(from) : 0;
    const high = Math.abs(to) <= largestLoss ? other * Math.exp(to) : Infinity;
    if (!(mine >= low - slack && mine <= high + slack))
      refuse(cell, 'the logarithm of their ratio must be between these losses', { from, to });
  }
}

const margin = (loss: number, { grain = 2 ** -44 }: PrivacyLossDistribution): number =>
  Number.isFinite(loss) ? 2 ** -42 * (1 + Math.abs(loss)) + 4 * grain : 0;

/** Cells of many sizes; the ends of the support lie just inside a cell. */
function edgesFor(distribution: PrivacyLossDistribution): Float64Array {
  const { least, most } = distribution.support;
  const ends = [least - 2 * margin(least, distribution), most + 2 * margin(most, distribution)].filter(
    Number.isFinite,
  );
  return Float64Array.from(
    new Set([-Infinity, ...powers.map((x) => -x), 0, ...powers, ...probes, ...ends, Infinity]),
  ).toSorted();
}

function massesOf(distribution: PrivacyLossDistribution, edges: Float64Array): Masses {
  const [p, q] = [new Float64Array(edges.length - 1), new Float64Array(edges.length - 1)];
  defined(distribution.massesInto)(p, q, edges);
  return { p, q, edges };
}
