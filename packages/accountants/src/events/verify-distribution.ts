import type { PrivacyLossDistribution } from '@lethe/core';

/** Throws: what was given, what is allowed. */
export type Refuse = (found: string, rule: string, details?: Readonly<Record<string, unknown>>) => never;

interface Masses { readonly p: Float64Array; readonly q: Float64Array; readonly edges: Float64Array }

/** Points at which profile and masses are compared; ascending, and edges of cells, so that no cell lies on both sides. */
const probes = [-1, 0, 0.5, 1, 3] as const;
const powers = Array.from({ length: 32 }, (_, k) => 2 ** (6 - k));
/** Losses beyond it have no useful exponential. */
const furthest = 64;

const slackOf = ({ grain = 2 ** -44 }: PrivacyLossDistribution): number => 1e-6 + 4 * grain;
const sum = (values: Float64Array): number => values.reduce((total, value) => total + value, 0);

/** Refuses masses that are no probabilities or more than all, or less where the edges take in every loss. Negated comparisons refuse NaN. */
export function verifyMasses({ p, q, edges }: Masses, distribution: PrivacyLossDistribution, refuse: Refuse): void {
  const at = (of: string, i: number, mass: number): string => `a law with the mass ${mass} under ${of} for losses from ${edges[i]} to ${edges[i + 1]}`;
  for (let i = 0; i < p.length; i++) {
    if (!(p[i]! >= 0)) refuse(at('P', i, p[i]!), 'every entry must be written, and be at least 0', { mass: p[i] });
    if (!(q[i]! >= 0)) refuse(at('Q', i, q[i]!), 'every entry must be written, and be at least 0', { mass: q[i] });
  }
  const slack = slackOf(distribution), [finite, against] = [sum(p), sum(q)], all = finite + distribution.infinite;
  const whole = edges[0] === -Infinity && edges.at(-1) === Infinity;
  if (!(all <= 1 + slack && (!whole || all >= 1 - slack))) refuse(`a law with ${finite} of finite losses under P and ${distribution.infinite} of infinite ones`, 'these must add up to 1', { finite, infinite: distribution.infinite });
  if (!(against <= 1 + slack)) refuse(`a law with ${against} altogether under Q`, 'it must be at most 1', { against });
}

/** Refuses a law whose profile is none of two distributions, or whose masses contradict it: only what can be told cheaply. */
export function verifyLossDistribution(distribution: PrivacyLossDistribution, refuse: Refuse): void {
  const profile = probes.map((epsilon) => ({ epsilon, ...distribution.hockeyStick(epsilon) }));
  for (const [i, { epsilon, upper, lower }] of profile.entries()) {
    const least = Math.max(0, -Math.expm1(epsilon));
    if (!(upper >= least - 1e-9)) refuse(`a law whose δ at ε = ${epsilon} is at most ${upper}`, `all outcomes together come to 1 − e^ε = ${least}`, { epsilon, upper });
    const before = profile[i - 1];
    if (before !== undefined && !(lower <= before.upper + 1e-9)) refuse(`a law whose δ is at most ${before.upper} at ε = ${before.epsilon} and at least ${lower} at ε = ${epsilon}`, 'δ must not grow with ε', { epsilon, lower });
  }
  if (distribution.massesInto === undefined) return;
  massesOf(distribution, Float64Array.of(-Infinity, Infinity));
  const masses = massesOf(distribution, edgesFor(distribution));
  verifyCells(masses, distribution, refuse);
  for (const { epsilon, lower, upper } of profile) {
    const told = masses.p.reduce((delta, mass, i) => delta + Math.max(0, mass - Math.exp(epsilon) * masses.q[i]!), distribution.infinite), slack = slackOf(distribution);
    if (!(told <= upper + slack && told >= lower - slack)) refuse(`a law whose masses come to δ = ${told} at ε = ${epsilon}, and its profile to [${lower}, ${upper}]`, 'these must agree', { epsilon, told, lower, upper });
  }
}

/** Refuses cells with a ratio of masses beyond their edges, or outside the losses there are. */
function verifyCells({ p, q, edges }: Masses, distribution: PrivacyLossDistribution, refuse: Refuse): void {
  const { support: { least, most }, infinite } = distribution, slack = slackOf(distribution);
  for (let i = 0; i < p.length; i++) {
    const [from, to, mine, other] = [edges[i]!, edges[i + 1]!, p[i]!, q[i]!], cell = `a law with masses ${mine} under P and ${other} under Q for losses from ${from} to ${to}`;
    if (infinite < 1 && (to < least - margin(least, distribution) || from > most + margin(most, distribution)) && !(mine + other <= slack)) refuse(cell, `it says that losses lie between ${least} and ${most}`, { from, to });
    const [low, high] = [Math.abs(from) <= furthest ? other * Math.exp(from) : 0, Math.abs(to) <= furthest ? other * Math.exp(to) : Infinity];
    if (!(mine >= low - slack && mine <= high + slack)) refuse(cell, 'the logarithm of their ratio must be such a loss', { from, to });
  }
}

const margin = (loss: number, { grain = 2 ** -44 }: PrivacyLossDistribution): number => (Number.isFinite(loss) ? 2 ** -42 * (1 + Math.abs(loss)) + 4 * grain : 0);

/** Cells of all sizes, with the ends of the support just inside of one. */
function edgesFor(distribution: PrivacyLossDistribution): Float64Array {
  const { least, most } = distribution.support;
  const ends = [least - 2 * margin(least, distribution), most + 2 * margin(most, distribution)].filter(Number.isFinite);
  return Float64Array.from(new Set([-Infinity, ...powers.map((x) => -x), 0, ...powers, ...probes, ...ends, Infinity])).toSorted();
}

function massesOf(distribution: PrivacyLossDistribution, edges: Float64Array): Masses {
  const [p, q] = [new Float64Array(edges.length - 1), new Float64Array(edges.length - 1)];
  distribution.massesInto!(p, q, edges);
  return { p, q, edges };
}
