import { memoryStore, type Store } from '@lethe/core';
import { describe, expect, test } from 'vitest';
import { runLaws } from '../../law/run.js';
import type { Subject } from '../../law/subject.js';
import { storeLaws } from './index.js';
import { lawsAlone } from '../../../test/effort.js';
import { endAtFirstViolation } from '../../../test/first-violation.js';

endAtFirstViolation();

/** In-memory stores, by place. */
function inMemory(open: (initial?: Uint8Array) => Store = memoryStore): Subject<'store'> {
  const stores = new Map<string, Store>();
  return {
    kind: 'store',
    name: 'in memory',
    claims: [],
    open: (place) => {
      const store = stores.get(place) ?? open();
      stores.set(place, store);
      return store;
    },
  };
}
const broken = async (subject: Subject<'store'>, only?: readonly string[]): Promise<readonly string[]> =>
  (await runLaws(storeLaws, subject, lawsAlone(only)))
    .filter(({ finding }) => finding.verdict === 'fails')
    .map(({ law }) => law);
const changed = (change: (store: Store, initial?: Uint8Array) => Partial<Store>): Subject<'store'> =>
  inMemory((initial) => {
    const store = memoryStore(initial);
    return { ...store, ...change(store) };
  });

describe('laws of stores', () => {
  test('hold for a store in memory', async () => expect(await broken(inMemory())).toEqual([]));

  test.each([
    ['a truncation that does nothing', changed(() => ({ truncate: () => undefined })), 'store/contents'],
    [
      'a truncation that lengthens',
      changed((store) => ({
        truncate: (to) => {
          const held = store.read();
          const padded = new Uint8Array(to);
          padded.set(held.subarray(0, to));
          store.replace(padded);
        },
      })),
      'store/contents',
    ],
    [
      'a replacement that appends',
      changed((store) => ({ replace: (bytes) => store.append(bytes) })),
      'store/contents',
    ],
    [
      'a whole buffer instead of a view',
      changed((store) => ({ append: (bytes) => store.append(new Uint8Array(bytes.buffer)) })),
      'store/contents',
    ],
    [
      'one array for every reader',
      (() => {
        const cache = new Map<Store, Uint8Array>();
        return changed((store) => ({
          read: () => {
            const now = store.read();
            const old = cache.get(store);
            if (old?.length === now.length) return old;
            cache.set(store, now);
            return now;
          },
        }));
      })(),
      'store/copies',
    ],
    [
      'one place for all names',
      (() => {
        const only = memoryStore();
        return { kind: 'store', name: 'one', claims: [], open: () => only } satisfies Subject<'store'>;
      })(),
      'store/places',
    ],
    [
      'a new handle on the same bytes at each opening',
      (() => {
        const { open } = inMemory();
        return {
          kind: 'store',
          name: 'handles',
          claims: [],
          open: (place) => ({ ...open(place) }),
        } satisfies Subject<'store'>;
      })(),
      'store/one-log',
    ],
    [
      'a delayed last append',
      inMemory(() => {
        let late = new Uint8Array();
        const store = memoryStore();
        return {
          ...store,
          append(bytes) {
            store.append(late);
            late = bytes.slice();
          },
        };
      }),
      'store/log-survives',
    ],
  ])('find %s', async (_, subject, law) => expect(await broken(subject, [law])).toEqual([law]));

  test('two writers are a matter of those who claim to be fenced', async () => {
    const { open } = inMemory();
    expect(
      await broken({
        kind: 'store',
        name: 'shared',
        claims: [{ property: 'fenced', statement: 'One writer.' }],
        open,
      }),
    ).toEqual(['store/fenced']);
  });

  test('a failure says what was done, what was found and what was expected', async () => {
    const [report] = await runLaws(
      storeLaws,
      changed(() => ({ truncate: () => undefined })),
      { only: ['store/contents'] },
    );
    expect(report.finding).toMatchObject({
      verdict: 'fails',
      violation: {
        what: expect.stringMatching(/after cutting after \d+ bytes it holds \[.*\].*; expected \[/u),
      },
    });
  });
});
