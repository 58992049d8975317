import type { Adjacency, RandomSource } from '@lethe/core';
import type { Data, Row } from '../../arbitraries/vectors.js';
import { distance, normOf } from '../../engines/norms.js';
import { fails, holds, type Finding } from '../../law/finding.js';
import type { LawEnv } from '../../law/law.js';
import { named, unit } from '../clip/apply.js';
import { otherShapes } from './other-shapes.js';
import {
  declaredNorm,
  feed,
  scaleAt,
  sensitivityAt,
  shapesOf,
  usesRandomness,
  type CentralSubject,
  type Shape,
} from './release.js';

/** Long records, expected sizes that are not whole, and many more slots than records. */
const shapes: readonly Shape[] = [
  [70, 2],
  [130, 1],
  [260, 3],
  [2, 0.5],
  [1, 2.5],
  [3, 7.25],
  [2, 8],
  [1, 9],
  [2, 1000],
  [1, 1003.5],
  [1, 2 ** 20],
].map(([dimension, slots]) => ({ dimension: dimension, slots: slots }));

/** A record far beyond any bound: on the last axis, at a corner, and at a corner of its last entries only. */
const extremes = ({ dimension }: Shape, size: number): readonly Row[] =>
  [(j: number) => j === dimension - 1, () => true, (j: number) => j >= dimension / 2].map((among) =>
    Array.from({ length: dimension }, (_, j) => (among(j) ? size : 0)),
  );

/**
 * Random releases of long records, where the direction that moves the value most depends on the randomness.
 */
const tossed: Shape = { dimension: 260, slots: 3 };
const rounds = 30;

/**
 * A record in the direction that moves `value()` most under given randomness, by power iteration on what each
 * coordinate does to it.
 */
function steepest(subject: CentralSubject, shape: Shape, size: number, randomness: RandomSource): Row {
  const small = scaleAt(subject, shape) / 1024;
  const valueAt = (row: Row): Float64Array => feed(subject, [row], { shape, randomness }).value.slice();
  const axes = Array.from({ length: shape.dimension }, (_, j) =>
    valueAt(Array.from({ length: shape.dimension }, (_unused, i) => (i === j ? small : 0))),
  );
  let direction = axes.map((_, j) => 1 + (j % 7) / 16);
  for (let round = 0; round < rounds; round++) {
    const image = new Float64Array(axes[0].length);
    axes.forEach((axis, j) => axis.forEach((x, i) => (image[i] += x * direction[j])));
    const next = axes.map((axis) => axis.reduce((sum, x, i) => sum + x * image[i], 0));
    const longest = normOf('l2', next);
    if (!(longest > 0 && longest < Infinity)) break;
    direction = next.map((x) => x / longest);
  }
  return direction.map((x) => x * size + 0);
}

/**
 * What stands beside the record that changes: nobody; another of
 * its kind; one that is opposite; one of each, before and after.
 */
const companies = (
  record: Row,
): readonly { readonly before: readonly Row[]; readonly after: readonly Row[] }[] => {
  const opposite = record.map((x) => -x + 0);
  return [
    { before: [], after: [] },
    { before: [record], after: [] },
    { before: [opposite], after: [] },
    { before: [record], after: [opposite] },
    { before: [], after: [record] },
  ];
};

/** Records in every slot, of which all but one are zero: a mean may treat the first ones otherwise. */
const crowds: readonly Shape[] = [{ dimension: 2, slots: 300 }];
const places = [0, 1, 63, 64, 100, 128, 200, 256, 298, 299];

/** What stands beside the record that changes, in a few ways; or zeros in all other slots, for many slots. */
const besides = (record: Row, shape: Shape): readonly ReturnType<typeof companies>[number][] => {
  if (!shapes.includes(shape) && !crowds.includes(shape)) return companies(record).slice(0, 1);
  if (!crowds.includes(shape)) return companies(record);
  const { slots } = shape;
  const zeros = (count: number): readonly Row[] => Array.from({ length: count }, () => record.map(() => 0));
  return places.map((place) => ({ before: zeros(place), after: zeros(slots - 1 - place) }));
};

/**
 * `value()` on a handful of records, with slots that are never added: what a draw of random size is; on one
 * record among many zeros; and on one alone in shapes of every size. The record that changes keeps its slot;
 * nothing stands in the place of one that is gone.
 */
export function tryHandful(subject: CentralSubject, adjacency: Adjacency, env: LawEnv): Finding {
  const usual = shapesOf(subject)[0];
  const size = 1e3 * scaleAt(subject, usual);
  const isRandom = subject.plugin.integers !== true && usesRandomness(subject, env.random('coins'));
  let samples = 0;
  for (const shape of [...shapes, ...crowds, ...otherShapes(subject)]) {
    const declared = sensitivityAt(subject, shape)?.[adjacency];
    if (declared === undefined) continue;
    const isTossed = shape.dimension === tossed.dimension && isRandom;
    const most = isTossed ? [steepest(subject, shape, size, env.random('handful'))] : [];
    for (const record of [...most, ...extremes(shape, size)]) {
      const gone: Row | null = adjacency === 'replace-one' ? record.map((x) => -x + 0) : null;
      for (const { before, after } of besides(record, shape)) {
        const at = (row: Row | null): Data => [...before, row, ...after];
        const [here, there] = [at(record), at(gone)];
        const nulls = adjacency === 'add-remove' ? 'absent' : 'zero';
        const value = (data: Data): Float64Array =>
          feed(subject, data, { shape, randomness: env.random('handful'), nulls }).value;
        const measured = distance(declaredNorm(subject), value(here), value(there));
        const slack = 8 * (2 * shape.dimension + 32) * (shape.slots + 4) * unit;
        samples++;
        if (measured <= declared * (1 + slack)) continue;
        return fails(samples, {
          what:
            `value() moves by ${measured} in ${named(declaredNorm(subject))} between ${adjacency} ` +
            `neighbours of ${here.length} records (dimension ${shape.dimension}, ` +
            `${shape.slots} slots); the declared sensitivity is ${declared}`,
          measured,
          allowed: declared,
          input: { here, there, shape },
        });
      }
    }
  }
  return holds(samples);
}
