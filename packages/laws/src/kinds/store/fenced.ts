import { Corrupt, openLog, type Store } from '@lethe/core';
import { defined } from '@lethe/numerics';
import fc from 'fast-check';
import { defineLaw } from '../../law/law.js';
import { freshPlace, leave, named, same } from './places.js';

/** The error that `act` throws; `undefined` when it throws none. */
const thrownBy = (act: () => unknown): unknown => {
  try {
    act();
    return undefined;
  } catch (error) {
    return error ?? new Error('undefined was thrown');
  }
};

export const fenced = defineLaw<'store'>({
  id: 'store/fenced',
  kind: 'store',
  tier: 'search',
  onClaim: true,
  statement:
    'of two writers at one place the second is refused as Corrupt when it opens, ' +
    'or the first at its next append; no byte of either writer is lost',
  power: 'certain for a store that lets both write',
  check: ({ open }, { forAll }) =>
    forAll(
      fc.record({
        first: fc.array(fc.nat(255), { minLength: 1, maxLength: 6 }),
        second: fc.array(fc.nat(255), { minLength: 1, maxLength: 6 }),
      }),
      ({ first, second }) => {
        const place = freshPlace();
        const one = open(place);
        let two: Store | undefined;
        try {
          one.append(Uint8Array.from(first));
          const refusal = thrownBy(() => {
            two = open(place);
          });
          if (refusal !== undefined) {
            if (!(refusal instanceof Corrupt))
              return { what: `a second writer is refused by ${String(refusal)}; expected Corrupt` };
            one.append(Uint8Array.from(second));
            return same(one.read(), Uint8Array.from([...first, ...second]))
              ? undefined
              : { what: `after a refused second writer it holds ${named(one.read())}` };
          }
          defined(two).append(Uint8Array.from(second));
          const late = thrownBy(() => one.append(Uint8Array.of(1)));
          if (!(late instanceof Corrupt))
            return {
              what:
                'after the second of two writers wrote, the first one ' +
                `${late === undefined ? 'could still append' : `got ${String(late)}`}; expected Corrupt`,
            };
          return same(defined(two).read(), Uint8Array.from([...first, ...second]))
            ? undefined
            : {
                what: `after the fenced writer's attempt it holds ${named(defined(two).read())}`,
                input: { first, second },
              };
        } finally {
          for (const store of [two, one]) if (store !== undefined) thrownBy(() => leave(store));
        }
      },
      { runs: 6 },
    ),
});

/** Result of another append to a log that is open at a place. */
const lateError = (append: () => void): string | undefined => {
  const error = thrownBy(append);
  if (error instanceof Corrupt) return undefined;
  return error === undefined ? 'could still append' : `got ${String(error)}`;
};

export const oneLog = defineLaw<'store'>({
  id: 'store/one-log',
  kind: 'store',
  tier: 'search',
  statement:
    'of two logs or ledgers open at one place only the first writer can go on; ' +
    'the other gets Corrupt, and no record is lost',
  power: 'certain for a place where two logs can write, unless each opening is a new place',
  check: ({ open }, { forAll }) =>
    forAll(
      fc.record({ before: fc.nat(2), first: fc.boolean() }),
      ({ before, first }) => {
        const place = freshPlace();
        const stores = [open(place)];
        const magic = 'lethe-laws';
        try {
          const kept = openLog(stores[0], { magic });
          for (let i = 0; i < before; i++) kept.append(i);
          const refusal = thrownBy(() => {
            stores.push(open(place));
          });
          if (refusal !== undefined)
            return refusal instanceof Corrupt
              ? undefined
              : { what: `a second writer is refused by ${String(refusal)}; expected Corrupt` };
          const logs = [kept, openLog(stores[1], { magic })];
          const [winner, loser] = first ? [0, 1] : [1, 0];
          logs[winner].append('written');
          const late = lateError(() => {
            logs[loser].append('late');
          });
          if (late !== undefined)
            return {
              what:
                `two logs are open at one place; after ${first ? 'the first' : 'the second'} wrote, ` +
                `the other ${late}; expected Corrupt`,
            };
          const held = openLog(stores[winner], { magic }).records;
          return held.length === before + 1 && held.at(-1) === 'written'
            ? undefined
            : {
                what:
                  "after the other log's attempt the place holds " +
                  `${held.length} records; expected ${before + 1}`,
                measured: held.length,
                allowed: before + 1,
              };
        } finally {
          for (const store of stores.toReversed()) thrownBy(() => leave(store));
        }
      },
      {
        runs: 8,
        examples: [
          { before: 0, first: true },
          { before: 1, first: false },
        ],
      },
    ),
});
