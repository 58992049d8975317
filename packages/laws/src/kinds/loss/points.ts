import type { Loss, RecordView, Vector } from '@lethe/core';
import fc, { type Arbitrary } from 'fast-check';
import { onAxis, vectorOf } from '../../arbitraries/vectors.js';
import { normOf } from '../../engines/norms.js';
import type { Subject } from '../../law/subject.js';

/** Dimension in which laws about single records look. */
export const dimension = 3;
const candidates = [1, -1, 0, 0.5, -0.25, 2, 3, -7, 10, 1e-3, -1e-3, 100, -1e3];

/** Labels the loss accepts, among usual ones. */
export const acceptedLabels = ({ labels }: Pick<Loss, 'labels'>, bound = Infinity): readonly number[] => candidates.filter((label) => Math.abs(label) <= bound && labels.accepts(label));
/** Why these laws cannot speak of a loss. */
export const withoutLabels = ({ plugin }: Subject<'loss'>): string | undefined =>
  (acceptedLabels(plugin).length > 0 ? undefined : `it accepts none of the labels ${candidates.join(', ')}, which are all these laws know`);

/** A point and a record. */
export interface At { readonly w: readonly number[]; readonly x: readonly number[]; readonly label: number }

/** Points and records over many scales; points along the features now and then, so that margins are as large as they can be. */
export function points(loss: Pick<Loss, 'labels'>, scale = 1): Arbitrary<At> {
  const free = fc.record({ w: vectorOf({ dimension, scale: 2 * scale }), x: vectorOf({ dimension, scale }), label: fc.constantFrom(...acceptedLabels(loss)) }, { noNullPrototype: true });
  const aligned = fc.tuple(free, fc.constantFrom(1, -1, 8, -8, 64, -64, 1024, -1024)).map(([at, factor]): At => ({ ...at, w: at.x.map((value) => value * factor) }));
  return fc.oneof({ withCrossShrink: true }, { weight: 3, arbitrary: free }, { weight: 1, arbitrary: aligned }).filter(({ w, x }) => normOf('l2', w) < 1e9 && normOf('l2', x) < 1e9);
}

/** Margins from far below to far above zero, for every label. */
export const margins = (loss: Pick<Loss, 'labels'>): readonly At[] =>
  [0, 0.1, 1, -1, 5, -5, 40, -40, 700, -700, 1e4, -1e4].flatMap((margin) => acceptedLabels(loss).slice(0, 4).map((label): At => ({ w: onAxis(dimension, 0, margin), x: onAxis(dimension, 0, 1), label })));

export const recordAt = ({ x, label }: Pick<At, 'x' | 'label'>): RecordView => ({ features: Float64Array.from(x), label });
export const valueAt = ({ plugin, params }: Subject<'loss'>, w: ArrayLike<number>, record: RecordView): number => plugin.value(params as never, Float64Array.from(w), record);
export function gradientAt({ plugin, params }: Subject<'loss'>, w: ArrayLike<number>, record: RecordView): Vector {
  const out = new Float64Array(w.length).fill(Number.NaN);
  plugin.gradientInto(params as never, out, Float64Array.from(w), record);
  return out;
}
export const inner = (a: ArrayLike<number>, b: ArrayLike<number>): number => Array.from(a).reduce((sum, value, j) => sum + value * b[j]!, 0);
export const norm = (a: ArrayLike<number>): number => normOf('l2', a);
/** The point `step` further in a direction. */
export const moved = (w: ArrayLike<number>, direction: ArrayLike<number>, step: number): readonly number[] => Array.from(w, (value, j) => value + step * direction[j]!);

/** Constant with which the gradients of a record change near a point, where the loss states one of bounded records. */
export const stiffnessNear = ({ plugin, params }: Subject<'loss'>, { w, x, label }: At, reach: number): number | undefined =>
  plugin.facts(params as never, { dimension: w.length, featureNorm: norm(x), labelBound: Math.abs(label), iterateNorm: norm(w) + reach })['smoothness']?.value;
/** Why nothing is known of what the gradient of a loss must be. */
export const withoutShape = (subject: Subject<'loss'>): string | undefined => {
  const { capabilities: { convex, smooth } } = subject.plugin;
  return convex === true || smooth === true || stiffnessNear(subject, { w: [1, 0, 0], x: [1, 0, 0], label: 1 }, 1) !== undefined ? undefined
    : 'it is said to be neither convex nor smooth, not even on bounded sets; what its gradient must be is not known';
};
