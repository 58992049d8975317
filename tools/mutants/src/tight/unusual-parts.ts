import { accountantOf, understand } from '@lethe/accountants';
import {
  defineMean,
  defineSampler,
  filteredEvent,
  InvalidParameter,
  memoryStore,
  queryIntake,
  type FilterMaker,
  type Plugin,
  type PrivacyEvent,
  type Store,
} from '@lethe/core';
import { subjectsOf, type Subject, type SubjectKind } from '@lethe/laws';
import { assertMoment, assertPublicSlots, gaussian } from '@lethe/mechanisms';
import * as z from 'zod';
import { changed } from '../curator/wrap.js';
import { defineTight } from '../mutant.js';

const source = { id: 'generic', item: 'unusual and correct' };
const unusual = <Kind extends SubjectKind>(kind: Kind, plugin: Plugin) =>
  defineTight({
    id: `unusual-${plugin.name}`,
    kind,
    plant: () => subjectsOf(plugin, { registry: [gaussian] })[0] as Subject<Kind>,
  });

/** Whole slots: every record has a place of its own among the entries that are sorted. */
function wholeSlots(slots: number): number {
  assertPublicSlots(slots);
  if (Number.isSafeInteger(slots)) return slots;
  throw new InvalidParameter(`${slots} slots are not whole`, { slots });
}
/** Entries that are not averaged on either side. */
const cutOff = (slots: number): number => Math.floor((slots - 1) / 4);

/** The mean of the middle half of clamped entries, coordinate by coordinate: neither linear nor a median. */
export const middleHalf = unusual(
  'mean',
  defineMean({
    name: 'planted/middle-half',
    summary: 'Clamps entries, sorts them in each coordinate, and averages the middle half.',
    source,
    params: z.strictObject({ limit: z.number().min(1e-50).max(1e50) }),
    examples: [{ limit: 1 }],
    claims: [],
    trust: 'central',
    privacyRestsOn: 'clip',
    mechanism: () => gaussian({}),
    norm: () => 'l2',
    // A record that moves by c moves the sum of any run of order statistics by c at most.
    sensitivity({ limit }, { dimension, slots }) {
      const kept = wholeSlots(slots) - 2 * cutOff(slots);
      const one = ((limit * Math.sqrt(dimension)) / kept) * (1 + 2 ** -40);
      return { 'replace-one': 2 * one, 'zero-out': one };
    },
    begin({ limit }, { dimension, slots }) {
      const entries = Array.from({ length: dimension }, () => new Float64Array(wholeSlots(slots)));
      return {
        add(slot, gradient) {
          if (gradient.length !== dimension)
            throw new InvalidParameter('a gradient has another length', { dimension });
          if (!gradient.every((entry) => Number.isFinite(entry))) return;
          for (let j = 0; j < dimension; j++)
            entries[j][slot] = Math.min(limit, Math.max(-limit, gradient[j]));
        },
        value: () =>
          Float64Array.from(entries, (column) => {
            const middle = column.toSorted().subarray(cutOff(slots), slots - cutOff(slots));
            return middle.reduce((sum, entry) => sum + entry / middle.length, 0);
          }),
        finish: (noised) => noised,
      };
    },
    scaled: ({ limit }, factor) => ({ limit: limit * factor }),
    event: (_params, noise) => noise,
    // Neither the answer nor the gradient is longer than this.
    biasBound({ limit }, { dimension, slots }, moment) {
      wholeSlots(slots);
      assertMoment(moment);
      return (limit * Math.sqrt(dimension) + moment.value ** (1 / moment.order)) * (1 + 2 ** -30);
    },
    varianceBound({ limit }, { dimension, slots }, moment, noiseVariance) {
      wholeSlots(slots);
      assertMoment(moment);
      if (!(noiseVariance >= 0 && noiseVariance < Infinity))
        throw new InvalidParameter(`a noise variance of ${noiseVariance}`, { noiseVariance });
      return dimension * (limit * limit + noiseVariance) * (1 + 2 ** -30);
    },
  }),
);

