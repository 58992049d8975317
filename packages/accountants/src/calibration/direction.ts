import type { Direction, Settings } from './options.js';
import type { Probe } from './probe.js';

/** Whether two costs differ by no more than rounding, or another share of them. */
export const alike = (a: number, b: number, share = 1e-12): boolean => a === b || Math.abs(a - b) <= share * Math.max(a, b);

/** Compares values further and further from the start until two of them cost differently. A cost that never differs has no direction, and either will do. */
export function directionOf(probe: (value: number) => Probe, { start, ends: [least, largest], integer, left }: Pick<Settings, 'start' | 'ends' | 'integer'> & { left(): number }): Direction {
  let seen: Probe | undefined;
  for (let exponent = 0; left() > 0; exponent = exponent === 0 ? 1 : exponent * 2) {
    const values = [2 ** exponent, 2 ** -exponent].map((factor) => start * factor).map((value) => Math.min(largest, Math.max(least, integer ? Math.round(value) : value)));
    for (const value of new Set(values)) {
      const next = value === seen?.value ? seen : probe(value);
      if (next.achieved === undefined) continue;
      if (seen?.achieved !== undefined && !alike(next.achieved.upper, seen.achieved.upper)) {
        return (next.value > seen.value) === (next.achieved.upper < seen.achieved.upper) ? 'larger-is-private' : 'smaller-is-private';
      }
      seen = next;
    }
    if (values.includes(largest) && values.includes(least)) break;
  }
  return 'larger-is-private';
}
