import type { Adjacency, Vector } from '@lethe/core';
import { defined } from '@lethe/numerics';
import type { Data } from '../../arbitraries/vectors.js';
import type { Violation } from '../../law/finding.js';
import { defineLaw } from '../../law/law.js';
import type { Subject } from '../../law/subject.js';
import { firstOf } from './outcomes.js';
import { multiplier, probesUnder, type Probe } from './probes.js';
import type { Action, Observer } from './stand-ins/index.js';
import { openFixture, underEach, type Fixture } from './fixture.js';

const slots = 4;
const dimension = 3;
const draws = 8;
/** Records of zeros, of all sizes within the bound, and far beyond it. */
const dataSets: readonly Data[] = [0, 0.3, 1e6].map((size) =>
  Array.from({ length: slots }, (_, i) => [size, (size * i) / 7, -size / 3]),
);

interface GridAnswers {
  readonly answer: Vector;
  readonly noised: Vector;
}

type Noised = Extract<Action, { did: 'noised' }>;
/** What was noised since it was last taken; one observer of many fixtures, which share their registry. */
interface Watch {
  readonly observe: Observer;
  readonly taken: () => Noised | undefined;
}
function watch(): Watch {
  let last: Noised | undefined;
  return {
    observe(action) {
      if (action.did === 'noised') last = action;
    },
    taken() {
      const found = last;
      last = undefined;
      return found;
    },
  };
}

/** The answer of a release, and the noised value before rounding. */
function answersOf(
  subject: Subject<'curator'>,
  probe: Probe,
  adjacency: Adjacency,
  { rows, randomness, seen }: { readonly rows: Data; readonly randomness: string; readonly seen: Watch },
): GridAnswers {
  const labels = rows.map((row) => probe.label?.(defined(row)) ?? 0);
  const open = (): Fixture =>
    openFixture(subject, {
      ...probe.fixture,
      rows,
      adjacency,
      labels,
      randomness,
      observe: seen.observe,
    });
  const answer = Float64Array.from(probe.release(open(), 'gaussian'));
  const noised = seen.taken()?.after ?? new Float64Array(answer.length);
  if (!probe.name.startsWith('stream')) return { answer, noised };
  // The noise of a stream is drawn at scale 1 and added to the increment afterwards.
  const increment = probe.release(open(), 'silent');
  const scale = multiplier * probe.sensitivity(adjacency, slots);
  return { answer, noised: noised.map((z, j) => increment[j] + scale * z) };
}

/** The largest power of two that divides all numbers. */
function commonGrid(numbers: readonly number[]): number {
  let grid = 2 ** 500;
  for (const x of numbers) while (Number.isFinite(x) && !Number.isInteger(x / grid)) grid /= 2;
  return grid;
}

export const publicGrid = defineLaw({
  id: 'curator/public-grid',
  kind: 'curator',
  tier: 'exact',
  invariant: 'I-8',
  statement:
    'An answer with real-valued noise is the noised value rounded to the nearest multiple of a power of ' +
    'two between 2⁻²⁰ and 2⁻⁴ of the scale, independent of the records; zero has no sign.',
  power:
    'answers that are not rounded, not rounded to nearest, or rounded to different grids for three data ' +
    'sets, in 24 answers per release',
  cells: underEach,
  check: (subject, env) => firstOf(offGrids(subject, defined(env.cell.adjacency))),
});

function* offGrids(
  subject: Subject<'curator'>,
  adjacency: Adjacency,
): Generator<Violation | undefined, void> {
  for (const probe of probesUnder(adjacency)) yield offGrid(subject, probe, adjacency);
}

function offGrid(subject: Subject<'curator'>, probe: Probe, adjacency: Adjacency): Violation | undefined {
  const seen = watch();
  const all = dataSets.flatMap((rows) =>
    Array.from({ length: draws }, (_, k) =>
      answersOf(subject, probe, adjacency, { rows, randomness: `coins ${k}`, seen }),
    ),
  );
  const scale = multiplier * probe.sensitivity(adjacency, slots);
  const grid = commonGrid(all.flatMap(({ answer }) => [...answer]));
  const input = { release: probe.name, dimension, slots };
  if (!(grid >= 2 ** -20 * scale))
    return {
      what:
        `answers to "${probe.name}" are multiples of ${grid} and of no larger power of two: ` +
        'their last bits reveal the exact value',
      measured: grid,
      allowed: 2 ** -20 * scale,
      input,
    };
  if (!(grid <= 2 ** -4 * scale))
    return {
      what: `answers to "${probe.name}" are rounded to ${grid}, which is too coarse for their noise`,
      measured: grid,
      allowed: 2 ** -4 * scale,
      input,
    };
  for (const { answer, noised } of all) {
    for (let j = 0; j < answer.length; j++) {
      const moved = Math.abs(answer[j] - noised[j]);
      const allowed = (grid / 2) * (1 + 2 ** -10);
      if (!(moved <= allowed))
        return {
          what:
            `an answer to "${probe.name}" is not the multiple of ${grid} nearest to the noised value: ` +
            'the grid, or the rounding, depends on the records',
          measured: moved,
          allowed,
          input,
        };
      if (Object.is(answer[j], -0))
        return {
          what: `an answer to "${probe.name}" is negative zero: the sign reveals the rounded value`,
          input,
        };
    }
  }
  return undefined;
}
