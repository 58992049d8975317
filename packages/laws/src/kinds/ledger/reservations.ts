import {
  BudgetExceeded,
  Corrupt,
  InvalidParameter,
  LetheError,
  memoryStore,
  repeatedEvent,
  Unsupported,
} from '@lethe/core';
import type { Entry, Ledger, LedgerOptions, Reservation, RunStanding } from '@lethe/curator';
import fc, { type Arbitrary } from 'fast-check';
import type { Violation } from '../../law/finding.js';
import { defineLaw } from '../../law/law.js';
import { shown } from '../../law/report.js';
import { pureFilterOf } from './filters.js';
import { equal, pureOf } from './model.js';
import { hasRoom, keyOf, nameOf, noise, pureAccountant, rootOf } from './fixture.js';

type As = 'plain' | 'planned' | 'held';
type Step =
  | { readonly do: 'open'; readonly run: number; readonly as: As; readonly size: number }
  | { readonly do: 'charge'; readonly run: number; readonly scale: 1 | 2 }
  | { readonly do: 'end'; readonly run: number }
  | { readonly do: 'reopen' };

const run = fc.nat(2);
const steps: Arbitrary<readonly Step[]> = fc.array(
  fc.oneof(
    {
      weight: 4,
      arbitrary: fc.record({
        do: fc.constant('open' as const),
        run,
        as: fc.constantFrom<As>('plain', 'planned', 'held'),
        size: fc.integer({ min: 1, max: 4 }),
      }),
    },
    {
      weight: 6,
      arbitrary: fc.record({
        do: fc.constant('charge' as const),
        run,
        scale: fc.constantFrom(1 as const, 1 as const, 2 as const),
      }),
    },
    { weight: 1, arbitrary: fc.record({ do: fc.constant('end' as const), run }) },
    { weight: 1, arbitrary: fc.constant({ do: 'reopen' as const }) },
  ),
  { minLength: 2, maxLength: 14 },
);

/** The limit, in units of one release. */
const most = 6;
/** The model of a run: number of full-unit and half-unit releases, and its reservation. */
interface Count {
  readonly as: As;
  readonly size: number;
  readonly ones: number;
  readonly halves: number;
  readonly ended: boolean;
  /** Whether this process was given the filter. */ readonly given: boolean;
}
type Counts = ReadonlyMap<string, Count>;

const chargedTo = ({ ones, halves }: Count): number => ones + halves / 2;
/** A run that has ended counts with its charges; one that is held to a filter, with the filter's limit. */
const setAside = (count: Count): number => {
  const isReleased = count.ended && (count.as === 'planned' || chargedTo(count) === 0);
  return count.as === 'plain' || isReleased ? chargedTo(count) : count.size;
};
const committed = (counts: Counts, but?: string): number =>
  [...counts].reduce((sum, [name, count]) => sum + (name === but ? 0 : setAside(count)), 0);
const totalOf = (counts: Counts): number =>
  [...counts.values()].reduce(
    (sum, count) => sum + (count.as === 'held' ? setAside(count) : chargedTo(count)),
    0,
  );

