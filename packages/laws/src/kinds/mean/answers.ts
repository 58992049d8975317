import { defined } from '@lethe/numerics';
import fc from 'fast-check';
import { along, onAxis, vectorOf, type Row } from '../../arbitraries/vectors.js';
import { distance, normOf } from '../../engines/norms.js';
import type { Violation } from '../../law/finding.js';
import type { LawEnv } from '../../law/law.js';
import { defineMeanLaw } from './define-mean-law.js';
import { batchesFor, few } from './data.js';
import { answerOf, feed, noShape, scaleAt, shapesOf, type CentralSubject, type Shape } from './release.js';

const inner = (a: ArrayLike<number>, b: ArrayLike<number>): number =>
  Array.from(a).reduce((sum, x, j) => sum + x * b[j], 0);
const minus = (a: ArrayLike<number>, b: ArrayLike<number>): number[] => Array.from(a, (x, j) => x - b[j]);

/**
 * Records as far in a direction as bounds of every kind let
 * them be: along it, and at corners of its largest entries.
 */
function towardsIt(direction: Row, size: number): readonly Row[] {
  const order = [...direction.keys()].toSorted((i, j) => Math.abs(direction[j]) - Math.abs(direction[i]));
  const corners = order.map((_, k) => {
    const among = new Set(order.slice(0, k + 1));
    return direction.map((x, j) => (among.has(j) ? size * Math.sign(x) : 0));
  });
  return [along(direction, size), ...corners].filter((row) => row.every(Number.isFinite));
}

/** `finish` is a projection onto what values can be. */
export const nearestAnswer = defineMeanLaw({
  id: 'mean/nearest-answer',
  tier: 'search',
  onClaim: true,
  statement:
    'whatever the noised value, the answer is one that value() can have, ' +
    'since a batch of records that all equal it has it as its value, and no value of any batch lies on ' +
    'the other side of it: it is the nearest point of a convex set',
  power:
    'an answer that leaves the set by 10^-6 of the scale, in 300 noised values of every size; ' +
    'one in the set that is not the nearest, where corners of cubes and faces on the largest entries ' +
    'towards the noised value tell',
  exempt: noShape,
  check(subject, env) {
    const inputs = batchesFor(subject).chain((batch) =>
      fc.tuple(
        fc.constant(batch),
        vectorOf({ dimension: batch.shape.dimension, scale: scaleAt(subject, batch.shape) }),
      ),
    );
    return env.forAll(
      inputs,
      ([{ shape, data }, noised]): Violation | undefined => {
        const randomness = env.random('coins');
        const scale = scaleAt(subject, shape);
        const { run, value } = feed(subject, data, { shape, randomness });
        const possible = value.slice();
        if (possible.length !== shape.dimension)
          return {
            what:
              `value() has ${possible.length} entries in dimension ${shape.dimension}: ` +
              'an answer cannot be one of its values',
            input: shape,
          };
        const answer = run.finish(Float64Array.from(noised)).slice();
        const input = { shape, data, noised };
        const again = feed(
          subject,
          Array.from({ length: shape.slots }, () => Array.from(answer)),
          { shape, randomness },
        ).value;
        const measured = distance('linf', again, answer);
        const allowed = 1e-6 * scale;
        if (!(measured <= allowed))
          return {
            what:
              `the answer ${few(answer)} is no value of any batch: ` +
              `records that all equal it have the value ${few(again)}`,
            measured,
            allowed,
            input,
          };
        const left = minus(noised, answer);
        const slack = 1e-6 * scale * (scale + normOf('l2', noised));
        const valueAt = (row: Row): Float64Array =>
          feed(
            subject,
            Array.from({ length: shape.slots }, () => row),
            { shape, randomness },
          ).value;
        for (const other of [possible, ...towardsIt(left, 3 * scale).map(valueAt)]) {
          const towards = inner(left, minus(other, answer));
          if (!(towards <= slack))
            return {
              what:
                `the answer ${few(answer)} is not the nearest: ` +
                `the value ${few(other)} lies further towards what was noised`,
              measured: towards,
              allowed: slack,
              input,
            };
        }
        return undefined;
      },
      { runs: 300 },
    );
  },
});

