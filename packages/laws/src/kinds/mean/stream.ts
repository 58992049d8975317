import { defined } from '@lethe/numerics';
import fc from 'fast-check';
import { notFiniteVectorOf } from '../../arbitraries/specials.js';
import { distance } from '../../engines/norms.js';
import type { Violation } from '../../law/finding.js';
import { defineMeanLaw } from './define-mean-law.js';
import { unit } from '../clip/apply.js';
import { randomnessByRecord } from './randomness-by-record.js';
import { batchesFor, few, same, type Batch } from './data.js';
import { otherShapes } from './other-shapes.js';
import {
  declaredNorm,
  feed,
  noShape,
  scaleAt,
  sensitivityAt,
  wholeShape,
  type CentralSubject,
} from './release.js';

/** Vectors are lent. */
export const lentVectors = defineMeanLaw({
  id: 'mean/lent-vectors',
  tier: 'search',
  statement:
    'add does not change the vector it is lent, and what is done to that vector afterwards changes nothing',
  power: 'any change of a vector, or any use of one after add returned, on one of 100 batches',
  exempt: noShape,
  check: (subject, env) =>
    env.forAll(
      batchesFor(subject, false),
      ({ shape, data }): Violation | undefined => {
        const release = (
          after: (vector: Float64Array) => void,
        ): { readonly value: Float64Array; readonly changed: number } => {
          const { random, turn } = randomnessByRecord(env.random('coins'));
          const run = subject.plugin.begin(subject.params, wholeShape(subject, shape), random);
          let changed = -1;
          data.forEach((row, slot) => {
            const vector = Float64Array.from(defined(row));
            turn(slot);
            run.add(slot, vector);
            if (changed < 0 && !same(vector, defined(row))) changed = slot;
            after(vector);
          });
          turn('value');
          return { value: run.value(), changed };
        };
        const kept = release(() => undefined);
        const spoilt = release((vector) => vector.fill(1e6 * scaleAt(subject, shape) + 1));
        if (kept.changed >= 0)
          return {
            what: `add changed the vector of slot ${kept.changed}; vectors are lent`,
            input: { shape, data },
          };
        return same(kept.value, spoilt.value)
          ? undefined
          : {
              what:
                `value() is ${few(kept.value)}, and ${few(spoilt.value)} when the lent vectors are used ` +
                'again for something else after add: it keeps them',
              input: { shape, data },
            };
      },
      { runs: 100 },
    ),
});

/** A non-finite vector counts as zero. */
export const nonFiniteCountsZero = defineMeanLaw({
  id: 'mean/non-finite-counts-zero',
  tier: 'search',
  statement: 'a vector with a NaN or an infinite entry counts as the zero vector does',
  power: 'any other effect of such a vector in one of 200 batches',
  exempt: noShape,
  check(subject, env) {
    const inputs = batchesFor(subject).chain(({ shape, data }) =>
      fc.tuple(
        fc.constant({ shape, data }),
        fc.nat(shape.slots - 1),
        notFiniteVectorOf({ dimension: shape.dimension, scale: scaleAt(subject, shape) }),
      ),
    );
    return env.forAll(
      inputs,
      ([{ shape, data }, at, bad]): Violation | undefined => {
        const randomness = env.random('coins');
        const withBad = data.with(at, bad);
        const zero = feed(subject, data.with(at, null), { shape, randomness }).value;
        const other = feed(subject, withBad, { shape, randomness }).value;
        const sizes = Object.values(defined(sensitivityAt(subject, shape))).filter(
          (size) => size !== undefined,
        );
        const measured = distance('linf', zero, other);
        const allowed = 16 * shape.slots * unit * Math.max(0, ...sizes) * shape.slots;
        return measured <= allowed
          ? undefined
          : {
              what:
                `value() is ${few(other)} with a vector that is not finite in slot ${at}, ` +
                `and ${few(zero)} with zero there`,
              measured,
              allowed,
              input: { shape, data: withBad },
            };
      },
      { runs: 200 },
    );
  },
});

/** Values are functions of records and randomness. */
export const randomnessAlone = defineMeanLaw({
  id: 'mean/coins-alone',
  tier: 'search',
  statement:
    'value() is a function of the records and of the randomness of the release: ' +
    'the same again at any time, whatever was released before or at the same time',
  power: 'any influence of other releases, of other randomness or of time, on one of 100 batches',
  exempt: noShape,
  check: (subject, env) =>
    env.forAll(
      fc.tuple(batchesFor(subject), batchesFor(subject)),
      ([{ shape, data }, other]): Violation | undefined => {
        const randomness = env.random('coins');
        const first = feed(subject, data, { shape, randomness }).value.slice();
        const held = feed(subject, other.data, { shape: other.shape, randomness: env.random('others') });
        const { random, turn } = randomnessByRecord(randomness);
        const run = subject.plugin.begin(subject.params, wholeShape(subject, shape), random);
        data.forEach((row, slot) => {
          feed(subject, other.data, { shape: other.shape, randomness: env.random('others') });
          turn(slot);
          run.add(slot, row === null ? new Float64Array(shape.dimension) : Float64Array.from(row));
        });
        held.run.finish(held.value);
        turn('value');
        const again = run.value();
        return same(first, again)
          ? undefined
          : {
              what:
                `value() is ${few(first)} alone, and ${few(again)} on the same records and randomness with ` +
                'other releases before and between: something is shared',
              input: { shape, data, other: other.data },
            };
      },
      { runs: 100, examples: handfuls(subject) },
    ),
});

/** Three records in a release of another shape, and three others of it. */
const handfuls = (subject: CentralSubject): readonly [Batch, Batch][] =>
  otherShapes(subject).map((shape) => {
    const size = scaleAt(subject, shape);
    const batch = (sign: number): Batch => ({
      shape,
      data: [1, 2, 3].map((i) =>
        Array.from({ length: shape.dimension }, (_, j) => sign * size * (((i * j) % 7) - 2)),
      ),
    });
    return [batch(1), batch(-1)];
  });

/** The order of records does not matter. */
export const permutationInvariant = defineMeanLaw({
  id: 'mean/permutation-invariant',
  tier: 'search',
  onClaim: true,
  statement: 'records in another order give the same value(), up to rounding of the sum',
  power: 'any dependence on the order beyond rounding, on one of 200 batches',
  exempt: noShape,
  check: (subject, env) =>
    env.forAll(
      fc.tuple(batchesFor(subject), fc.nat(999)),
      ([{ shape, data }, seed]): Violation | undefined => {
        const random = env.random(seed);
        const moved = data
          .map((row) => [random.uniform(), row] as const)
          .toSorted(([a], [b]) => a - b)
          .map(([, row]) => row);
        const randomness = env.random('coins');
        const before = feed(subject, data, { shape, randomness }).value;
        const after = feed(subject, moved, { shape, randomness }).value;
        const sizes = Object.values(defined(sensitivityAt(subject, shape))).filter(
          (size) => size !== undefined,
        );
        const measured = distance(declaredNorm(subject), before, after);
        const allowed = 16 * shape.slots * (shape.dimension + 1) * unit * Math.max(...sizes) * shape.slots;
        return measured <= allowed
          ? undefined
          : {
              what: `value() is ${few(before)}, and ${few(after)} with the records in another order`,
              measured,
              allowed,
              input: { shape, data, moved },
            };
      },
      { runs: 200 },
    ),
});
