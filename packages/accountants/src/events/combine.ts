import type { CharacterisationKind, Characterisations } from '@lethe/core';
import { composePairs, unitePairs } from './pairs/index.js';
import { multiplyDown, multiplyUp, sqrtDown, sqrtUp, sumDown, sumUp } from '@lethe/numerics';

type Counted<T> = { readonly value: T; readonly count: number };
/** Compositions by characterisation. */
export type Combiners = {
  readonly [C in CharacterisationKind]: {
    sum(parts: readonly Counted<Characterisations[C]>[]): Characterisations[C];
    largest(parts: readonly Characterisations[C][]): Characterisations[C];
  };
};

const total = (parts: readonly Counted<number>[]): number =>
  sumUp(parts.map(({ value, count }) => (value === 0 ? 0 : multiplyUp(value, count))));
const most = (values: readonly number[]): number => Math.max(0, ...values);
const scalar = { sum: total, largest: most };

/** For each characterisation but pairs: adaptive composition (`sum`) and parallel composition (`largest`). */
export const curveCombiners: Omit<Combiners, 'pair'> = {
  pure: scalar,
  zcdp: scalar,
  approximate: {
    sum: (parts) => ({
      epsilon: total(parts.map(({ value, count }) => ({ value: value.epsilon, count }))),
      delta: Math.min(1, total(parts.map(({ value, count }) => ({ value: value.delta, count })))),
    }),
    largest: (parts) => ({
      epsilon: most(parts.map((p) => p.epsilon)),
      delta: most(parts.map((p) => p.delta)),
    }),
  },
  tcdp: {
    sum: (parts) => ({
      rho: total(parts.map(({ value, count }) => ({ value: value.rho, count }))),
      omega: Math.min(Infinity, ...parts.map(({ value }) => value.omega)),
    }),
    largest: (parts) => ({
      rho: most(parts.map((p) => p.rho)),
      omega: Math.min(Infinity, ...parts.map((p) => p.omega)),
    }),
  },
  rdp: {
    sum: (parts) => (alpha) => total(parts.map(({ value, count }) => ({ value: value(alpha), count }))),
    largest: (parts) => (alpha) => most(parts.map((p) => p(alpha))),
  },
  gdp: {
    sum: (parts) => ({
      lower: sqrtDown(
        sumDown(
          parts.map(({ value: { lower }, count }) =>
            lower === 0 ? 0 : multiplyDown(multiplyDown(lower, lower), count),
          ),
        ),
      ),
      mu: sqrtUp(total(parts.map(({ value: { mu }, count }) => ({ value: multiplyUp(mu, mu), count })))),
      exact: parts.every(({ value }) => value.exact),
    }),
    largest: (parts) => ({
      lower: most(parts.map((p) => p.lower)),
      mu: most(parts.map((p) => p.mu)),
      exact: parts.every((p) => p.exact),
    }),
  },
};

/** The same for every characterisation. */
export const combiners: Combiners = { ...curveCombiners, pair: { sum: composePairs, largest: unitePairs } };
