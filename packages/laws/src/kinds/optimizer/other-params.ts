import type { Subject } from '../../law/subject.js';

/**
 * The parameters of an optimizer with one of its numbers changed, one at a time, where its schema takes that:
 * what holds of a few rounds, or of parameters that were planned before, need not hold of others. `change`
 * gives `undefined` for a number it leaves alone.
 */
export function otherParams(
  { plugin, params }: Pick<Subject<'optimizer'>, 'plugin' | 'params'>,
  change: (value: number) => number | undefined,
): readonly unknown[] {
  return Object.entries(params as Readonly<Record<string, unknown>>)
    .flatMap(([key, value]) => {
      const other = typeof value === 'number' ? change(value) : undefined;
      const parsed =
        other === undefined || other === value
          ? undefined
          : plugin.params.safeParse({ ...(params as object), [key]: other });
      return parsed?.success === true ? [parsed.data] : [];
    })
    .slice(0, 6);
}
