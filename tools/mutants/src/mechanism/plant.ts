import { defineMechanism, type Mechanism } from '@lethe/core';
import { subjectsOf, type Subject } from '@lethe/laws';
import { mechanisms } from '@lethe/mechanisms';
import type * as z from 'zod';

/** A mechanism with changed methods, at the first of its examples. */
export const planted = <Params extends z.ZodType>(
  base: Mechanism<Params>,
  bug: Partial<Omit<Mechanism<Params>, 'kind'>>,
): Subject<'mechanism'> =>
  subjectsOf(defineMechanism({ ...base, ...bug } as Mechanism<Params>), {
    registry: mechanisms,
  })[0] as Subject<'mechanism'>;
