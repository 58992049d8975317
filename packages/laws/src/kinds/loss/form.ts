import { type Violation, fails, holds } from '../../law/finding.js';
import { isRefusal } from '../../law/is-refusal.js';
import { defineLaw } from '../../law/law.js';
import { outcomeOf, sameBits } from '../curator/outcomes.js';
import { seededRandom } from '@lethe/core';
import { defined } from '@lethe/numerics';
import {
  columns,
  dimensionOf,
  gradientAt,
  inner,
  margins,
  moved,
  norm,
  points,
  recordAt,
  valueAt,
  withoutLabels,
} from './points.js';

const isCount = (value: unknown): boolean => Number.isSafeInteger(value) && (value as number) > 0;

/** A point has as many entries as its blocks. */
export const blocks = defineLaw<'loss'>({
  id: 'loss/blocks',
  kind: 'loss',
  tier: 'exact',
  statement:
    'the dimension of a point is a positive whole number, the same whenever asked, ' +
    'and blocks are consecutive parts of it: whole numbers that add up to it',
  power: 'certain for records of 1 to 20 columns',
  check({ plugin, params }) {
    let tried = 0;
    for (let given = 1; given <= 20; given++) {
      const dimension = outcomeOf(() => plugin.iterateDimension(params, given));
      if ('refused' in dimension && dimension.refused === 'invalid-parameter' && given !== columns) continue;
      tried++;
      if ('refused' in dimension)
        return fails(tried, {
          what: `of records of ${given} columns it says no dimension: ${dimension.message}`,
          cause: dimension.error,
          isRefusal: isRefusal(dimension.error),
        });
      if (!isCount(dimension.value) || plugin.iterateDimension(params, given) !== dimension.value)
        return fails(tried, {
          what: `a point for records of ${given} columns is said to have ${String(dimension.value)} entries`,
          input: given,
        });
      const parts = plugin.blocks?.(params, given);
      if (parts === undefined) continue;
      const sum = parts.reduce((total, part) => total + part, 0);
      if (!parts.every(isCount) || sum !== dimension.value)
        return fails(tried, {
          what:
            `the blocks of a point for ${given} columns have ${parts.join(', ')} entries; ` +
            `that must be positive whole numbers which add up to ${dimension.value}`,
          measured: sum,
          allowed: dimension.value,
          input: given,
        });
    }
    return holds(tried);
  },
});

/** A search begins at a point. */
export const start = defineLaw<'loss'>({
  id: 'loss/start',
  kind: 'loss',
  tier: 'exact',
  statement:
    'the point where a search begins has the right number of entries, all finite, ' +
    'is the same for the same randomness, and is no place where all of twelve records have gradient zero',
  power: 'certain for three seeds',
  exempt: (subject) =>
    withoutLabels(subject) ?? (subject.plugin.start === undefined ? 'searches begin at 0' : undefined),
  check(subject) {
    const { plugin, params } = subject;
    const records = margins(subject)
      .slice(0, 12)
      .map((at) => recordAt(subject, { ...at, x: [1, 0.5, -0.5] }));
    for (const seed of [1, 2, 3]) {
      const point = defined(plugin.start)(params, columns, seededRandom(seed));
      const input = { seed };
      if (
        !(point instanceof Float64Array) ||
        point.length !== dimensionOf(subject) ||
        !point.every(Number.isFinite)
      )
        return fails(seed, {
          what:
            `it begins at [${[...point].join(', ')}], ` +
            `which must be ${dimensionOf(subject)} finite numbers`,
          input,
        });
      if (!sameBits(point, defined(plugin.start)(params, columns, seededRandom(seed))))
        return fails(seed, { what: 'with the same randomness it begins elsewhere', input });
      if (records.every((record) => norm(gradientAt(subject, point, record)) === 0))
        return fails(seed, { what: 'no record has a gradient where it begins', input });
    }
    return holds(3);
  },
});

/** A floor is one. */
export const floor = defineLaw<'loss'>({
  id: 'loss/floor',
  kind: 'loss',
  tier: 'search',
  statement: 'a loss that is said to be at least 0 is: gaps of reference optima rest on it',
  power: 'any value below 0, at 300 points over many scales',
  exempt: (subject) =>
    withoutLabels(subject) ??
    (subject.plugin.capabilities.nonNegative === true ? undefined : 'it is not said to be at least 0'),
  check: (subject, env) =>
    env.forAll(
      points(subject),
      (at): Violation | undefined => {
        const value = valueAt(subject, at.w, recordAt(subject, at));
        return value >= 0
          ? undefined
          : { what: `the loss is ${value}`, measured: value, allowed: 0, input: at };
      },
      { runs: 300, examples: margins(subject) },
    ),
});

/** One Hessian is that of every point. */
export const quadratic = defineLaw<'loss'>({
  id: 'loss/quadratic',
  kind: 'loss',
  tier: 'search',
  statement:
    'where a loss is said to be quadratic, its gradients change as ' +
    'much along a step wherever the step begins',
  power: 'a change off by one part in 10⁶ at 200 points',
  exempt: (subject) =>
    withoutLabels(subject) ??
    (subject.plugin.capabilities.quadratic === true ? undefined : 'it is not said to be quadratic'),
  check: (subject, env) =>
    env.forAll(
      points(subject),
      (at): Violation | undefined => {
        const record = recordAt(subject, at);
        const length = dimensionOf(subject);
        const step = Array.from({ length }, (_, j) => [1, -2, 3][j % 3]);
        const zero = new Float64Array(length);
        const changes = [zero, at.w].map((w) =>
          moved(gradientAt(subject, moved(w, step, 1), record), gradientAt(subject, w, record), -1),
        );
        const off = norm(moved(changes[0], changes[1], -1));
        const allowed =
          1e-9 * norm(changes[0]) +
          2 ** -46 *
            (norm(gradientAt(subject, at.w, record)) + (norm(at.w) + norm(step)) * inner(at.x, at.x));
        return off <= allowed
          ? undefined
          : {
              what:
                `along [${step.join(', ')}] gradients change by [${changes[1].join(', ')}] from a point, ` +
                `and by [${changes[0].join(', ')}] from 0`,
              measured: off,
              allowed,
              input: at,
            };
      },
      { runs: 200 },
    ),
});
