import { defineLoss, type Loss, type RecordView, type Vector } from '@lethe/core';
import { subjectsOf, type Subject } from '@lethe/laws';
import { losses, squared } from '@lethe/losses';
import { defineMutant } from '../mutant.js';

const source = 'issue 17, stop 27: no law looked for a plugin that keeps a point';

/** What was found last, and for which point and record. */
interface Last {
  readonly at: Vector;
  readonly record: RecordView;
  readonly gradient: Vector;
}

/** A loss that remembers its last gradient, and knows the point again by `isSame`. */
const remembering = (isSame: (kept: Vector, at: Vector) => boolean) => (): Subject<'loss'> => {
  const { kind: _kind, linear: _linear, ...rest } = { ...squared } as Loss;
  let last: Last | undefined;
  const isSameRecord = (one: RecordView, other: RecordView): boolean =>
    one.label === other.label && one.features.every((entry, j) => entry === other.features[j]);
  const plugin = defineLoss({
    ...rest,
    linear: null,
    gradientInto(params, out, at, record) {
      if (last !== undefined && isSame(last.at, at) && isSameRecord(last.record, record)) {
        out.set(last.gradient);
        return;
      }
      squared.gradientInto(params as never, out, at, record);
      last = { at, record: { ...record, features: record.features.slice() }, gradient: out.slice() };
    },
  }) as unknown as Loss;
  return subjectsOf(plugin, { registry: losses })[0] as Subject<'loss'>;
};

export const pointKnownByArray = defineMutant({
  id: 'loss/gradient-remembered-by-array-of-point',
  title: 'the last gradient is remembered by the array of its point',
  kind: 'loss',
  source,
  killedBy: ['loss/lent-points'],
  within: 20,
  plant: remembering((kept, at) => kept === at),
});

export const pointComparedLater = defineMutant({
  id: 'loss/gradient-remembered-by-lent-array-contents',
  title: 'the last gradient is remembered by what the array of its point holds later',
  kind: 'loss',
  source,
  killedBy: ['loss/lent-points'],
  within: 20,
  plant: remembering((kept, at) => kept.length === at.length && kept.every((entry, j) => entry === at[j])),
});