/** `finish` is a projection onto a convex set around what values can be. */
export const projectedAnswer = defineMeanLaw({
  id: 'mean/projected-answer',
  tier: 'search',
  onClaim: true,
  statement:
    'finish is a projection onto a convex set that holds every value: values and answers stay as they are, ' +
    'and no value and no other answer lies beyond an answer, towards what was noised',
  power:
    'an answer or a value that moves by 10^-6 of the scale, and an acute angle, in 300 pairs of noised ' +
    'values of every size, with corners of cubes and faces on the largest entries among the values',
  exempt: noShape,
  check(subject, env) {
    const inputs = batchesFor(subject).chain((batch) => {
      const noised = vectorOf({ dimension: batch.shape.dimension, scale: scaleAt(subject, batch.shape) });
      return fc.tuple(fc.constant(batch), noised, noised);
    });
    return env.forAll(
      inputs,
      ([{ shape, data }, noised, another]): Violation | undefined => {
        const randomness = env.random('coins');
        const scale = scaleAt(subject, shape);
        const { run, value } = feed(subject, data, { shape, randomness });
        const answerTo = (given: ArrayLike<number>): Float64Array =>
          Float64Array.from(run.finish(Float64Array.from(given)));
        const valueAt = (row: Row): Float64Array =>
          Float64Array.from(
            feed(
              subject,
              Array.from({ length: shape.slots }, () => row),
              { shape, randomness },
            ).value,
          );
        const answer = answerTo(noised);
        const left = minus(noised, answer);
        const far = towardsIt(left, 3 * scale);
        const fixed = [value.slice(), answer, answerTo(another), ...far.map(valueAt), ...far.map(answerTo)];
        const input = { shape, data, noised, another };
        for (const point of fixed) {
          const moved = distance('linf', answerTo(point), point);
          const most = 1e-6 * (scale + normOf('linf', point));
          if (!(moved <= most))
            return {
              what: `${few(point)}, which is a value or an answer, has the answer ${few(answerTo(point))}`,
              measured: moved,
              allowed: most,
              input,
            };
          const towards = inner(left, minus(point, answer));
          const slack = 1e-6 * (scale + normOf('l2', point)) * (scale + normOf('l2', noised));
          if (!(towards <= slack))
            return {
              what: `${few(point)} lies beyond the answer ${few(answer)} towards what was noised`,
              measured: towards,
              allowed: slack,
              input,
            };
        }
        return undefined;
      },
      { runs: 300 },
    );
  },
});

/** The matrix that turns a mean into a value, column by column, from records on axes. */
function measuredOnAxes(
  subject: CentralSubject,
  shape: Shape,
  size: number,
  env: LawEnv,
): readonly Float64Array[] {
  return Array.from({ length: shape.dimension }, (_, j) => {
    const data = Array.from({ length: shape.slots }, (_unused, slot): Row | null =>
      slot === 0 ? onAxis(shape.dimension, j, size) : null,
    );
    return feed(subject, data, { shape, randomness: env.random('coins') }).value.map(
      (x) => (x * shape.slots) / size,
    );
  });
}

/** `finish` finds a shortest explanation. */
export const leastNormAnswer = defineMeanLaw({
  id: 'mean/least-norm-answer',
  tier: 'search',
  onClaim: true,
  statement:
    'without noise, the answer to records on axes far within the bound has the same measurements as ' +
    'their mean, and an ℓ1 norm that is no larger',
  power: 'measurements or a norm off by more than 10^-7 of what they are, on one of 100 batches',
  exempt: noShape,
  check(subject, env) {
    const shapes = shapesOf(subject).map((shape) => ({ shape, size: scaleAt(subject, shape) / 64 }));
    const columns = new Map(
      shapes.map(({ shape, size }) => [shape, measuredOnAxes(subject, shape, size, env)]),
    );
    const inputs = fc.constantFrom(...shapes).chain(({ shape, size }) =>
      fc
        .array(fc.tuple(fc.nat(shape.dimension - 1), fc.integer({ min: -8, max: 8 })), {
          minLength: shape.slots,
          maxLength: shape.slots,
          size: 'max',
        })
        .map((axes) => ({
          shape,
          data: axes.map(([axis, eighths]) =>
            along(onAxis(shape.dimension, axis, Math.sign(eighths)), (Math.abs(eighths) / 8) * size),
          ),
        })),
    );
    return env.forAll(
      inputs,
      ({ shape, data }): Violation | undefined => {
        const mean = Array.from(
          { length: shape.dimension },
          (_, j) => data.reduce((sum, row) => sum + row[j], 0) / shape.slots,
        );
        const randomness = env.random('coins');
        const { length } = feed(subject, data, { shape, randomness }).value;
        const answer = answerOf(subject, data, { shape, randomness }).slice();
        const measurements = (of: ArrayLike<number>): number[] =>
          Array.from({ length }, (_, i) =>
            defined(columns.get(shape)).reduce((sum, column, j) => sum + column[i] * of[j], 0),
          );
        const [wanted, had] = [measurements(mean), measurements(answer)];
        const off = distance('linf', wanted, had);
        const slack = 1e-7 * normOf('linf', wanted);
        const input = { shape, data };
        if (!(off <= slack))
          return {
            what:
              `the answer ${few(answer)} has the measurements ` +
              `${few(had)}; those of the mean are ${few(wanted)}`,
            measured: off,
            allowed: slack,
            input,
          };
        const measured = normOf('l1', answer);
        const allowed = normOf('l1', mean) * (1 + 1e-7);
        return measured <= allowed
          ? undefined
          : {
              what:
                `the answer ${few(answer)} is longer in ℓ1 than the mean ${few(mean)}, ` +
                'which has the same measurements',
              measured,
              allowed,
              input,
            };
      },
      { runs: 100 },
    );
  },
});
