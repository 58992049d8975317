import type { Sensitivity } from '@lethe/core';
import { defined } from '@lethe/numerics';
import fc from 'fast-check';
import type { Data } from '../../arbitraries/vectors.js';
import { distance } from '../../engines/norms.js';
import type { Violation } from '../../law/finding.js';
import { batchesFor, few } from './data.js';
import { biasAt, varianceAt } from './declared.js';
import { defineMeanLaw } from './define-mean-law.js';
import {
  declaredNorm,
  feed,
  noShape,
  scaleAt,
  sensitivityAt,
  type CentralSubject,
  type Shape,
} from './release.js';

/** The mean in other units; `null` where it has none, and nothing where its schema ends there. */
function inUnits(subject: CentralSubject, factor: number): CentralSubject | null | undefined {
  const changed: unknown = subject.plugin.scaled?.(subject.params, factor, subject.registry) ?? null;
  if (changed === null) return null;
  const { success, data } = subject.plugin.params.safeParse(changed);
  return success ? { ...subject, params: data } : undefined;
}

/** Whether two numbers are the same up to rounding. */
const alike = (a: number, b: number): boolean => a === b || Math.abs(a - b) <= 1e-9 * Math.abs(b);

/** Sensitivity and error in other units; on a grid they may part by one step of it. */
function sizesIn(subject: CentralSubject, shape: Shape, by: number): Violation | undefined {
  const other = inUnits(subject, by);
  if (other === null)
    return { what: `it has other units, and none that are ${by} times as large`, input: { factor: by } };
  if (other === undefined) return undefined;
  const after = sensitivityAt(other, shape);
  if (after === undefined)
    return { what: `scaled by ${by} it refuses ${shape.dimension} × ${shape.slots}`, input: shape };
  const isWhole = subject.plugin.integers === true;
  const before = largest(defined(sensitivityAt(subject, shape)));
  const measured = largest(after);
  const allowed = before * (isWhole ? 1 : by);
  const room = isWhole && !Number.isInteger(Math.log2(by)) ? 2 : 0;
  if (!(Math.abs(measured - allowed) <= room + 1e-12 * allowed))
    return {
      what: `scaled by ${by} its sensitivity is ${measured}; it was ${before}`,
      measured,
      allowed,
      input: shape,
    };
  return room > 0 ? undefined : boundsIn(subject, other, shape, by);
}

/** Bounds for records that are `by` times as large, against those in the unit of the mean. */
function boundsIn(
  subject: CentralSubject,
  other: CentralSubject,
  shape: Shape,
  by: number,
): Violation | undefined {
  const size = scaleAt(subject, shape);
  const unit = subject.plugin.integers === true ? 1 : by;
  for (const [what, own, found] of [0, 0.5, 2].flatMap((length) => {
    const order = 4;
    const [moment, moved] = [length * size, length * size * by].map((root) => ({
      order,
      value: root ** order,
    }));
    const noise = (size / shape.slots) ** 2;
    return [
      [`biasBound`, by * biasAt(subject, shape, moment), biasAt(other, shape, moved)],
      [
        `varianceBound`,
        by ** 2 * varianceAt(subject, shape, moment, noise),
        varianceAt(other, shape, moved, unit ** 2 * noise),
      ],
    ] as const;
  }))
    if (!alike(own, found))
      return {
        what: `scaled by ${by} its ${what} is ${found}, and ${own} in its own unit`,
        measured: found,
        allowed: own,
        input: shape,
      };
  return undefined;
}

const largest = (sensitivity: Sensitivity): number =>
  Math.max(0, ...Object.values(sensitivity).filter((size) => size !== undefined));

/** Other units are other units of records, answers and noise. */
export const scaled = defineMeanLaw({
  id: 'mean/scaled',
  tier: 'search',
  statement:
    'scaled by a power c of two, a mean makes c·answer of c·records and of the same noise in units of ' +
    'its own sensitivity, to one part in 10^6; without whole values sensitivity and error bounds scale ' +
    'by any c, and on a grid the sensitivity keeps its steps but for one',
  power:
    'any parameter that keeps its unit, on one of 100 batches; a sensitivity off by one part in 10^11, ' +
    'a bound by one in 10^8, and units that end between powers of two',
  exempt: (subject) =>
    noShape(subject) ?? (inUnits(subject, 2) === null ? 'it has no other units' : undefined),
  check(subject, env) {
    // Only by powers of two are all roundings the same, of whole
    // values and of records at the edge of what is dropped.
    return env.forAll(
      fc.tuple(batchesFor(subject), fc.constantFrom(0.25, 2, 1024), fc.nat(99)),
      ([{ shape, data }, factor, seed]): Violation | undefined => {
        const size = scaleAt(subject, shape);
        if (!(size < 1e100 && size > 1e-100)) return undefined;
        for (const by of [factor, 0.3 * factor, 1.3 * factor]) {
          const found = sizesIn(subject, shape, by);
          if (found !== undefined) return found;
        }
        const other = inUnits(subject, factor);
        if (other === null || other === undefined) return undefined;
        const answer = (one: CentralSubject, records: Data): Float64Array => {
          const { run, value } = feed(one, records, { shape, randomness: env.random('coins') });
          const unit = largest(defined(sensitivityAt(one, shape)));
          env
            .random(seed)
            .gaussianInto(new Float64Array(value.length))
            .forEach((x, j) => {
              value[j] += x * unit;
            });
          return run.finish(value).slice();
        };
        const bounded = data.map((row) => row && row.map((x) => Math.max(-1e100, Math.min(1e100, x))));
        const own = answer(subject, bounded).map((x) => x * factor);
        const found = answer(
          other,
          bounded.map((row) => row && row.map((x) => x * factor)),
        );
        const off = distance(declaredNorm(subject), own, found);
        const room = 1e-6 * factor * size;
        return off <= room
          ? undefined
          : {
              what: `scaled by ${factor} it answers ${few(found)}; ${factor} times its answer is ${few(own)}`,
              measured: off,
              allowed: room,
              input: { shape, data: bounded, factor },
            };
      },
      { runs: 100 },
    );
  },
});
