import { Corrupt, type Store } from '@lethe/core';
import fc from 'fast-check';
import { defineLaw } from '../../law/law.js';
import { freshPlace, leave, named, same } from './places.js';

/** The error that `act` throws; `undefined` when it throws none. */
const thrownBy = (act: () => unknown): unknown => {
  try { act(); return undefined; } catch (error) { return error ?? new Error('undefined was thrown'); }
};

export const fenced = defineLaw<'store'>({
  id: 'store/fenced', kind: 'store', tier: 'search', onClaim: true,
  statement: 'of two writers at one place the second is refused as Corrupt when it opens, or the first at its next append; no byte of either is lost',
  power: 'certain for a store that lets both write',
  check: ({ open }, { forAll }) => forAll(fc.record({ first: fc.array(fc.nat(255), { minLength: 1, maxLength: 6 }), second: fc.array(fc.nat(255), { minLength: 1, maxLength: 6 }) }), ({ first, second }) => {
    const place = freshPlace(), one = open(place);
    let two: Store | undefined;
    try {
      one.append(Uint8Array.from(first));
      const refusal = thrownBy(() => { two = open(place); });
      if (refusal !== undefined) {
        if (!(refusal instanceof Corrupt)) return { what: `a second writer is refused by ${String(refusal)}; expected Corrupt` };
        one.append(Uint8Array.from(second));
        return same(one.read(), Uint8Array.from([...first, ...second])) ? undefined : { what: `after a refused second writer it holds ${named(one.read())}` };
      }
      two!.append(Uint8Array.from(second));
      const late = thrownBy(() => one.append(Uint8Array.of(1)));
      if (!(late instanceof Corrupt)) return { what: `two writers have one place, and when the second had written, the first appended ${late === undefined ? 'all the same' : `and got ${String(late)}`}; expected Corrupt` };
      return same(two!.read(), Uint8Array.from([...first, ...second])) ? undefined : { what: `after the fenced writer's attempt it holds ${named(two!.read())}`, input: { first, second } };
    } finally {
      for (const store of [two, one]) if (store !== undefined) thrownBy(() => leave(store));
    }
  }, { runs: 6 }),
});
