import { bracketOf, isNear, type Bracket, type Rule } from './bracket.js';
import type { Direction, Settings } from './options.js';
import type { Probe } from './probe.js';

type Walk = Pick<Settings, 'ends' | 'start' | 'integer'> & { readonly direction: Direction; left(): number };

/** Walks from the start by growing powers of 2 until the target changes between met and unmet. `unmet` is absent where the search ended. */
export function enclose(probe: (value: number) => Probe, { ends: [least, largest], start, integer, direction, left }: Walk): Bracket | undefined {
  if (left() <= 0) return undefined;
  const first = probe(start);
  // Met: look for less private values; unmet: for more private ones.
  const up = (direction === 'larger-is-private') !== first.met;
  const end = up ? largest : least;
  let last = first;
  for (let exponent = 1; last.value !== end && left() > 0; exponent = Math.min(512, exponent * 2)) {
    const value = start === 0 ? exponent : start * 2 ** (up ? exponent : -exponent);
    const next = probe(Math.min(largest, Math.max(least, integer ? Math.round(value) : value)));
    if (next.met !== first.met) return first.met ? bracketOf(last, next) : bracketOf(next, last);
    last = next;
  }
  return first.met ? bracketOf(last, undefined) : undefined;
}

/**
 * From a value that meets the target, and the slope of the cost there, to a bracket: along the slope first, then by secants, a
 * little beyond the target each time so that it is crossed. Stops early at a value that is near enough. Where the cost is 0, which
 * has no slope, the end is asked about next: there it may be 0 too.
 */
export function extend(probe: (value: number) => Probe, from: Probe, slope: number, rule: Rule, { ends: [least, largest], integer, direction, left }: Walk): Bracket {
  const sign = direction === 'larger-is-private' ? -1 : 1;
  const end = sign < 0 ? least : largest;
  let met = from;
  let unmet: Probe | undefined;
  let steepness = slope;
  let tries = 0;
  for (let step = 1e-3; met.value !== end && left() > 0 && !isNear(met, { ...rule, tries }); step *= 4) {
    if (met.achieved?.upper === 0 && unmet === undefined && !integer) {
      const last = probe(end);
      if (last.met) return bracketOf(last, undefined);
      unmet = last;
      continue;
    }
    const away = -met.excess / Math.abs(steepness);
    // A step that grows bounds how often a cost that hardly changes is asked about.
    const move = Math.min(16, Math.max(step, Number.isFinite(away) ? away + Math.min(away, step) / 8 : step));
    const value = met.value * Math.exp(sign * move);
    const next = probe(Math.min(largest, Math.max(least, integer ? (sign < 0 ? Math.min(met.value - 1, Math.floor(value)) : Math.max(met.value + 1, Math.ceil(value))) : value)));
    if (!next.met) return { ...bracketOf(met, next), third: met === from ? undefined : from };
    steepness = (next.excess - met.excess) / Math.log(next.value / met.value);
    met = next;
    tries += 1;
  }
  return bracketOf(met, unmet);
}
