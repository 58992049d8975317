import type { MeanRun, MeanShape, RandomSource } from '@lethe/core';
import fc from 'fast-check';
import { dataOf, type Data } from '../../arbitraries/vectors.js';
import { distance } from '../../engines/norms.js';
import type { Violation } from '../../law/finding.js';
import { defineMeanLaw } from './define-mean-law.js';
import { unit } from '../clip/apply.js';
import { few, same } from './data.js';
import {
  declaredNorm,
  noShape,
  scaleAt,
  shapesOf,
  wholeShape,
  type CentralSubject,
  type Shape,
} from './release.js';

/** Which numbers records have, as they are added. */
type Numbering = (position: number) => number;
const numberings: readonly Numbering[] = [
  (position) => position,
  (position) => 3 * position + 7,
  (position) => 2 ** 31 + 5 - position,
];

const hiddenShape = (subject: CentralSubject, shape: Shape): MeanShape => ({
  ...wholeShape(subject, shape),
  size: 'hidden',
});

function runOn(
  subject: CentralSubject,
  data: Data,
  shape: Shape,
  numbered: Numbering,
  random: RandomSource,
): MeanRun {
  const run = subject.plugin.begin(subject.params, hiddenShape(subject, shape), random);
  data.forEach((row, position) => {
    run.add(numbered(position), row === null ? new Float64Array(shape.dimension) : Float64Array.from(row));
  });
  return run;
}

const valueOf = (...given: Parameters<typeof runOn>): Float64Array => runOn(...given).value();

/** A release that needs no more than a public normaliser. */
export const hiddenSize = defineMeanLaw({
  id: 'mean/hidden-size',
  tier: 'search',
  invariant: 'I-6',
  statement:
    'where a mean takes batches of hidden size, any number of records can be added under any numbers, ' +
    'beside a normaliser that is not whole; value() depends neither on the numbers nor on the order, ' +
    'and a record that leaves or is replaced moves it by no more than the sensitivity that is declared for ' +
    'such batches, however many there are; finish is a function of the noised value and the coins, ' +
    'however many records there are',
  power:
    'a count, a slot or a position that enters value(), or a count that enters the answer, ' +
    'among 200 batches of up to three times as many ' +
    'records as the normaliser says',
  exempt: (subject) =>
    subject.plugin.hiddenSize === true ? noShape(subject) : 'it takes batches of exact size only',
  check(subject, env) {
    const batches = fc.constantFrom(...shapesOf(subject, { most: 4 })).chain((whole) => {
      const shape = { ...whole, slots: whole.slots - 0.25 };
      return fc.tuple(
        fc.constant(shape),
        dataOf({
          dimension: shape.dimension,
          scale: scaleAt(subject, whole),
          norm: declaredNorm(subject),
          rows: 3 * whole.slots,
          fewest: 1,
          nulls: true,
        }),
        fc.nat(),
      );
    });
    return env.forAll(
      batches,
      ([shape, data, pick]): Violation | undefined => {
        const input = { shape, data };
        const random = env.random('coins');
        const sensitivity = subject.plugin.sensitivity(subject.params, hiddenShape(subject, shape));
        const declared = sensitivity['add-remove'];
        if (declared === undefined)
          return {
            what:
              'it takes batches of hidden size, and declares no sensitivity for a record that leaves one ' +
              `with the normaliser ${shape.slots}`,
            input,
          };
        const value = valueOf(subject, data, shape, numberings[0], random);
        // Where values are whole, sums are exact in any order; elsewhere they round.
        const slack = subject.plugin.integers === true ? 0 : 64 * unit * data.length * declared;
        for (const [what, other] of [
          ['other numbers', valueOf(subject, data, shape, numberings[1], random)],
          ['other numbers', valueOf(subject, data, shape, numberings[2], random)],
          ['another order', valueOf(subject, data.toReversed(), shape, numberings[0], random)],
        ] as const) {
          const moved = distance(declaredNorm(subject), value, other);
          if (!(moved <= slack))
            return {
              what:
                `with ${what} of the same records value() is ${few(other)} in place of ${few(value)}: ` +
                'in a batch of hidden size they tell who else is there',
              measured: moved,
              allowed: slack,
              input,
            };
        }
        const at = pick % data.length;
        const opposite = data[at]?.map((x) => -x + 0) ?? null;
        for (const [what, other, most] of [
          ['without', data.toSpliced(at, 1), declared],
          ['with the opposite of', data.with(at, opposite), sensitivity['replace-one']],
        ] as const) {
          if (most === undefined) continue;
          const measured = distance(
            declaredNorm(subject),
            value,
            valueOf(subject, other, shape, numberings[0], random),
          );
          const allowed = most * (1 + 64 * unit) + slack;
          if (!(measured <= allowed))
            return {
              what: `${what} one of ${data.length} records value() moves by more than its sensitivity`,
              measured,
              allowed,
              input,
            };
        }
        const answerOf = (records: Data): Float64Array => {
          const run = runOn(subject, records, shape, numberings[0], env.random('coins'));
          return run.finish(run.value().fill(declared)).slice();
        };
        const answer = answerOf(data);
        const fewer = answerOf(data.toSpliced(at, 1));
        if (!same(answer, fewer))
          return {
            what:
              `the same noised value becomes the answer ${few(answer)} after ${data.length} records and ` +
              `${few(fewer)} after one fewer: finish lets their number past the noise`,
            input,
          };
        return undefined;
      },
      { runs: 200 },
    );
  },
});
