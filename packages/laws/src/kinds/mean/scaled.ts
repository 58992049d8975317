import type { Sensitivity } from '@lethe/core';
import { defined } from '@lethe/numerics';
import fc from 'fast-check';
import type { Data } from '../../arbitraries/vectors.js';
import { distance } from '../../engines/norms.js';
import type { Violation } from '../../law/finding.js';
import { batchesFor, few } from './data.js';
import { defineMeanLaw } from './define-mean-law.js';
import { declaredNorm, feed, noShape, scaleAt, sensitivityAt, type CentralSubject } from './release.js';

/** The mean in other units; nothing where it has none. */
function inUnits(subject: CentralSubject, factor: number): CentralSubject | undefined {
  const changed: unknown = subject.plugin.scaled?.(subject.params, factor, subject.registry) ?? null;
  return changed === null ? undefined : { ...subject, params: subject.plugin.params.parse(changed) };
}

const largest = (sensitivity: Sensitivity): number =>
  Math.max(0, ...Object.values(sensitivity).filter((size) => size !== undefined));

/** Other units are other units of records, answers and noise. */
export const scaled = defineMeanLaw({
  id: 'mean/scaled',
  tier: 'search',
  statement:
    'scaled by a power c of two, a mean makes c·answer of c·records and of the same ' +
    'noise in units of its own sensitivity, to one part in 10^6; ' +
    'without whole values its sensitivity scales by any c, to one part in 10^12',
  power: 'any parameter that keeps its unit, on one of 100 batches; a sensitivity off by one part in 10^11',
  exempt: (subject) =>
    noShape(subject) ?? (inUnits(subject, 2) === undefined ? 'it has no other units' : undefined),
  check(subject, env) {
    const isWhole = subject.plugin.integers === true;
    // Only by powers of two are all roundings the same, of whole
    // values and of records at the edge of what is dropped.
    return env.forAll(
      fc.tuple(batchesFor(subject), fc.constantFrom(0.25, 2, 1024), fc.nat(99)),
      ([{ shape, data }, factor, seed]): Violation | undefined => {
        const before = defined(sensitivityAt(subject, shape));
        const size = scaleAt(subject, shape);
        if (!(size < 1e100 && size > 1e-100)) return undefined;
        for (const by of isWhole ? [factor] : [factor, 0.3 * factor]) {
          const after = sensitivityAt(defined(inUnits(subject, by)), shape);
          if (after === undefined)
            return { what: `scaled by ${by} it refuses ${shape.dimension} × ${shape.slots}`, input: shape };
          const measured = largest(after);
          const allowed = largest(before) * (isWhole ? 1 : by);
          if (!(Math.abs(measured - allowed) <= 1e-12 * allowed))
            return {
              what: `scaled by ${by} its sensitivity is ${measured}; it was ${largest(before)}`,
              measured,
              allowed,
              input: shape,
            };
        }
        const other = defined(inUnits(subject, factor));
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
