import type { Selector } from '@lethe/core';
import { subjectsOf, type Subject } from '@lethe/laws';
import { mechanisms } from '@lethe/mechanisms';

/** Members of a selector to replace, for any parameters. */
type Bug = Partial<Omit<Selector, 'kind'>>;

/** A selector with replaced members, at the given parameters, with the registry of its package. */
export const planted = (base: Selector, bug: Bug, params: unknown = {}): Subject<'selector'> =>
  subjectsOf(Object.freeze({ ...base, ...bug }), { registry: mechanisms, params })[0] as Subject<'selector'>;

/** Position of the largest. */
export const argMax = (values: ArrayLike<number>): number =>
  Array.from(values).reduce((best, value, i, all) => (value > all[best] ? i : best), 0);