type Refusal = typeof BudgetExceeded | typeof InvalidParameter | typeof Unsupported | typeof Corrupt;
/** Expected outcome of a step: the new counts, or the type of its refusal. */
function expected(counts: Counts, step: Exclude<Step, { do: 'reopen' }>): Counts | Refusal {
  const name = nameOf(step.run);
  const known = counts.get(name);
  const becomes = (count: Count): Counts => new Map([...counts, [name, count]]);
  if (step.do === 'open') {
    const { as, size } = step;
    const fits = committed(counts, name) + size <= most;
    if (known === undefined) {
      const fresh = { as, size: as === 'plain' ? 0 : size, ones: 0, halves: 0, ended: false, given: true };
      return as === 'plain' || fits ? becomes(fresh) : BudgetExceeded;
    }
    if (as === 'plain') return known.as === 'held' ? InvalidParameter : counts;
    if (known.as !== 'plain')
      return known.as === as && known.size === size ? becomes({ ...known, given: true }) : InvalidParameter;
    const isPart = as === 'planned' && known.halves === 0 && known.ones <= size;
    if (chargedTo(known) > 0 && !isPart) return InvalidParameter;
    return fits ? becomes({ ...known, as, size, given: true }) : BudgetExceeded;
  }
  if (known === undefined) return Corrupt;
  if (step.do === 'end') return becomes({ ...known, ended: true });
  if (known.ended) return Corrupt;
  const after = {
    ...known,
    ones: known.ones + Number(step.scale === 1),
    halves: known.halves + Number(step.scale === 2),
  };
  if (known.as === 'held' && !known.given) return Unsupported;
  let fits: boolean;
  if (known.as === 'plain') fits = committed(new Map([...counts, [name, after]])) <= most;
  else if (known.as === 'held') fits = chargedTo(after) <= known.size;
  else fits = after.halves === 0 && after.ones <= known.size;
  return fits ? becomes(after) : BudgetExceeded;
}

const reservationOf = (as: As, size: number): Reservation | undefined => {
  if (as === 'plain') return undefined;
  if (as === 'planned') return { planned: repeatedEvent(noise(1), size) };
  return { held: pureFilterOf(size) };
};
function taken(
  ledger: Ledger,
  step: Exclude<Step, { do: 'reopen' }>,
  counts: Counts,
): LetheError | undefined {
  const name = nameOf(step.run);
  const known = counts.get(name);
  const index = known === undefined ? 0 : known.ones + known.halves;
  const entry: Entry = {
    run: name,
    index,
    digest: 'd',
    effect: {
      charge: { on: { space: 'all', from: 0, to: 8 }, event: noise(step.do === 'charge' ? step.scale : 1) },
    },
  };
  try {
    if (step.do === 'open') ledger.openRun(name, rootOf(name), reservationOf(step.as, step.size));
    else if (step.do === 'end') ledger.endRun(name);
    else ledger.append(entry);
    return undefined;
  } catch (error) {
    if (error instanceof LetheError) return error;
    throw error;
  }
}

/** What is wrong with the standing of a run; a plain run has no reservation. */
function wrongStanding(
  { ended, reserved: holding, planned, counts }: RunStanding,
  count: Count,
): string | undefined {
  if (ended !== count.ended) return `says that it is ${ended ? 'ended' : 'open'}, and it is not`;
  if (!equal(pureOf(counts), setAside(count)))
    return `counts ${pureOf(counts)} against the limit; expected ${setAside(count)}`;
  const isPlain = count.as === 'plain';
  if (isPlain !== (planned === null) || (planned !== null && !equal(pureOf(planned), count.size)))
    return `says that it set aside ${shown(planned)}; expected ${isPlain ? 'nothing' : count.size}`;
  const isReleased = count.ended && (count.as === 'planned' || chargedTo(count) === 0);
  const left = isPlain || isReleased ? null : count.size;
  const found = holding === null ? null : pureOf(holding);
  return found === left || (found !== null && left !== null && equal(found, left))
    ? undefined
    : `says that ${String(found)} are reserved; expected ${String(left)}`;
}

