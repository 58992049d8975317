import { defined } from '@lethe/numerics';
import fc from 'fast-check';
import { notFiniteVectorOf } from '../../arbitraries/specials.js';
import type { Row } from '../../arbitraries/vectors.js';
import { defineLaw } from '../../law/law.js';
import { fails, type Violation } from '../../law/finding.js';

import { clipped, lengthsOf } from './apply.js';
import { anyVectorsFor, directionsOfEveryLength, scaleOf } from './vectors.js';

const same = (a: ArrayLike<number>, b: ArrayLike<number>): boolean =>
  a.length === b.length && Array.from(a).every((x, j) => Object.is(x, b[j]));

/** A vector that is not finite becomes zero. */
export const nonFiniteToZero = defineLaw({
  id: 'clip/non-finite-to-zero',
  kind: 'clip',
  tier: 'search',
  statement: 'a vector with a NaN or an infinite entry at any position becomes the zero vector',
  power: 'any entry that stays non-zero in one of 300 such vectors, or in one of every length up to 130',
  check(subject, env) {
    const { norm } = subject.plugin;
    const bads = [NaN, Infinity, -Infinity];
    const inputs = fc
      .constantFrom(...lengthsOf(subject))
      .chain((dimension) => notFiniteVectorOf({ dimension, scale: scaleOf(subject), norm }));
    const examples = lengthsOf(subject).flatMap((length) =>
      bads.flatMap((bad): Row[] => {
        const small = Array.from({ length }, () => 0);
        return [
          small.with(0, bad),
          small.with(length - 1, bad),
          small.map(() => bad),
          small.map(() => 1e-3 * scaleOf(subject)).with(length - 1, bad),
        ];
      }),
    );
    const stays = (vector: Row): Violation | undefined => {
      const result = clipped(subject, vector);
      if (result.every((x) => x === 0)) return undefined;
      return {
        what:
          `a vector with an entry that is not finite became [${result.slice(0, 8).join(', ')}]; ` +
          'it must become zero, or the sum reveals the record',
        input: vector,
      };
    };
    for (const [i, row] of directionsOfEveryLength(subject, env.random('lengths'), 130).entries()) {
      const violation = stays(row.with((i * 7) % row.length, bads[i % 3]));
      if (violation !== undefined) return fails(i + 1, violation);
    }
    return env.forAll(inputs, stays, { runs: 200, examples });
  },
});

/** The clip changes the given vector and nothing else. */
export const inPlace = defineLaw({
  id: 'clip/in-place',
  kind: 'clip',
  tier: 'search',
  statement:
    'the clip changes the vector in place, with the same result alone or inside a larger buffer; ' +
    'it writes nothing beside the vector and does not change the parameters',
  power: 'any write beside the vector, or a different result inside a buffer, on one of 150 vectors',
  check: (subject, env) =>
    env.forAll(
      anyVectorsFor(subject),
      (vector): Violation | undefined => {
        const before = JSON.stringify(subject.params);
        const buffer = new Float64Array(vector.length + 4).fill(7.25);
        const view = buffer.subarray(2, 2 + vector.length);
        view.set(vector);
        subject.plugin.clipInPlace(subject.params, view);
        const [first, second] = buffer;
        const [third, last] = buffer.subarray(2 + vector.length);
        if (![first, second, third, last].every((guard) => guard === 7.25))
          return { what: 'entries of the buffer beside the vector were written', input: vector };
        if (JSON.stringify(subject.params) !== before)
          return {
            what: `clipping changed the parameters from ${before} to ${JSON.stringify(subject.params)}`,
            input: vector,
          };
        const alone = clipped(subject, vector);
        return same(alone, view)
          ? undefined
          : {
              what:
                `clipped alone it becomes [${alone.slice(0, 8).join(', ')}], ` +
                `inside a larger buffer [${view.slice(0, 8).join(', ')}]`,
              input: vector,
            };
      },
      { runs: 150 },
    ),
});

/** A clip has no memory between calls. */
export const pure = defineLaw({
  id: 'clip/memoryless',
  kind: 'clip',
  tier: 'search',
  statement:
    'the result depends on the vector and the parameters alone, not on earlier vectors: ' +
    'a radius that adapts to records would leak information about them',
  power:
    'any influence of up to 1 000 earlier calls, on vectors of one size, of all sizes, similar, ' +
    'or not finite, that changes a bit of one of 12 results',
  check(subject, env) {
    const scale = scaleOf(subject);
    const feed = (count: number, length: number, by: number): void => {
      for (let i = 0; i < count; i++)
        clipped(
          subject,
          Array.from({ length }, (_, j) => ((i + j) % 2 === 0 ? by : -by) * scale),
        );
    };
    const sequence = fc.array(anyVectorsFor(subject), { minLength: 1, maxLength: 12, size: 'max' });
    return env.forAll(
      fc.tuple(sequence, fc.constantFrom(1, 30, 1_000)),
      ([vectors, count]): Violation | undefined => {
        const { length } = vectors[0];
        const all = (): readonly Float64Array[] => vectors.map((vector) => clipped(subject, vector));
        /** Each vector directly after a similar one: a search with a warm start would depend on it. */
        const afterAlike = (by: number) => (): readonly Float64Array[] =>
          vectors.map((vector) => {
            clipped(
              subject,
              vector.map((x) => x * by),
            );
            return clipped(subject, vector);
          });
        const pasts: readonly (readonly [string, () => void, (() => readonly Float64Array[])?])[] = [
          ['no others', () => undefined],
          [`${count} tiny ones`, () => feed(count, length, 1e-9)],
          [`${count} of the size of the radius`, () => feed(count, length, 1)],
          [`${count} huge ones`, () => feed(count, length, 1e9)],
          [
            'one that is not finite',
            () => {
              clipped(
                subject,
                Array.from({ length: length }, () => NaN),
              );
            },
          ],
          [
            'themselves, in reverse order',
            () => {
              for (const vector of vectors.toReversed()) clipped(subject, vector);
            },
          ],
          ['one that is a little longer', () => undefined, afterAlike(1 + 2 ** -5)],
          ['one that is shorter by 2^-30', () => undefined, afterAlike(1 - 2 ** -30)],
        ];
        let before: readonly Float64Array[] | undefined;
        let past = '';
        for (const [name, live, clip = all] of pasts) {
          live();
          const after = clip();
          const at = before?.findIndex((result, i) => !same(result, after[i])) ?? -1;
          if (at >= 0)
            return {
              what:
                `a vector became [${defined(before)[at].slice(0, 8).join(', ')}] after ${past} and ` +
                `[${after[at].slice(0, 8).join(', ')}] after ${name}: the clip remembers records`,
              input: vectors[at],
            };
          [before, past] = [after, name];
        }
        return undefined;
      },
      { runs: 30 },
    );
  },
});
