import type { RandomSource } from '@lethe/core';
import {
  defineClaimCheck,
  enumerate,
  fails,
  holds,
  nonNegativeMean,
  pool,
  boundedMean,
  wealth,
  type ClaimCheck,
  type EProcess,
  type Finding,
  type LawEnv,
} from '@lethe/laws';
import { defined } from '@lethe/numerics';
import { distributionOf, type DistributionChoice, type ListedDistribution } from './distributions-of-sets.js';
import type { SketchingSubject } from './sketching-subject.js';

const weights = [
  500, 300, 200, 40, 7, 100, 900, 250, 33, 600, 81, 5, 444, 70, 8, 350, 12, 640, 90, 27, 3, 710, 55, 130, 260,
  19, 480, 66, 2, 910, 145, 38,
];
const families = [
  'full',
  'uniform',
  'single',
  'importance',
  'blocks',
  'important-blocks',
  'nice',
  'finite',
  'independent',
] as const;
const choices: readonly DistributionChoice[] = families.map((family) => ({
  family,
  dimension: 4,
  weights: family === 'nice' ? [1, ...weights.slice(1)] : weights,
}));

const nameOf = (coordinates: Uint32Array): string => Array.from(coordinates).join();

/**
 * H0: category `k` has probability `probabilities[k]`. Bets on the observed frequencies, at a cost of about
 * `½ ln n` nats per category.
 */
function frequencies(probabilities: readonly number[]): EProcess {
  const seen = probabilities.map(() => 0.5);
  let total = probabilities.length / 2;
  return wealth((category: number) => {
    const gain = Math.log(seen[category] / total / probabilities[category]);
    seen[category]++;
    total++;
    return gain;
  });
}

const drawn = ({ sketch, params, dimension }: ListedDistribution, random: RandomSource): Uint32Array =>
  sketch.draw(params, dimension, random).coordinates;

/**
 * Compares the exact distribution over all outcomes with the list, if the outcomes can be enumerated.
 */
function byOutcomes(distribution: ListedDistribution): Finding | null {
  const outcomes = enumerate((random) => nameOf(drawn(distribution, random)));
  if (outcomes === null) return null;
  const found = new Map<string, number>(distribution.sets.map(({ coordinates }) => [nameOf(coordinates), 0]));
  for (const { value, probability } of outcomes)
    found.set(value, (found.get(value) ?? Infinity) + probability);
  for (const { coordinates, probability } of distribution.sets) {
    const measured = defined(found.get(nameOf(coordinates)));
    if (Math.abs(measured - probability) > 1e-12)
      return fails(outcomes.length, {
        what:
          `over all outcomes the set ${nameOf(coordinates)} is drawn with probability ${measured}; ` +
          `its distribution gives ${probability}`,
        measured,
        allowed: probability,
      });
  }
  const odd = [...found].find(([, probability]) => probability === Infinity);
  return odd === undefined
    ? holds(outcomes.length)
    : fails(outcomes.length, { what: `the set ${odd[0]} is drawn, which its law excludes` });
}

function byDraws(distribution: ListedDistribution, env: LawEnv, alpha: number, label: string): Finding {
  const places = new Map(distribution.sets.map(({ coordinates }, k) => [nameOf(coordinates), k]));
  const process = frequencies(distribution.sets.map(({ probability }) => probability));
  const random = env.random(label);
  const count = env.samples(4000);
  for (let i = 0; i < count; i++) {
    const name = nameOf(drawn(distribution, random));
    const place = places.get(name);
    if (place === undefined)
      return fails(i + 1, { what: `the set ${name} is drawn, which its law excludes` });
    process.push(place);
    if (process.rejects(alpha))
      return fails(i + 1, { what: 'sets are not drawn as often as their law says', logE: process.peak });
  }
  return holds(count);
}

/** Row 2. */
export const samplerLaws = (subject: SketchingSubject): ClaimCheck =>
  defineClaimCheck({
    id: 'maranjyan/sampler-laws',
    tier: 'statistical',
    statement: 'every family draws each set of coordinates with the probability of its distribution',
    power:
      'any probability off by 1e-12 where outcomes can be listed (all coordinates, uniform ones, ' +
      'tau of them, importance by whole constants); elsewhere a law 0.023 nats away (a coordinate that ' +
      'comes 5 % too often), or a set outside the support, within 4000 draws in 4 dimensions',
    run(env) {
      let samples = 0;
      for (const choice of choices) {
        const distribution = distributionOf(subject, choice);
        const finding =
          byOutcomes(distribution) ?? byDraws(distribution, env, env.alpha / choices.length, choice.family);
        if (finding.verdict === 'fails')
          return fails(finding.samples, {
            ...finding.violation,
            input: { family: choice.family, dimension: choice.dimension },
          });
        samples += finding.samples;
      }
      return holds(samples);
    },
  });

const vector = Float64Array.of(0.5, 2, 3, 1);

/** Row 3. */
export const unbiasedDraws = (subject: SketchingSubject): ClaimCheck =>
  defineClaimCheck({
    id: 'maranjyan/unbiased-draws',
    tier: 'statistical',
    statement: 'the mean of Cx over draws is x, in every coordinate and every family',
    power: 'a mean a fifth off at marginals from 0.15, a tenth off at marginals from 0.4, within 4000 draws',
    run(env) {
      let samples = 0;
      for (const choice of choices) {
        const distribution = distributionOf(subject, choice);
        const random = env.random(choice.family);
        const count = env.samples(4000);
        const slack = 1 + 1e-9;
        const caps = vector.map((x, j) => (slack * x) / distribution.marginals[j]);
        const above = Array.from(vector, (x) => nonNegativeMean({ atMost: slack * x }));
        const below = Array.from(vector, (x, j) => boundedMean({ atMost: -x / slack, lowest: -2 * caps[j] }));
        const evidence = pool([...above, ...below]);
        for (let i = 0; i < count; i++) {
          const set = drawn(distribution, random);
          subject.scaled(vector, set, distribution.marginals).forEach((entry, j) => {
            above[j].push(Math.max(0, entry));
            below[j].push(-Math.min(Math.max(0, entry), caps[j]));
          });
          if (evidence.rejects(env.alpha / choices.length))
            return fails(samples + i + 1, {
              what: 'the mean of Cx over draws is not x',
              logE: evidence.peak,
              input: { family: choice.family, dimension: 4 },
            });
        }
        samples += count;
      }
      return holds(samples);
    },
  });
