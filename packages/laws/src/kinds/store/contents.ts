import type { Store } from '@lethe/core';
import fc, { type Arbitrary } from 'fast-check';
import type { Violation } from '../../law/finding.js';
import { defineLaw } from '../../law/law.js';
import type { Subject } from '../../law/subject.js';
import { named, reopened, same, withStore } from './places.js';

/** One action on a store. */
export type Action =
  | { readonly append: readonly number[] }
  | { readonly truncate: number }
  | { readonly replace: readonly number[] }
  | 'reopen';

const bytes = fc.oneof(
  { weight: 8, arbitrary: fc.array(fc.nat(255), { maxLength: 12 }) },
  {
    weight: 1,
    arbitrary: fc.nat(255).map((b) => Array.from({ length: 5000 }, (_, i) => (i * 31 + b) % 256)),
  },
);
const actions: Arbitrary<readonly Action[]> = fc.array(
  fc.oneof(
    { weight: 5, arbitrary: bytes.map((append): Action => ({ append })) },
    {
      weight: 2,
      arbitrary: fc
        .oneof(fc.nat(30), fc.constantFrom(0, 4000, 1e6))
        .map((truncate): Action => ({ truncate })),
    },
    { weight: 2, arbitrary: bytes.map((replace): Action => ({ replace })) },
    { weight: 2, arbitrary: fc.constant<Action>('reopen') },
  ),
  { minLength: 1, maxLength: 12 },
);

/** A view into the middle of a larger buffer, as logs pass. */
function viewOf(values: readonly number[]): Uint8Array {
  const wider = new Uint8Array(values.length + 7).fill(0xee);
  wider.set(values, 3);
  return wider.subarray(3, 3 + values.length);
}

function done(action: Exclude<Action, 'reopen'>, store: Store, model: readonly number[]): readonly number[] {
  if ('append' in action) {
    store.append(viewOf(action.append));
    return [...model, ...action.append];
  }
  if ('replace' in action) {
    store.replace(viewOf(action.replace));
    return action.replace;
  }
  store.truncate(action.truncate);
  return model.slice(0, action.truncate);
}

const described = (action: Action): string => {
  if (action === 'reopen') return 'opening it again';
  if ('append' in action) return `appending ${named(Uint8Array.from(action.append))}`;
  if ('replace' in action) return `replacing everything by ${named(Uint8Array.from(action.replace))}`;
  return `cutting after ${action.truncate} bytes`;
};

function carriedOut(subject: Subject<'store'>, sequence: readonly Action[]): Violation | undefined {
  return withStore<Violation | undefined>(subject, (first, place) => {
    let store = first;
    let model: readonly number[] = [];
    if (store.read().length > 0)
      return { store, value: { what: `a place where nothing was written holds ${named(store.read())}` } };
    for (const action of sequence) {
      if (action === 'reopen') store = reopened(subject, place, store);
      else model = done(action, store, model);
      const now = store.read();
      const expected = Uint8Array.from(model);
      if (!same(now, expected))
        return {
          store,
          value: {
            what: `after ${described(action)} it holds ${named(now)}; expected ${named(expected)}`,
            measured: now.length,
            allowed: expected.length,
          },
        };
    }
    return { store, value: undefined };
  });
}

export const contents = defineLaw<'store'>({
  id: 'store/contents',
  kind: 'store',
  tier: 'search',
  statement:
    'a store holds the appended bytes in order, after every truncation and replacement, ' +
    'also when the place is reopened; a truncation beyond the end changes nothing',
  power: 'a wrong byte within 12 steps, on 1 of 60 sequences',
  check: (subject, { forAll }) =>
    forAll(actions, (sequence) => carriedOut(subject, sequence), {
      runs: 50,
      examples: [
        [
          { append: [1, 2, 3] },
          'reopen',
          { append: [4] },
          { truncate: 2 },
          { append: [9] },
          { replace: [7] },
          { append: [8] },
          'reopen',
          { append: [] },
          { truncate: 0 },
          'reopen',
          { append: [5] },
        ],
      ],
    }),
});

export const copies = defineLaw<'store'>({
  id: 'store/copies',
  kind: 'store',
  tier: 'search',
  statement:
    'bytes go in and out as copies: overwriting an array that was read or appended does not change the store',
  power: 'certain for any store that shares its bytes',
  check: (subject, { forAll }) =>
    forAll(
      fc.record({
        first: fc.array(fc.nat(255), { minLength: 1, maxLength: 8 }),
        more: fc.array(fc.nat(255), { minLength: 1, maxLength: 8 }),
        how: fc.constantFrom('append', 'replace'),
      }),
      ({ first, more, how }) =>
        withStore(subject, (store) => {
          const ends: Violation[] = [];
          const expectHeld = (values: readonly number[], after: string): void => {
            const now = store.read();
            const expected = Uint8Array.from(values);
            if (!same(now, expected))
              ends.push({ what: `after ${after} it holds ${named(now)}; it held ${named(expected)}` });
          };
          const given = Uint8Array.from(first);
          store[how as 'append' | 'replace'](given);
          given.fill(0xaa);
          expectHeld(first, `the bytes given to ${how} were overwritten`);
          const seen = store.read();
          seen.fill(0x55);
          expectHeld(first, 'the bytes that read returned were overwritten');
          const before = store.read();
          store.append(Uint8Array.from(more));
          if (!same(before, Uint8Array.from(first)))
            ends.push({
              what:
                `an array read before an append is ${named(before)} after it; ` +
                `it was ${named(Uint8Array.from(first))}`,
            });
          expectHeld([...first, ...more], 'another append');
          return { store, value: ends[0] };
        }),
      { runs: 8 },
    ),
});

export const places = defineLaw<'store'>({
  id: 'store/places',
  kind: 'store',
  tier: 'exact',
  statement: 'places are independent of each other',
  power: 'certain',
  check: (subject) => {
    const violation = withStore(subject, (one) => {
      one.append(Uint8Array.of(1, 2, 3));
      const value = withStore(subject, (other) => {
        if (other.read().length > 0)
          return {
            store: other,
            value: { what: `a fresh place holds ${named(other.read())} from another place` },
          };
        other.replace(Uint8Array.of(9));
        return {
          store: other,
          value: same(one.read(), Uint8Array.of(1, 2, 3))
            ? undefined
            : { what: `writing to another place changed this one to ${named(one.read())}` },
        };
      });
      return { store: one, value };
    });
    return violation === undefined
      ? { verdict: 'holds', samples: 1 }
      : { verdict: 'fails', samples: 1, violation };
  },
});
