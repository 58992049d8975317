import { defined } from '@lethe/numerics';
import fc from 'fast-check';
import { boundedMean } from '../../evidence/index.js';
import { fails, holds, type Violation } from '../../law/finding.js';
import { defineLaw } from '../../law/law.js';
import {
  accuracy,
  chosen,
  epsilons,
  onlyDeclared,
  probabilitiesOf,
  choicesOf,
  type Choice,
  type SelectorSubject,
} from './choices.js';

const gapsOf = ({ utilities }: Choice): readonly number[] => {
  const best = Math.max(...utilities);
  return utilities.map((utility) => best - utility);
};
const boundOf = ({ plugin, params }: SelectorSubject, { utilities, epsilon }: Choice): number =>
  plugin.regretBound(params, utilities.length, epsilon);
/** Expected regret, from declared probabilities. */
const regretOf = (subject: SelectorSubject, candidates: Choice): number => {
  const gaps = gapsOf(candidates);
  return defined(probabilitiesOf(subject, candidates)).reduce((sum, p, i) => sum + p * gaps[i], 0);
};

/**
 * One best candidate among `count`, all others equally far behind: the largest regret of the usual selectors.
 */
const lone = (count: number, epsilon: number, behind: number): Choice => ({
  epsilon,
  utilities: Array.from({ length: count }, (_, i) => (i === 0 ? 0 : -behind / epsilon)),
});
const counts = [2, 3, 5, 20, 200];
const distances = Array.from({ length: 60 }, (_, i) => (i + 1) / 4);
const loneChoices: readonly Choice[] = [
  ...counts.flatMap((count) => distances.map((behind) => lone(count, 1, behind))),
  ...[1e-6, 1e4].flatMap((epsilon) =>
    [2.5, 4, 6, 8].flatMap((behind) => [3, 20].map((count) => lone(count, epsilon, behind))),
  ),
];

/** The distance with the largest regret, for more candidates than can be enumerated, to four digits. */
function worstOf(subject: SelectorSubject, count: number): Choice {
  let [low, high] = [4, 24];
  while (high - low > 0.02) {
    const third = (high - low) / 3;
    if (regretOf(subject, lone(count, 1, low + third)) < regretOf(subject, lone(count, 1, high - third)))
      low += third;
    else high -= third;
  }
  return lone(count, 1, (low + high) / 2);
}

function exceeded(subject: SelectorSubject, candidates: Choice): Violation | undefined {
  const allowed = boundOf(subject, candidates);
  const measured = regretOf(subject, candidates);
  const slack = accuracy * gapsOf(candidates).reduce((sum, gap) => sum + gap, 0);
  if (!(allowed >= 0)) return { what: `regretBound is ${allowed}`, measured: allowed, input: candidates };
  return measured <= allowed + slack
    ? undefined
    : {
        what:
          `the expected regret of ${candidates.utilities.length} candidates is ${measured}; ` +
          `regretBound is ${allowed}`,
        measured,
        allowed,
        input: candidates,
      };
}

/** Choices for the mean regret, without declared probabilities. */
const sampled: readonly Choice[] = [lone(2, 1, 2), lone(20, 1, 6), lone(200, 0.5, 10)];

export const regret = defineLaw<'selector'>({
  id: 'selector/regret',
  kind: 'selector',
  tier: 'statistical',
  statement:
    'the expected regret of a choice is at most regretBound for all utilities: ' +
    'exactly for declared probabilities, else by the mean over choices',
  power:
    'a bound too small by 1 %, for a selector that attains it at equal distances; ' +
    'without probabilities, an excess of one half in 6 000 choices',
  check(subject, env) {
    if (onlyDeclared(subject) === undefined) {
      const searched = env.forAll(choicesOf(8), (candidates) => exceeded(subject, candidates), {
        runs: 150,
        examples: loneChoices,
      });
      if (searched.verdict === 'fails') return searched;
      const most = exceeded(subject, worstOf(subject, 1200));
      return most !== undefined
        ? fails(searched.samples + 1, most)
        : env.forAll(
            fc.record({
              epsilon: epsilons,
              count: fc.integer({ min: 1, max: 60 }),
              behind: fc.integer({ min: 0, max: 64 }),
            }),
            ({ epsilon, count, behind }) => exceeded(subject, lone(count, epsilon, behind / 4)),
            { runs: 100 },
          );
    }
    const draws = env.samples(2000);
    for (const [index, candidates] of sampled.entries()) {
      const atMost = boundOf(subject, candidates);
      const gaps = gapsOf(candidates);
      if (!(atMost > 0 && atMost < Infinity))
        return fails(1, {
          what: `regretBound is ${atMost} for ${gaps.length} candidates at ε = ${candidates.epsilon}`,
          measured: atMost,
        });
      const mean = boundedMean({ atMost, lowest: 0, highest: Math.max(...gaps) });
      const random = env.random(`choices ${index}`);
      for (let k = 1; k <= draws; k++) {
        mean.push(gaps[chosen(subject, candidates, random)]);
        if (mean.rejects(env.alpha / sampled.length))
          return fails(index * draws + k, {
            what:
              `the regret of ${gaps.length} candidates is more than regretBound, ${atMost}, ` +
              `on average over ${k} choices`,
            allowed: atMost,
            logE: mean.peak,
            input: candidates,
          });
      }
    }
    return holds(sampled.length * draws);
  },
});

export const attained = defineLaw<'selector'>({
  id: 'selector/regret-attained',
  kind: 'selector',
  tier: 'exact',
  onClaim: true,
  elsewhere: 0,
  exempt: onlyDeclared,
  statement: 'regretBound is tight: with all others equally far behind the best, some distance attains it',
  power: 'a bound too large by 1 %, of 2 to 200 candidates',
  check(subject) {
    for (const count of counts)
      for (const epsilon of [1, 4]) {
        const choices = distances.map((behind) => lone(count, epsilon, behind));
        const allowed = boundOf(subject, choices[0]);
        const measured = Math.max(...choices.map((candidates) => regretOf(subject, candidates)));
        if (!(measured >= 0.99 * allowed))
          return fails(counts.indexOf(count) + 1, {
            what:
              `the regret of ${count} candidates is at most ${measured} over 60 distances; ` +
              `regretBound is ${allowed}, claimed to be attained`,
            measured,
            allowed,
            input: { count, epsilon },
          });
      }
    return holds(2 * counts.length * distances.length);
  },
});
