import type { ZodSchema } from '@lethe/numerics';
import { defineMechanism, type Mechanism } from '@lethe/core';
import { subjectsOf, type Subject } from '@lethe/laws';
import { mechanisms } from '@lethe/mechanisms';

/** A mechanism with changed methods, at the first of its examples. */
export const planted = <Params extends ZodSchema>(
  base: Mechanism<Params>,
  bug: Partial<Omit<Mechanism<Params>, 'kind'>>,
): Subject<'mechanism'> =>
  subjectsOf(defineMechanism({ ...base, ...bug } as Mechanism<Params>), {
    registry: mechanisms,
  })[0] as Subject<'mechanism'>;
