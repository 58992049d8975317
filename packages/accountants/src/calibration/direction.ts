import type { Direction, Settings } from './options.js';
import type { Probe } from './probe.js';

/** Whether two costs agree up to rounding, or up to the relative tolerance `share`. */
export const alike = (a: number, b: number, share = 1e-12): boolean =>
  a === b || Math.abs(a - b) <= share * Math.max(a, b);

/**
 * Compares values at growing distance from the start until two costs differ. For a constant cost either
 * direction is valid.
 */
export function directionOf(
  probe: (value: number) => Probe,
  {
    start,
    ends: [least, largest],
    integer,
    left,
  }: Pick<Settings, 'start' | 'ends' | 'integer'> & { left(): number },
): Direction {
  let previous: Probe | undefined;
  for (let exponent = 0; left() > 0; exponent = exponent === 0 ? 1 : exponent * 2) {
    const values = [2 ** exponent, 2 ** -exponent]
      .map((factor) => start * factor)
      .map((value) => Math.min(largest, Math.max(least, integer ? Math.round(value) : value)));
    for (const value of new Set(values)) {
      const next = value === previous?.value ? previous : probe(value);
      if (next.achieved === undefined) continue;
      if (previous?.achieved !== undefined && !alike(next.achieved.upper, previous.achieved.upper)) {
        return next.value > previous.value === next.achieved.upper < previous.achieved.upper
          ? 'larger-is-private'
          : 'smaller-is-private';
      }
      previous = next;
    }
    if (values.includes(largest) && values.includes(least)) break;
  }
  return 'larger-is-private';
}