/** Compares the ledger with the counts. */
function compared(ledger: Ledger, counts: Counts, after: string): Violation | undefined {
  const left = most - committed(counts);
  for (const units of [0.5, 1, 2, 3, 4, 5, 6]) {
    if (hasRoom(ledger, units) === units <= left) continue;
    return {
      what: `${after}, ${most - left} of ${most} are spent or set aside, and the ledger ${
        units <= left ? 'has no' : 'has'
      } room for ${units} more`,
      measured: units,
      allowed: left,
    };
  }
  if (!equal(pureOf(ledger.total()), totalOf(counts)))
    return {
      what: `${after} the total is ${pureOf(
        ledger.total(),
      )}; charges, and limits of runs held to one, come to ${totalOf(counts)}`,
      measured: pureOf(ledger.total()),
      allowed: totalOf(counts),
    };
  for (const [name, count] of counts) {
    const charged = pureOf(ledger.chargedBy(name));
    const spent = pureOf(ledger.spentBy(name));
    const due = count.as === 'held' ? count.size : chargedTo(count);
    if (!equal(charged, chargedTo(count)))
      return {
        what: `${after} the charge of ${name} is ${charged}; expected ${chargedTo(count)}`,
        measured: charged,
        allowed: chargedTo(count),
      };
    if (!equal(spent, due))
      return {
        what: `${after} ${name} is said to have spent ${spent}; ${
          count.as === 'held' ? 'it is held to' : 'it was charged'
        } ${due}`,
        measured: spent,
        allowed: due,
      };
    const standing = wrongStanding(ledger.standing(name), count);
    if (standing !== undefined) return { what: `${after} the standing of ${name} ${standing}` };
  }
  return keyOf(new TextEncoder().encode(ledger.runs().join())) ===
    keyOf(new TextEncoder().encode([...counts.keys()].join()))
    ? undefined
    : { what: `${after} its runs are ${ledger.runs().join()}; opened were ${[...counts.keys()].join()}` };
}

export const reserved = defineLaw<'ledger'>({
  id: 'ledger/reserved',
  kind: 'ledger',
  tier: 'search',
  statement:
    'the reservation of a run counts against the limit from its opening, however much of it is used, ' +
    'in later processes too and after a crash at any time, until the run ends; then its charges count, and ' +
    'it takes no more; a run with its own filter costs the limit of the filter, and nothing once it ended ' +
    'without a charge; charges ' +
    'must be parts of the plan, or within the filter of the run, and no plan or filter can replace another',
  power:
    'any room, total or decision that differs from plain sums in 14 steps of three runs, or after a ' +
    'crash at any byte, on 1 of 60 sequences',
  check: ({ open }, { forAll }) =>
    forAll(
      fc.record({ sequence: steps, at: fc.double({ min: 0, max: 1, noNaN: true }) }),
      ({ sequence, at }): Violation | undefined => {
        const store = memoryStore();
        const options: LedgerOptions = {
          adjacency: 'zero-out',
          store,
          limit: { epsilon: most, delta: 0, accountant: pureAccountant },
        };
        let ledger = open(options);
        let counts: Counts = new Map();
        const marks = [{ size: store.read().length, counts, step: undefined as Step | undefined }];
        for (const [i, step] of sequence.entries()) {
          const after = `after step ${i + 1} of ${sequence.length} (${JSON.stringify(step)})`;
          const before = keyOf(store.read());
          if (step.do === 'reopen') {
            ledger = open(options);
            counts = new Map([...counts].map(([name, count]) => [name, { ...count, given: false }]));
          } else {
            const due = expected(counts, step);
            const refusal = taken(ledger, step, counts);
            if (due instanceof Map) {
              if (refusal !== undefined)
                return { what: `${after}: expected acceptance; refused: ${refusal.message}`, cause: refusal };
              counts = due;
            } else {
              if (!(refusal instanceof (due as Refusal)))
                return {
                  what: `${after}: ${
                    refusal === undefined ? 'accepted' : `refused as ${String(refusal)}`
                  }; expected ${(due as Refusal).name}`,
                  cause: refusal,
                };
              if (keyOf(store.read()) !== before) return { what: `${after}: refused, but written` };
            }
          }
          marks.push({ size: store.read().length, counts, step });
          const violation = compared(ledger, counts, after);
          if (violation !== undefined) return violation;
        }
        return crashed(open, options, store.read(), marks, at);
      },
      { runs: 40, examples: crashes },
    ),
});

/**
 * A crash at some byte: reservations granted before still count, and the interrupted step can be repeated.
 */