/** Neighbouring slots take part together: presence is Bernoulli for each, and nothing is amplified. */
export const pairedSampler = unusual(
  'sampler',
  defineSampler({
    name: 'planted/pairs',
    summary: 'Slots 2i and 2i + 1 take part together.',
    source,
    params: z.strictObject({ rate: z.number().positive().max(1) }),
    examples: [{ rate: 0.3 }],
    claims: [],
    size: 'hidden',
    amplification: () => ({
      'replace-one': { sampler: null, inner: 'replace-one' },
      'zero-out': { sampler: null, inner: 'zero-out' },
    }),
    normaliser({ rate }, slots) {
      if (!(slots > 0 && slots < Infinity))
        throw new InvalidParameter(`slots is ${slots}; it must be positive`, { slots });
      return rate * slots;
    },
    draw({ rate }, slots, random) {
      if (!Number.isSafeInteger(slots) || slots < 1)
        throw new InvalidParameter(`slots is ${slots}; it must be a positive whole number`, { slots });
      const chosen: number[] = [];
      for (let i = 0; i < slots; i += 2)
        if (random.uniform() < rate) chosen.push(...(i + 1 < slots ? [i, i + 1] : [i]));
      return Uint32Array.from(chosen);
    },
  }),
);

/** It computes every answer twice, in its own copies, and compares them before it tells one. */
export const doubtfulCurator = defineTight({
  id: 'unusual-doubtful-curator',
  kind: 'curator',
  plant: () =>
    changed((inner) => {
      const take = queryIntake();
      return {
        answer(index, query) {
          const own = take(query);
          const first = inner.answer(index, own);
          const again = inner.answer(index, structuredClone(own));
          if (first.digest !== again.digest)
            throw new InvalidParameter('two answers to one query', { index });
          return { ...again, answer: structuredClone(again.answer) };
        },
      };
    }),
});

/** Two media: what is written is on both, and the shorter of them counts after a crash. */
export const mirroredStore = defineTight({
  id: 'unusual-mirrored-store',
  kind: 'store',
  plant: () => {
    const places = new Map<string, Store>();
    return {
      kind: 'store',
      name: 'mirrored',
      claims: [],
      open(place) {
        const before = places.get(place);
        if (before !== undefined) return before;
        const both = [memoryStore(), memoryStore()];
        const mirrored: Store = {
          read: () => both.map((one) => one.read()).reduce((a, b) => (a.length <= b.length ? a : b)),
          append: (bytes) => both.forEach((one) => one.append(bytes.slice())),
          truncate: (length) => both.forEach((one) => one.truncate(length)),
          replace: (bytes) => both.forEach((one) => one.replace(bytes.slice())),
        };
        places.set(place, mirrored);
        return mirrored;
      },
    };
  },
});

/** ε = ρ + 2√(ρ log(1/δ)), and a fifth more. */
const loosely = (rho: number, delta: number): number =>
  delta === 0 ? Infinity : 1.2 * (rho + 2 * Math.sqrt(rho * -Math.log(delta)));
/** A filter that stops at half of ρ, of which it keeps the limit. */
const cautiousFilter: FilterMaker = ({ epsilon, delta, adjacency, kinds }) => {
  let [low, high] = [0, epsilon];
  for (let step = 0; step < 60; step++) {
    const middle = (low + high) / 2;
    if (loosely(middle, delta) <= epsilon) low = middle;
    else high = middle;
  }
  const share = (given: PrivacyEvent): number => {
    const { event, resolve } = understand(given, kinds === undefined ? { adjacency } : { adjacency, kinds });
    const cost = resolve(event, 'zcdp', adjacency);
    return cost === 0 ? 0 : (2 * cost) / low;
  };
  return {
    rule: 'planted/half-of-rho',
    spec: { rho: low },
    limit: filteredEvent({ kind: 'core/zcdp', v: 1, rho: low } as PrivacyEvent),
    admits: (event) => share(event) <= 1,
    share,
  };
};

/** The textbook conversion with a fifth added, nothing from below, and a filter that stops early. */
export const looseAccountant = unusual(
  'accountant',
  accountantOf({
    name: 'planted/loose',
    summary: 'The first conversion of concentrated privacy, and a fifth more.',
    source,
    want: 'zcdp',
    claims: [],
    filter: cautiousFilter,
    epsilon: (rho, delta) => ({
      lower: 0,
      upper: rho === 0 ? 0 : loosely(rho, delta),
      exact: false,
      method: 'planted/loose',
    }),
    delta(rho, epsilon) {
      const beyond = Math.max(0, epsilon / 1.2 - rho);
      const upper = rho === 0 ? 0 : Math.exp(-(beyond * beyond) / (4 * rho));
      return { lower: 0, upper, exact: false, method: 'planted/loose' };
    },
  }),
);
