import { recordOf } from './run-record.js';
import type { Effect, Entry } from '@lethe/curator';
import { defined } from '@lethe/numerics';
import fc from 'fast-check';
import type { Violation } from '../../law/finding.js';
import { defineLaw } from '../../law/law.js';
import { everything, addEntry, slots } from './model.js';
import { digestOf, nameOf, newFixture, noise, opened, type Fixture } from './fixture.js';
import { costs, records } from './totals.js';

/**
 * Equal steps of one run: a draw at `rate`, its releases, and its end; without a rate, the releases alone.
 */
interface Steps {
  readonly run: number;
  readonly rate: number | null;
  readonly releases: number;
  readonly scale: number;
  readonly times: number;
  /** Number of queries missing in the last step. */
  readonly short: number;
}
/** Two sequences of steps at once, with alternating queries. */
interface Play {
  readonly one: Steps;
  readonly other: Steps | null;
}

const steps: fc.Arbitrary<Steps> = fc.record({
  run: fc.nat(1),
  rate: fc.constantFrom(0.5, 0.1, null),
  releases: fc.integer({ min: 1, max: 3 }),
  scale: fc.constantFrom(1, 2),
  times: fc.constantFrom(1, 3, 45, 70),
  short: fc.nat(3),
});
const plays = fc.array(fc.record({ one: steps, other: fc.option(steps) }), { minLength: 1, maxLength: 3 });

/** Effects of the queries of these steps; the first query has the number `first`. */
function effectsOf({ run, rate, releases, scale, times, short }: Steps, first: number): readonly Effect[] {
  const length = rate === null ? releases : releases + 2;
  return Array.from({ length: Math.max(0, times * length - short) }, (_, k): Effect => {
    const ahead = k % length;
    const id = `${nameOf(run)}/${first + k - ahead}`;
    if (rate === null)
      return { charge: { on: { space: everything, from: 0, to: slots }, event: noise(scale) } };
    if (ahead === 0) {
      return {
        space: {
          id,
          how: 'sample',
          parent: 'everyone',
          within: { space: everything, from: 0, to: slots },
          sampler: { kind: 'core/poisson', rate },
          recipe: { by: 'permutation' },
        },
      };
    }
    return ahead === length - 1
      ? { closes: [id] }
      : { charge: { on: { space: id, from: 0, to: 1 }, event: noise(scale) } };
  });
}

function append(fixture: Fixture, { one, other }: Play): void {
  const all = other === null || other.run === one.run ? [one] : [one, other];
  const queues = all.map((each) => {
    const run = nameOf(each.run);
    opened(fixture, run);
    const first = defined(fixture.model.runs.get(run)).entries.length;
    return effectsOf(each, first).map((effect, k): Entry => ({
      run,
      index: first + k,
      digest: digestOf(run, first + k),
      effect,
    }));
  });
  for (let k = 0; queues.some((queue) => k < queue.length); k++) {
    for (const queue of queues)
      if (k < queue.length) {
        fixture.ledger.append(queue[k]);
        addEntry(fixture.model, queue[k]);
      }
  }
}

/** A violation if a partition is still open after steps that the ledger reports as closed. */
function skips({ ledger, model }: Fixture, after: string): Violation | undefined {
  for (const [run, { entries }] of model.runs) {
    const found = recordOf(ledger, run).entries;
    for (const until of [entries.length, entries.length - 1, Math.floor(entries.length / 2)]) {
      for (let at = 0; at < until;) {
        const next = found.afterSteps(at, until);
        const open = new Set<string>();
        if (!(Number.isSafeInteger(next) && next >= at && next <= until))
          return { what: `${after} the steps of ${run} between queries ${at} and ${until} end at ${next}` };
        for (const { effect } of entries.slice(at, next)) {
          effect.closes?.forEach((id) => open.delete(id));
          if (effect.space !== undefined) open.add(effect.space.id);
        }
        if (open.size > 0)
          return {
            what:
              `${after} the steps of ${run} from query ${at} are reported as closed at query ${next}; ` +
              `partition '${[...open][0]}' is open there`,
          };
        at = Math.max(next, at + 1);
      }
    }
  }
  return undefined;
}

export const counted = defineLaw<'ledger'>({
  id: 'ledger/counted',
  kind: 'ledger',
  tier: 'search',
  statement:
    'repeated equal steps, also in compressed storage, are on record individually: ' +
    'entries with their digests, costs by run and in total, also after reopening twice; ' +
    'after steps reported as closed no partition is open',
  power: 'a step, a digest or a scope missing among 45 equal steps or more, on 1 of 8 sequences',
  check: (subject, { forAll }) =>
    forAll(
      plays,
      (sequence) => {
        const fixture = newFixture(subject);
        for (const [i, performAll] of sequence.entries()) {
          append(fixture, performAll);
          for (const when of ['', ', opened again,', ', opened twice,']) {
            const after = `after steps ${i + 1} of ${sequence.length}${when}`;
            if (when !== '') fixture.ledger = subject.open(fixture.options);
            const violation =
              records(fixture, after) ??
              skips(fixture, after) ??
              costs(fixture, after) ??
              [...fixture.model.runs.keys()]
                .map((run) => costs(fixture, after, run))
                .find((found) => found !== undefined);
            if (violation) return violation;
          }
        }
        return undefined;
      },
      {
        runs: 10,
        examples: [
          [
            {
              one: { run: 0, rate: 0.1, releases: 1, scale: 1, times: 70, short: 1 },
              other: { run: 1, rate: 0.1, releases: 1, scale: 1, times: 70, short: 0 },
            },
            { one: { run: 1, rate: null, releases: 1, scale: 2, times: 3, short: 0 }, other: null },
          ],
        ],
      },
    ),
});
