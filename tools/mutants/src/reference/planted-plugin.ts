import type { Plugin, Registry } from '@lethe/core';
import { subjectsOf, type Subject } from '@lethe/laws';

/**
 * A plugin with replaced members, at the given parameters or the first of its examples.
 *
 * @param registry - Other plugins that its parameters name.
 */
export const plantedPlugin = <P extends Plugin>(
  base: P,
  bug: Partial<Omit<P, 'kind'>> = {},
  params?: unknown,
  registry: Registry = [],
): Subject<P['kind']> =>
  subjectsOf(Object.freeze({ ...base, ...bug }) as unknown as Plugin, {
    registry,
    ...(params === undefined ? {} : { params }),
  })[0] as Subject<P['kind']>;
