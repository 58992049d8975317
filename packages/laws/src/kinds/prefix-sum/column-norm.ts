import type { Participation, PrefixSumShape } from '@lethe/core';
import { fails, holds, type Finding } from '../../law/finding.js';
import { defineLaw } from '../../law/law.js';
import type { Subject } from '../../law/subject.js';
import { encoderOf, shapesTaken } from './factors.js';
import { densestPatterns, gramOf, longReach, masksOf, reachOf } from './reach.js';

/** The largest shift of the encoded stream found by search for a participation, and the declared bound. */
interface Measured {
  readonly shape: PrefixSumShape;
  readonly participation: Participation;
  readonly reach: number;
  readonly declared: number;
  readonly pattern: readonly number[];
}

const bits = (mask: number): readonly number[] =>
  Array.from({ length: 32 }, (_, t) => t).filter((t) => (mask >> t) & 1);

/** Every pattern of short streams. */
function* shortStreams(subject: Subject<'prefixSum'>): Generator<Measured> {
  for (const dimension of [1, 8])
    for (const shape of shapesTaken(subject, [1, 2, 3, 4, 5, 7, 8], () => dimension)) {
      const gram = gramOf(encoderOf(subject, shape));
      const reaches = Float64Array.from({ length: 2 ** shape.steps }, (_, mask) =>
        mask === 0 ? 0 : Math.sqrt(reachOf(gram, bits(mask), dimension)),
      );
      for (let times = 1; times <= shape.steps + 1; times++)
        for (let gap = 1; gap <= shape.steps + 1; gap++) {
          const worst = masksOf(shape.steps, { times, gap }).reduce(
            (best, mask) => (reaches[mask] > reaches[best] ? mask : best),
            1,
          );
          yield measured(subject, shape, { times, gap }, reaches[worst], bits(worst));
        }
    }
}

/** Single columns and dense patterns of longer streams, also at powers of two and next to them. */
function* longStreams(subject: Subject<'prefixSum'>): Generator<Measured> {
  for (const shape of shapesTaken(subject, [15, 16, 17, 31, 32, 33, 64, 100], () => 1)) {
    const { steps } = shape;
    const gram = gramOf(encoderOf(subject, shape));
    for (const times of [1, 2, 3, steps])
      for (const gap of [1, 2, 5, Math.ceil(steps / 2)]) {
        let reach = 0;
        let worst: readonly number[] = [];
        for (const pattern of densestPatterns(steps, { times, gap })) {
          const found = Math.sqrt(pattern.length <= 8 ? reachOf(gram, pattern, 1) : longReach(gram, pattern));
          if (found > reach) [reach, worst] = [found, pattern];
        }
        yield measured(subject, shape, { times, gap }, reach, worst);
      }
  }
}

/**
 * Every pair of columns of longer streams, for every gap: the
 * worst pair need not be the first or the closest one.
 */
function* pairs(subject: Subject<'prefixSum'>): Generator<Measured> {
  for (const shape of shapesTaken(subject, [16, 32, 47, 100], () => 1)) {
    const { steps } = shape;
    const gram = gramOf(encoderOf(subject, shape));
    let reach = 0;
    let worst: readonly number[] = [];
    for (let gap = steps - 1; gap >= 1; gap--) {
      for (let first = 0; first + gap < steps; first++) {
        const found = Math.sqrt(
          gram[first][first] + gram[first + gap][first + gap] + 2 * Math.abs(gram[first][first + gap]),
        );
        if (found > reach) [reach, worst] = [found, [first, first + gap]];
      }
      yield measured(subject, shape, { times: 2, gap }, reach, worst);
    }
  }
}

/** Single columns of streams too long for whole patterns. */
function* singleColumns(subject: Subject<'prefixSum'>): Generator<Measured> {
  const { plugin, params } = subject;
  for (const shape of shapesTaken(subject, [1023, 1024, 1025], () => 1))
    for (const column of [0, shape.steps >> 1]) {
      let square = 0;
      for (let row = column; row < shape.steps; row++)
        square += plugin.encoder(params, shape, row, column) ** 2;
      yield measured(subject, shape, { times: 1, gap: 1 }, Math.sqrt(square), [column]);
    }
}

const measured = (
  { plugin, params }: Subject<'prefixSum'>,
  shape: PrefixSumShape,
  participation: Participation,
  reach: number,
  pattern: readonly number[],
): Measured => ({
  shape,
  participation,
  reach,
  pattern,
  declared: plugin.columnNorm(params, shape, participation),
});

function judged(all: Iterable<Measured>, wrong: (measured: Measured) => string | undefined): Finding {
  let samples = 0;
  for (const one of all) {
    samples++;
    const what = wrong(one);
    if (what !== undefined)
      return fails(samples, {
        what,
        measured: one.reach,
        allowed: one.declared,
        input: { ...one.shape, participation: one.participation, pattern: one.pattern },
      });
  }
  return holds(samples);
}

const inWords = ({ shape, participation: { times, gap } }: Measured): string =>
  `of a slot in at most ${times} of ${shape.steps} steps, ` +
  `${gap} or more apart (dimension ${shape.dimension})`;

/** The sensitivity of a whole stream. */
export const columnNorm = defineLaw<'prefixSum'>({
  id: 'prefixSum/column-norm',
  kind: 'prefixSum',
  tier: 'exact',
  statement:
    'columnNorm is at least the norm of C(x − x′), for any pattern of ' +
    'participation and any differences of the increments',
  power:
    'a bound below the true norm by more than 4(T + 8) roundings: every pattern, ' +
    'sign and direction up to 8 steps, every pair of steps of 16, 32, 47 and 100, ' +
    'single and densest patterns up to 100, two columns at 1023 to 1025',
  check: (subject) =>
    judged(
      each(shortStreams(subject), longStreams(subject), pairs(subject), singleColumns(subject)),
      (one) => {
        const rounding = 4 * (one.shape.steps + 8) * 2 ** -53;
        if (one.declared > 0 && one.declared < Infinity && one.declared >= one.reach * (1 - rounding))
          return undefined;
        return (
          `the participation ${inWords(one)} moves the encoded stream by ${one.reach}; ` +
          `columnNorm says ${one.declared}`
        );
      },
    ),
});

/** The bound is tight; for plugins that claim it. */
export const columnNormAttained = defineLaw<'prefixSum'>({
  id: 'prefixSum/column-norm-attained',
  kind: 'prefixSum',
  tier: 'exact',
  onClaim: true,
  elsewhere: 0,
  statement: 'some participation attains columnNorm, up to 2 %',
  power: 'any bound 2 % too large for a stream of up to 8 steps',
  check: (subject) =>
    judged(shortStreams(subject), (one) =>
      one.reach >= 0.98 * one.declared
        ? undefined
        : `no participation ${inWords(one)} moves the encoded stream by more than ${one.reach}; ` +
          `columnNorm says ${one.declared}, claimed to be attained, so noise is wasted`,
    ),
});

function* each<T>(...parts: readonly Iterable<T>[]): Generator<T> {
  for (const part of parts) yield* part;
}