function crashed(
  open: (options: LedgerOptions) => Ledger,
  options: LedgerOptions,
  bytes: Uint8Array,
  marks: readonly { readonly size: number; readonly counts: Counts; readonly step: Step | undefined }[],
  at: number,
): Violation | undefined {
  const first = marks[0].size;
  const cut = first + Math.round(at * (bytes.length - first));
  const k = marks.findLastIndex(({ size }) => size <= cut);
  const forgotten = (counts: Counts): Counts =>
    new Map([...counts].map(([name, count]) => [name, { ...count, given: false }]));
  const before = forgotten(marks[k].counts);
  const next = marks[k + 1];
  const ledger = open({ ...options, store: memoryStore(bytes.subarray(0, cut)) });
  const after = `cut after ${cut} of ${bytes.length} bytes`;
  if (next?.step === undefined || next.step.do === 'reopen') return compared(ledger, before, after);
  // The name of the run may be on record already; reopening must not depend on it.
  const again = expected(before, next.step);
  const refusal = again instanceof Map ? taken(ledger, next.step, before) : undefined;
  if (refusal instanceof Corrupt && next.step.do !== 'open') return undefined;
  if (refusal !== undefined)
    return {
      what: `${after}, the interrupted step (${JSON.stringify(next.step)}) is refused: ${refusal.message}`,
      cause: refusal,
    };
  return again instanceof Map
    ? compared(ledger, again, `${after} and the interrupted step repeated`)
    : undefined;
}

/**
 * A partly used plan, cut off at every quarter; an unused plan that ended; a filter that
 * is used up; two filters that ended, one partly used and one unused.
 */
const crashes: readonly { readonly sequence: readonly Step[]; readonly at: number }[] = [
  0, 0.25, 0.5, 0.75, 1,
].flatMap((at) =>
  [
    [
      { do: 'open', run: 0, as: 'planned', size: 4 },
      { do: 'charge', run: 0, scale: 1 },
      { do: 'open', run: 1, as: 'planned', size: 3 },
      { do: 'reopen' },
      { do: 'open', run: 1, as: 'plain', size: 1 },
      { do: 'charge', run: 1, scale: 1 },
      { do: 'charge', run: 1, scale: 1 },
      { do: 'charge', run: 1, scale: 2 },
    ],
    [
      { do: 'open', run: 0, as: 'planned', size: 4 },
      { do: 'open', run: 1, as: 'held', size: 2 },
      { do: 'end', run: 0 },
      { do: 'open', run: 2, as: 'planned', size: 4 },
      { do: 'charge', run: 0, scale: 1 },
      { do: 'end', run: 2 },
      { do: 'reopen' },
      { do: 'open', run: 2, as: 'planned', size: 3 },
    ],
    [
      { do: 'open', run: 0, as: 'held', size: 2 },
      { do: 'charge', run: 0, scale: 2 },
      { do: 'charge', run: 0, scale: 1 },
      { do: 'charge', run: 0, scale: 1 },
      { do: 'charge', run: 0, scale: 2 },
      { do: 'reopen' },
      { do: 'charge', run: 0, scale: 1 },
      { do: 'open', run: 0, as: 'held', size: 3 },
      { do: 'open', run: 0, as: 'planned', size: 2 },
    ],
    [
      { do: 'open', run: 0, as: 'plain', size: 1 },
      { do: 'charge', run: 0, scale: 1 },
      { do: 'open', run: 0, as: 'planned', size: 3 },
      { do: 'charge', run: 0, scale: 2 },
      { do: 'open', run: 0, as: 'planned', size: 2 },
    ],
    [
      { do: 'open', run: 0, as: 'held', size: 2 },
      { do: 'open', run: 1, as: 'held', size: 3 },
      { do: 'charge', run: 0, scale: 2 },
      { do: 'end', run: 0 },
      { do: 'end', run: 1 },
      { do: 'reopen' },
      { do: 'open', run: 2, as: 'held', size: 4 },
    ],
  ].map((sequence) => ({ sequence: sequence as readonly Step[], at })),
);
