import type { Answered, PrivacyEvent, Query } from '@lethe/core';
import { centralCurator, openLedger, type CentralCurator, type CentralCuratorOptions } from '@lethe/curator';
import { defined } from '@lethe/numerics';
import { defineMutant } from '../mutant.js';
import { changed, curatorOf, withData, withLedger } from './wrap.js';

const source = 'issue 14: a query is one value';
const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;
type CopyArray = (array: ArrayBufferView) => unknown;
const ownArray: CopyArray = (array) =>
  array instanceof Uint32Array ? new Uint32Array(array) : new Float64Array(array as Float64Array);
/** A copy of the fields as they read now. */
function reading(value: unknown, copyArray: CopyArray = ownArray): unknown {
  if (ArrayBuffer.isView(value)) return copyArray(value);
  if (Array.isArray(value))
    return Array.from({ length: value.length }, (_, i) => reading(value[i], copyArray));
  return isObject(value)
    ? Object.fromEntries(
        Object.keys(value).map((name) => [
          name,
          reading((value as Record<string, unknown>)[name], copyArray),
        ]),
      )
    : value;
}

/**
 * A second curator of the same run, with the same randomness and
 * a separate ledger, for queries that the true one does not get.
 */
const beside = (options: CentralCuratorOptions): CentralCurator =>
  centralCurator(
    withData(options, ({ ledger }) => ({ ledger: openLedger({ adjacency: ledger.adjacency }) })),
  );

export const checkedThenRead = defineMutant({
  id: 'curator/query-charged-says-first-answered-says',
  title: 'a query is charged by its first reading and answered by its second',
  kind: 'curator',
  source,
  killedBy: ['curator/one-value'],
  within: 400,
  plant: () =>
    changed((inner, options) => {
      const other = beside(options);
      return {
        answer(index, query) {
          const first = reading(query) as Query;
          const { digest } = inner.answer(index, first);
          return { digest, answer: other.answer(index, reading(query) as Query).answer };
        },
      };
    }),
});

export const chargedByIdentity = defineMutant({
  id: 'curator/reference-seen-before-costs-cost-whatever-says',
  title: 'the cost of a reference is cached by identity, although its content changes',
  kind: 'curator',
  source: 'issue 14, finding 1: a cache of the last event by identity',
  killedBy: ['curator/one-value'],
  within: 400,
  plant: () =>
    curatorOf((options) => {
      const events = new WeakMap<object, PrivacyEvent>();
      let asked: object | undefined;
      const inner = centralCurator(
        withLedger(options, (ledger) => ({
          append(entry) {
            const { charge } = entry.effect;
            const known = asked === undefined ? undefined : events.get(asked);
            if (charge === undefined || asked === undefined) {
              ledger.append(entry);
              return;
            }
            events.set(asked, known ?? charge.event);
            ledger.append({
              ...entry,
              effect: { ...entry.effect, charge: { ...charge, event: known ?? charge.event } },
            });
          },
        })),
      );
      return {
        ...inner,
        answer(index, query) {
          const { noise } =
            (query as { release?: { noise?: object } }).release ?? (query as { noise?: object });
          asked = noise;
          return inner.answer(index, query);
        },
      };
    }),
});

/** A curator that stores `keep(query)`, and answers later queries by its current content. */
const keeping = (keep: (query: Query) => Query) => () =>
  changed((inner, options) => {
    let other = beside(options);
    const kept: Query[] = [];
    return {
      answer(index, query) {
        const own = keep(query);
        const { digest, answer } = inner.answer(index, reading(own) as Query);
        kept.push(own);
        if (own.ask !== 'push' && own.ask !== 'mean') return { digest, answer };
        try {
          // As if streams and samplers re-read their parameters at every use.
          other = beside(options);
          let last: Answered | undefined;
          kept.forEach((each, k) => {
            last = other.answer(k, each);
          });
          return { digest, answer: defined(last).answer };
        } catch {
          return { digest, answer };
        }
      },
    };
  });

export const shallowCopy = defineMutant({
  id: 'curator/only-top-level-query-copied-holds-read',
  title: 'a shallow copy of a query: nested objects are read again later',
  kind: 'curator',
  source,
  killedBy: ['curator/one-value'],
  within: 400,
  plant: keeping((query) => Object.freeze({ ...query })),
});

export const lentArrays = defineMutant({
  id: 'curator/arrays-query-kept-not-copied',
  title: 'arrays of a query are stored without a copy',
  kind: 'curator',
  source,
  killedBy: ['curator/one-value'],
  within: 400,
  plant: keeping((query) => reading(query, (array) => array) as Query),
});

export const believedArrays = defineMutant({
  id: 'curator/arrays-copied-own-slice',
  title: 'arrays are copied by their own slice method',
  kind: 'curator',
  source,
  killedBy: ['curator/one-value'],
  within: 400,
  plant: () =>
    changed((inner, options) => {
      const other = beside(options);
      return {
        answer(index, query) {
          const own = reading(query, (array) => array);
          const { digest, answer } = inner.answer(index, reading(own) as Query);
          try {
            return {
              digest,
              answer: other.answer(
                index,
                reading(own, (array) => (array as Float64Array).slice().subarray(0, 3)) as Query,
              ).answer,
            };
          } catch {
            return { digest, answer };
          }
        },
      };
    }),
});
