import { memoryStore, repeatedEvent, sampledEvent, type PrivacyEvent } from '@lethe/core';
import type { Effect, LedgerOptions } from '@lethe/curator';
import fc from 'fast-check';
import type { Violation } from '../../law/finding.js';
import { defineLaw } from '../../law/law.js';
import { digestOf, hasRoom, noise, pureAccountant, rootOf } from './fixture.js';

/** The limit, in units of one release. */
const most = 6;
const name = 'run-0';
const half = { kind: 'core/poisson', rate: 0.5 } as const;
const everyone = { space: 'all', from: 0, to: 8 } as const;
const steps = 2;
/** Releases of a step. */
const releases = 2;
/** Rooms that are asked for, in releases; between them lie what the plan leaves and what a release would. */
const rooms = [0.5, 1, 1.5, 2, 2.5, 3, 3.5, 4, 4.5, 5, 5.5, 6];

/** Where the releases of a run are made, and how it ends. */
interface Ending {
  /** On a sample of everyone, of one half in a split, or on no sample. */
  readonly on: 'sample' | 'sample within a split' | 'everyone';
  readonly charges: number;
  readonly isClosed: boolean;
  readonly isKept: boolean;
  readonly reopens: boolean;
}

const planOf = ({ on }: Ending): PrivacyEvent => {
  const step = repeatedEvent(noise(1), releases);
  return repeatedEvent(on === 'everyone' ? step : sampledEvent(half, step), steps);
};

function effectsOf({ on, charges, isClosed }: Ending): readonly Effect[] {
  const recipe = { by: 'permutation' } as const;
  const split: Effect = {
    space: {
      id: `${name}/0`,
      how: 'permutation',
      parent: 'everyone',
      within: everyone,
      sampler: null,
      recipe,
    },
  };
  const isNested = on === 'sample within a split';
  const within = isNested ? { space: `${name}/0`, from: 0, to: 4 } : everyone;
  const id = `${name}/${isNested ? 1 : 0}`;
  const drawn: Effect = {
    space: { id, how: 'sample', parent: isNested ? within.space : 'everyone', within, sampler: half, recipe },
  };
  const isSampled = on !== 'everyone';
  const place = isSampled ? { space: id, from: 0, to: 1 } : everyone;
  const charged = Array.from({ length: charges }, (): Effect => ({
    charge: { on: place, event: noise(1) },
  }));
  const opens = isSampled ? [...(isNested ? [split] : []), drawn] : [];
  return [...opens, ...charged, ...(isSampled && isClosed ? [{ closes: [id] }] : [])];
}

export const stoppedInside = defineLaw<'ledger'>({
  id: 'ledger/stopped-inside',
  kind: 'ledger',
  tier: 'search',
  statement:
    'a planned run that has charged on a sample and ends gives nothing back, whether the sample is open or ' +
    'closed, since who stops inside it has seen more than the part charged tells; nor does a run whose ' +
    'ledger may be older than its answers (keepReserved); other planned runs give back what they did not ' +
    'charge; all of it in later processes too',
  power: 'any half of a release that is given back or kept wrongly, in one run of up to 4 releases',
  check: ({ open }, { forAll }) =>
    forAll(
      fc.record({
        on: fc.constantFrom('sample' as const, 'sample within a split' as const, 'everyone' as const),
        charges: fc.integer({ min: 0, max: releases }),
        isClosed: fc.boolean(),
        isKept: fc.boolean(),
        reopens: fc.boolean(),
      }),
      (ending): Violation | undefined => {
        const store = memoryStore();
        const options: LedgerOptions = {
          adjacency: 'zero-out',
          store,
          limit: { epsilon: most, delta: 0, accountant: pureAccountant },
        };
        const ledger = open(options);
        const planned = planOf(ending);
        ledger.openRun(name, rootOf(name), { planned });
        effectsOf(ending).forEach((effect, index) => {
          ledger.append({ run: name, index, digest: digestOf(name, index), effect });
        });
        const before = rooms.filter((units) => hasRoom(ledger, units));
        ledger.endRun(name, ending.isKept ? { keepReserved: true } : {});
        const later = ending.reopens ? open(options) : ledger;
        const after = rooms.filter((units) => hasRoom(later, units));
        const keeps = ending.isKept || (ending.on !== 'everyone' && ending.charges > 0);
        const due = keeps
          ? before
          : rooms.filter((units) => units <= most - (ending.on === 'everyone' ? ending.charges : 0));
        if (after.join() === due.join()) return undefined;
        const [measured, allowed] = [after.at(-1) ?? 0, due.at(-1) ?? 0];
        const why = keeps ? 'what it set aside stays taken, which leaves' : 'its charges leave';
        return {
          what:
            `a run that ended (${JSON.stringify(ending)}) leaves room for ${measured} releases; ` +
            `${why} ${allowed}`,
          measured,
          allowed,
        };
      },
      { runs: 30, examples },
    ),
});

const examples: readonly Ending[] = [
  { on: 'sample', charges: 1, isClosed: false, isKept: false, reopens: false },
  { on: 'sample', charges: 1, isClosed: true, isKept: false, reopens: true },
  { on: 'sample within a split', charges: 1, isClosed: true, isKept: false, reopens: false },
  { on: 'sample', charges: 0, isClosed: false, isKept: false, reopens: false },
  { on: 'everyone', charges: 1, isClosed: false, isKept: false, reopens: true },
  { on: 'everyone', charges: 1, isClosed: false, isKept: true, reopens: true },
];
