import type { RecordDomain } from '@lethe/core';
import { fails, holds } from '../../law/finding.js';
import { defineLaw } from '../../law/law.js';
import type { Subject } from '../../law/subject.js';
import { onAxis } from '../../arbitraries/vectors.js';
import { outcomeOf } from '../curator/outcomes.js';
import { inBall, labelsWithin, refutedBy, statedBy, type Case } from './facts.js';
import { along, dimensionOf, inner, moved, norm, withoutLabels } from './points.js';

/** Bounds on records and iterates, from a thousandth to a thousand. */
const sizes: readonly Omit<RecordDomain, 'columns'>[] = [
  { featureNorm: 1, labelBound: 1, iterateNorm: 1 },
  { featureNorm: 1e-3, labelBound: 1e-3, iterateNorm: 1e-3 },
  { featureNorm: 7, labelBound: 17, iterateNorm: 33 },
  { featureNorm: 1, labelBound: 1, iterateNorm: 200 },
  { featureNorm: 200, labelBound: 1e4, iterateNorm: 1 },
  { featureNorm: 1, labelBound: 50, iterateNorm: 1 },
];
const lengths = [1, 9, 40, 257];
/** Columns up to which a fact about coordinates is tried in each. */
const few = 9;
/** Columns beyond which one size is enough. */
const wide = 100;
/** Entries of a point beyond which a length is left out. */
const mostEntries = 300;

/**
 * Records as long as their bounds allow: one entry, each in turn where it has a bound of its own and there
 * are few; all entries; and signs that alternate.
 */
function longest({ columns, featureNorm = Infinity, featureBounds }: RecordDomain): (readonly number[])[] {
  const axes =
    featureBounds === undefined || columns > few ? [] : Array.from({ length: columns - 1 }, (_, j) => j);
  const directions = [
    ...[columns - 1, ...axes].map((j) => onAxis(columns, j, 1)),
    Array.from({ length: columns }, () => 1),
    Array.from({ length: columns }, (_, j) => (j % 2 === 0 ? 1 : -1)),
  ];
  return directions.map((direction) => {
    const bound = featureBounds?.[0] ?? Infinity;
    const scale = Math.min(featureNorm / norm(direction), bound) * (1 - 2 ** -52);
    return direction.map((entry) => entry * scale + 0);
  });
}

/** Points at the bound on either side and at the origin, each with one a little further along the record. */
function* casesOf(subject: Subject<'loss'>, domain: RecordDomain): Generator<Case> {
  const { iterateNorm = 1 } = domain;
  for (const x of longest(domain)) {
    const ahead = along(subject, x, 1 / norm(x));
    for (const label of labelsWithin(subject, domain).slice(0, 2))
      for (const side of [1, -1, 0]) {
        const w = inBall(along(subject, x, (side * 2 * iterateNorm) / norm(x)), iterateNorm);
        const step = 2 ** -8 * Math.min(1, iterateNorm);
        const v = inBall(moved(w, ahead, inner(w, ahead) > 0 ? -step : step), iterateNorm);
        yield { domain, x, label, w, v };
      }
    yield* tiesOf(subject, domain, x);
  }
}

/** Of several outputs two that tie, and the others far below: where what they share is most curved. */
function* tiesOf(subject: Subject<'loss'>, domain: RecordDomain, x: readonly number[]): Generator<Case> {
  const outputs = dimensionOf(subject, x.length) / x.length;
  if (!(Number.isInteger(outputs) && outputs >= 2)) return;
  const { iterateNorm = 1 } = domain;
  const blocks = (weights: (output: number) => number): readonly number[] =>
    Array.from({ length: outputs * x.length }, (_, i) => {
      const weight = weights(Math.floor(i / x.length));
      return weight === 0 ? 0 : (weight * x[i % x.length]) / norm(x);
    });
  const far = (-0.99 * iterateNorm) / Math.sqrt(Math.max(1, outputs - 2));
  const w = blocks((output) => (output < 2 ? 0 : far));
  const apart = 2 ** -8 * Math.min(1, iterateNorm);
  const v = moved(
    w,
    blocks((output) => [1, -1][output] ?? 0),
    apart,
  );
  for (const label of labelsWithin(subject, domain).slice(0, 1)) yield { domain, x, label, w, v };
}

/** Facts are bounds at every size of the records. */
export const factsElsewhere = defineLaw<'loss'>({
  id: 'loss/facts-elsewhere',
  kind: 'loss',
  tier: 'exact',
  invariant: 'I-11',
  statement: 'facts hold for records of any number of columns, and for bounds of any size',
  power:
    'a constant that is attained where margins are longest, or at the origin, and too small by 10⁻⁶ from ' +
    'some number of columns on, or from some bound on: 1 to 257 columns while a point has 300 entries at ' +
    'most, bounds from 10⁻³ to 10⁴',
  exempt: withoutLabels,
  check(subject) {
    let tried = 0;
    for (const columns of lengths) {
      const dimension = outcomeOf(() => dimensionOf(subject, columns));
      if ('refused' in dimension || dimension.value > mostEntries) continue;
      const bounded = {
        featureBounds: Array.from({ length: columns }, () => 0.5),
        labelBound: 1,
        iterateNorm: 2,
      };
      for (const bounds of columns > wide ? [bounded] : [...sizes, bounded]) {
        const domain = { columns, ...bounds };
        const isEachTried = bounds === bounded && columns <= few;
        const stated = Object.fromEntries(
          Object.entries(statedBy(subject, domain)).filter(([name]) => {
            const j = Number(name.split('.')[1] ?? 0);
            return isEachTried || j === 0 || j === dimension.value - 1;
          }),
        );
        for (const one of casesOf(subject, domain)) {
          tried++;
          const wrong = refutedBy(subject, one, stated);
          if (wrong !== undefined) return fails(tried, wrong);
        }
      }
    }
    return holds(tried);
  },
});
