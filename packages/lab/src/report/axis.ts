/** A logarithmic axis: its ends and the values marked on it. */
export interface LogAxis {
  readonly domain: readonly [number, number];
  readonly ticks: readonly number[];
}

/** Values below this share of the scale are drawn at the floor rather than stretch the axis. */
const depth = 1e-6;

/**
 * A logarithmic axis cannot show zero or less. The floor is the power of ten below the smallest positive
 * value, but not
 * below 10⁻⁶ of `scale`; values under it are drawn on it.
 */
export function floorOf(values: readonly number[], scale: number): number {
  const positive = values.filter((value) => value > 0 && Number.isFinite(value));
  const top = Number.isFinite(scale) && scale > 0 ? scale : Math.max(...positive, 0);
  if (top === 0) return 1e-12;
  const smallest = positive.reduce((least, value) => Math.min(least, value), top);
  return powerBelow(Math.max(smallest, depth * top, Number.MIN_VALUE * 1e16));
}

/**
 * An axis that ends on 1, 2 or 5 times a power of ten, and marks those or only the powers when there are
 * many.
 */
export function valueAxis(values: readonly number[]): LogAxis {
  const shown = values.filter((value) => value > 0 && Number.isFinite(value));
  const low = Math.min(...shown, shown.length === 0 ? 0.1 : Infinity);
  const high = Math.max(...shown, shown.length === 0 ? 1 : 0);
  const steps = stepsBetween(low, high);
  const powers = steps.filter((value) => isPower(value));
  const every = Math.ceil(powers.length / 6);
  const ticks = steps.length <= 6 || powers.length < 2 ? steps : powers.filter((_, i) => i % every === 0);
  return { domain: [steps[0], steps[steps.length - 1]], ticks };
}

/** An axis over given values, such as budgets or sizes, that marks those which have room. */
export function choiceAxis(values: readonly number[], room: number): LogAxis {
  const sorted = [...new Set(values)].toSorted((a, b) => a - b);
  const low = sorted[0];
  const high = sorted[sorted.length - 1];
  const margin = low === high ? 1.6 : (high / low) ** 0.08;
  const domain = [low / margin, high * margin] as const;
  const gap = Math.log(domain[1] / domain[0]) / room;
  const ticks: number[] = [];
  for (const value of [high, ...sorted.slice(0, -1)])
    if (ticks.every((tick) => Math.abs(Math.log(value / tick)) >= gap)) ticks.push(value);
  return { domain, ticks: ticks.toSorted((a, b) => a - b) };
}

/** Round numbers at equal distances, from 0 to just above `top`: at most seven. */
export function roundTicks(top: number): readonly number[] {
  const steps = stepsBetween(top / 6, top);
  const step = steps.find((size) => top / size <= 6) ?? top;
  return Array.from({ length: Math.ceil(top / step - 1e-9) + 1 }, (_, i) =>
    Number((i * step).toPrecision(6)),
  );
}

const exact = (mantissa: number, exponent: number): number => Number(`${mantissa}e${exponent}`);
const powerBelow = (value: number): number => {
  const exponent = Math.floor(Math.log10(value));
  return exact(1, exact(1, exponent) > value ? exponent - 1 : exponent);
};
const isPower = (value: number): boolean => value === powerBelow(value);

/** All 1, 2, 5 × 10^k from just below `low` to just above `high`; at least two. */
function stepsBetween(low: number, high: number): readonly number[] {
  const first = Math.floor(Math.log10(low)) - 1;
  const last = Math.ceil(Math.log10(high)) + 1;
  const all: number[] = [];
  for (let exponent = first; exponent <= last; exponent++)
    for (const mantissa of [1, 2, 5]) all.push(exact(mantissa, exponent));
  const from = all.findLastIndex((value) => value <= low);
  const to = all.findIndex((value) => value >= high);
  return all.slice(from, Math.max(to, from + 1) + 1);
}
