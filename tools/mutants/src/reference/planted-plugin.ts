import type { Plugin } from '@lethe/core';
import { subjectsOf, type Subject } from '@lethe/laws';

/** A plugin with replaced members, at the given parameters or the first of its examples. */
export const plantedPlugin = <P extends Plugin>(
  base: P,
  bug: Partial<Omit<P, 'kind'>> = {},
  params?: unknown,
): Subject<P['kind']> =>
  subjectsOf(
    Object.freeze({ ...base, ...bug }) as unknown as Plugin,
    params === undefined ? {} : { params },
  )[0] as Subject<P['kind']>;
