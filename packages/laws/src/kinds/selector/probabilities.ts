import { defined, neumaierSum } from '@lethe/numerics';
import { type RandomSource } from '@lethe/core';
import type { Violation } from '../../law/finding.js';
import { defineLaw } from '../../law/law.js';
import { sameBits } from '../curator/outcomes.js';
import {
  accuracy,
  chosen,
  extremeChoices,
  onlyDeclared,
  probabilitiesOf,
  choicesOf,
  type Choice,
  type SelectorSubject,
} from './choices.js';

function malformed(subject: SelectorSubject, candidates: Choice): Violation | undefined {
  const count = candidates.utilities.length;
  const given = Float64Array.from(candidates.utilities);
  const found = subject.plugin.probabilities(subject.params, given, candidates.epsilon);
  if (found === null) return { what: 'it declares probabilities of some choices and none of this one' };
  if (!(found instanceof Float64Array) || found.length !== count)
    return {
      what: `of ${count} candidates it declares ${found.length} probabilities`,
      measured: found.length,
      allowed: count,
    };
  if (!sameBits(given, candidates.utilities)) return { what: 'probabilities modified the utilities' };
  const odd = found.find((p) => !(p >= 0 && p <= 1 + accuracy));
  if (odd !== undefined) return { what: `a probability is ${odd}`, measured: odd };
  const sum = neumaierSum(found);
  if (!(Math.abs(sum - 1) <= count * accuracy))
    return { what: `the probabilities of all candidates sum to ${sum}`, measured: sum, allowed: 1 };
  return sameBits(found, defined(probabilitiesOf(subject, candidates)))
    ? undefined
    : { what: 'a second call gives other probabilities' };
}

/** Utilities within a range `R` cost at most `R` in privacy relative to equal ones. */
function blurred(subject: SelectorSubject, { utilities, epsilon }: Choice): Violation | undefined {
  const range = epsilon * (Math.max(...utilities) / 2 - Math.min(...utilities) / 2);
  if (!(range < 1e-13)) return undefined;
  const found = defined(probabilitiesOf(subject, { utilities, epsilon }));
  const equal = defined(probabilitiesOf(subject, { utilities: utilities.map(() => 0), epsilon }));
  const at = found.findIndex((p, i) => !(Math.abs(p - equal[i]) <= 4 * accuracy));
  return at < 0
    ? undefined
    : {
        what:
          `candidate ${at} has probability ${found[at]}, and ${equal[at]} among equals, ` +
          `though utilities are within ${2 * range}/ε`,
        measured: found[at],
        allowed: equal[at],
      };
}

export const probabilities = defineLaw<'selector'>({
  id: 'selector/probabilities',
  kind: 'selector',
  tier: 'search',
  exempt: onlyDeclared,
  statement:
    'the declared probabilities are one for each candidate, sum to 1, are equal at every call, ' +
    'and do not modify the utilities; also at extreme doubles, where utilities within a range far below ' +
    '1/ε have the probabilities of equal ones',
  power:
    'an error of 10⁻¹² per candidate in the sum, on 1 of 300 choices among up to 40, 100 of them extreme',
  check(subject, env) {
    const usual = env.forAll(choicesOf(40), (candidates) => malformed(subject, candidates), {
      runs: 200,
      examples: [{ utilities: Array.from({ length: 1000 }, (_, i) => (i % 7) / 4), epsilon: 1 }],
    });
    return usual.verdict === 'holds'
      ? env.forAll(
          extremeChoices,
          (candidates) => malformed(subject, candidates) ?? blurred(subject, candidates),
          {
            runs: 100,
            examples: [{ utilities: [Number.MAX_VALUE, -Number.MAX_VALUE], epsilon: 5e-324 }],
          },
        )
      : usual;
  },
});

/** Common shifts without rounding, the second beyond single precision. */
const shift = 1024;
const far = 2 ** 30;

export const invariance = defineLaw<'selector'>({
  id: 'selector/invariance',
  kind: 'selector',
  tier: 'search',
  onClaim: true,
  statement:
    'probabilities depend on differences of utilities only, and are permuted with the candidates; ' +
    'without declared probabilities, the choice with equal randomness does not depend on a common shift',
  power:
    'an error of 4·10⁻¹² in a probability after a shift, a reversal or a rotation, ' +
    'on 1 of 150 choices among up to 12',
  check: (subject, env) =>
    env.forAll(
      choicesOf(12),
      (candidates): Violation | undefined => {
        const { utilities } = candidates;
        const once = probabilitiesOf(subject, candidates);
        if (once === null) return shifted(subject, candidates, env.random('coins'), env.random('coins'));
        const variants: readonly (readonly [string, readonly number[], (i: number) => number])[] = [
          [`shifted by ${shift}`, utilities.map((u) => u + shift), (i) => i],
          [`shifted by ${-shift}`, utilities.map((u) => u - shift), (i) => i],
          [`shifted by ${far}`, utilities.map((u) => u + far), (i) => i],
          ['reversed', utilities.toReversed(), (i) => utilities.length - 1 - i],
          ['rotated by one', [...utilities.slice(1), utilities[0]], (i) => (i + 1) % utilities.length],
        ];
        for (const [what, other, from] of variants) {
          const found = defined(probabilitiesOf(subject, { ...candidates, utilities: other }));
          const at = found.findIndex((p, i) => !(Math.abs(p - once[from(i)]) <= 4 * accuracy));
          if (at >= 0)
            return {
              what:
                `candidate ${from(at)} has probability ${once[from(at)]}, ` +
                `and ${found[at]} when utilities are ${what}`,
              measured: found[at],
              allowed: once[from(at)],
            };
        }
        return undefined;
      },
      { runs: 150 },
    ),
});

function shifted(
  subject: SelectorSubject,
  candidates: Choice,
  randomness: RandomSource,
  same: RandomSource,
): Violation | undefined {
  const position = chosen(subject, candidates, randomness);
  const other = chosen(subject, { ...candidates, utilities: candidates.utilities.map((u) => u + far) }, same);
  return position === other
    ? undefined
    : {
        what:
          `with equal randomness it chooses ${position}, ` +
          `and ${other} when utilities are shifted by ${far}`,
        measured: other,
        allowed: position,
      };
}
