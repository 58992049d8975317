import type { HardInstance, RandomSource } from '@lethe/core';
import { defined, type Domain } from '@lethe/numerics';
import { domainIn } from '../../engines/ball-domain.js';
import { fails, holds, skipped, type Violation } from '../../law/finding.js';
import { defineLaw } from '../../law/law.js';
import { drawn, noInstance, norm, problemOf } from './subject.js';

/** Facts about the risk of an instance that {@link wrongFact} reads. */
const known = ['startGap', 'populationSmoothness', 'populationStrongConvexity'] as const;

/** Facts of the problem hold for its instances. */
export const facts = defineLaw<'lowerBound'>({
  id: 'lowerBound/facts',
  kind: 'lowerBound',
  tier: 'search',
  statement:
    'the excess risk of drawn instances fits the facts of their problem: at the start it is at most ' +
    'startGap, and between two points it curves by no more than populationSmoothness and no less than ' +
    'populationStrongConvexity',
  power: 'a fact that is wrong by more than rounding where it is nearly attained, on 10 instances',
  exempt: noInstance,
  check(subject, env) {
    const { domain: ref, facts: declared } = defined(problemOf(subject));
    if (!known.some((name) => declared[name] !== undefined))
      return skipped(`its problem declares none of ${known.join(', ')}`);
    const count = env.samples(10);
    for (let i = 0; i < count; i++) {
      const given = drawn(subject, env.random(i));
      const domain = domainIn(subject.registry, ref, given.columns);
      const numbers = Object.fromEntries(known.map((name) => [name, declared[name]?.value]));
      const violation = wrongFact(numbers, given, domain, env.random(`points ${i}`));
      if (violation !== undefined) return fails(i + 1, { ...violation, input: subject.params });
    }
    return holds(count);
  },
});

function wrongFact(
  { startGap, populationSmoothness, populationStrongConvexity }: Readonly<Record<string, number | undefined>>,
  { excessRisk, columns, optimum }: HardInstance,
  domain: Domain,
  random: RandomSource,
): Violation | undefined {
  const start = domain.projectInto(new Float64Array(columns), new Float64Array(columns));
  const gap = excessRisk(start);
  if (startGap !== undefined && !(gap <= startGap * (1 + 1e-9)))
    return {
      what: `the start has the excess risk ${gap}, and the fact startGap says at most ${startGap}`,
      measured: gap,
      allowed: startGap,
    };
  const far = domain.projectInto(
    new Float64Array(columns),
    random.gaussianInto(new Float64Array(columns)).map((x, j) => optimum[j] + x * (1 + norm(optimum))),
  );
  const middle = far.map((x, j) => (x + optimum[j]) / 2);
  const square = norm(far.map((x, j) => x - optimum[j])) ** 2;
  const values = [far, optimum, middle].map((point) => excessRisk(point));
  const bend = values[0] + values[1] - 2 * values[2];
  const slack = 1e-9 * (values[0] + Math.abs(gap)) + 1e-300;
  if (populationSmoothness !== undefined && bend > (populationSmoothness * square) / 4 + slack)
    return {
      what: `the risk curves by ${(4 * bend) / square}, and populationSmoothness is ${populationSmoothness}`,
      measured: (4 * bend) / square,
      allowed: populationSmoothness,
    };
  return populationStrongConvexity !== undefined && bend < (populationStrongConvexity * square) / 4 - slack
    ? {
        what:
          `the risk curves by ${(4 * bend) / square} only, ` +
          `and populationStrongConvexity is ${populationStrongConvexity}`,
        measured: populationStrongConvexity,
        allowed: (4 * bend) / square,
      }
    : undefined;
}
