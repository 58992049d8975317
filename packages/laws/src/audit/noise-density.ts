import type { Mechanism } from '@lethe/core';

/** `x ↦ ln p(x)` of one entry's noise at scale 1, up to a constant. */
export type LogDensity = (x: number) => number;

/** Tabulated standard deviations on each side. */
const reach = 40;
const least = -1e6;

/**
 * The log-density of a mechanism's noise, from its declared distribution function: finite differences on a
 * fine grid, or, for integer noise, linear interpolation of its masses. In the far tail, where the function
 * has no precision left, it is extrapolated.
 */
export function logDensityOf({ cdf, standardDeviation, numerics }: Mechanism, params: unknown): LogDensity {
  const deviation = standardDeviation(params);
  const step = numerics === 'exact' ? 1 : deviation / 32;
  const count = Math.max(8, Math.ceil((reach * deviation) / step));
  const half = numerics === 'exact' ? 0.5 : step / 2;
  const at = (x: number): number => cdf(params, x);
  const mirrored = Math.abs(at(-deviation) + at(deviation) - 1) < 1e-9 || numerics === 'exact';
  const mass = (k: number): number =>
    Math.log(
      mirrored && k > 0
        ? at(-k * step + half) - at(-k * step - half)
        : at(k * step + half) - at(k * step - half),
    );
  const table = Float64Array.from({ length: 2 * count + 1 }, (_, i) => mass(i - count));
  for (const [from, by] of [
    [count, 1],
    [count, -1],
  ] as const) {
    for (let i = from + by; i >= 0 && i < table.length; i += by) {
      if (!Number.isFinite(table[i]))
        table[i] = i - from === by ? least : 2 * table[i - by] - table[i - 2 * by];
    }
  }
  return (x) => {
    const place = Math.min(Math.max(x / step + count, 0), table.length - 1.000001);
    const i = Math.floor(place);
    return table[i] + (place - i) * (table[i + 1] - table[i]);
  };
}
