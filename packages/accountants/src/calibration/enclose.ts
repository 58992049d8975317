import { bracketOf, isNear, type Bracket, type Rule } from './bracket.js';
import type { Direction, Settings } from './options.js';
import type { Probe } from './probe.js';

type Walk = Pick<Settings, 'ends' | 'start' | 'integer'> & { readonly direction: Direction; left(): number };

/**
 * Moves from the start by growing powers of 2 until one value meets the target and one does not. `unmet` is
 * absent if the end of the range meets the target.
 */
export function enclose(
  probe: (value: number) => Probe,
  { ends: [least, largest], start, integer, direction, left }: Walk,
): Bracket | undefined {
  if (left() <= 0) return undefined;
  const first = probe(start);
  // If the start meets the target, search less private values, else more private ones.
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
 * Finds a bracket from a value that meets the target and the slope of the cost there: first along the slope,
 * then by secants, each time slightly past the target. Stops early at a value near enough. At cost 0, which
 * has no slope, it tries the end of the range next, since the cost may be 0 there too.
 */
export function extend(
  probe: (value: number) => Probe,
  from: Probe,
  slope: number,
  rule: Rule,
  { ends: [least, largest], integer, direction, left }: Walk,
): Bracket {
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
    // A growing step bounds the number of probes when the cost hardly changes.
    const move = Math.min(16, Math.max(step, Number.isFinite(away) ? away + Math.min(away, step) / 8 : step));
    const value = met.value * Math.exp(sign * move);
    const outward = () => {
      if (integer) {
        if (sign < 0) return Math.min(met.value - 1, Math.floor(value));
        return Math.max(met.value + 1, Math.ceil(value));
      }
      return value;
    };
    const next = probe(Math.min(largest, Math.max(least, outward())));
    if (!next.met) return { ...bracketOf(met, next), third: met === from ? undefined : from };
    steepness = (next.excess - met.excess) / Math.log(next.value / met.value);
    met = next;
    tries += 1;
  }
  return bracketOf(met, unmet);
}
