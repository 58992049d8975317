import type { Bounds } from '@lethe/numerics';
import { logResponseMass } from './response-masses.js';
import type { Responses } from './totals.js';

/** Whether the atoms bound the true distribution from above or from below. */
export type Side = 'upper' | 'lower';

/**
 * A discrete privacy-loss distribution: ascending losses with masses under both distributions of the pair.
 * `infinite` is the mass of infinite loss; `error` bounds the relative errors of masses; `merged` says
 * whether losses were rounded to a grid.
 */
export interface LossAtoms {
  readonly p: Float64Array;
  readonly q: Float64Array;
  readonly loss: Float64Array;
  readonly infinite: number;
  readonly error: number;
  readonly merged: boolean;
}

/** Bound on the relative error of masses summed in cells, larger than that of a sum of `2^22` products. */
const levelError = 2 ** -29;

/** Masses below this may be lost in rounding. */
const leastMass = 1e-300;

/** Privacy-loss distribution of `count` equal responses, truncated by mass at most `tail` at each end. */
export function responseAtoms({ epsilon, count }: Responses, tail: number, side: Side): LossAtoms {
  const masses: (readonly [number, number])[] = [];
  let largest = 0;
  const mode = Math.min(count, Math.floor((count + 1) / (1 + Math.exp(epsilon))));
  const from = (start: number, step: number): number => {
    let skipped = 0;
    for (let i = start, previous = Infinity; i >= 0 && i <= count; i += step) {
      const { log, error } = logResponseMass(count, epsilon, i);
      const mass = Math.exp(log);
      const ratio = mass / previous;
      // Beyond the mode the ratio of successive masses decreases.
      if (ratio < 1 && mass < tail * (1 - ratio)) {
        skipped = mass / (1 - ratio);
        break;
      }
      masses.push([i, mass]);
      largest = Math.max(largest, error);
      previous = mass;
    }
    return skipped;
  };
  const skipped = from(mode, -1) + (mode < count ? from(mode + 1, 1) : 0);
  const sorted = masses.toSorted(([a], [b]) => b - a);
  const p = Float64Array.from(sorted, ([, mass]) => mass);
  const loss = Float64Array.from(sorted, ([i]) => (count - 2 * i) * epsilon);
  return {
    p,
    q: p.map((mass, i) => mass * Math.exp(-loss[i])),
    loss,
    infinite: side === 'upper' ? skipped * (1 + levelError) : 0,
    error: 2 * largest + 2 ** -48,
    merged: false,
  };
}

/** Precision of compositions: at most `cells` points, truncated by mass at most `tail` at each end. */
export interface Precision {
  readonly cells: number;
  readonly tail: number;
  readonly side: Side;
}

/** Distribution of the sum of two independent losses. */
export function composed(a: LossAtoms, b: LossAtoms, { cells, tail, side }: Precision): LossAtoms {
  const n = a.p.length * b.p.length;
  const infinite = a.infinite + b.infinite + (side === 'upper' ? leastMass : 0);
  const error = a.error + b.error + 2 ** -50;
  if (n === 0)
    return {
      p: new Float64Array(0),
      q: new Float64Array(0),
      loss: new Float64Array(0),
      infinite: side === 'upper' ? 1 : 0,
      error,
      merged: true,
    };
  const low = a.loss[0] + b.loss[0];
  const high = a.loss[a.loss.length - 1] + b.loss[b.loss.length - 1];
  if (n <= cells || high === low) return exactly(a, b, infinite, error);
  const spacing = (high - low) / (cells - 1);
  const scale = 1 / spacing;
  const p = new Float64Array(cells);
  const q = new Float64Array(cells);
  for (let i = 0; i < a.p.length; i++) {
    const start = a.loss[i] - low;
    const mass = a.p[i];
    const other = a.q[i];
    for (let j = 0; j < b.p.length; j++) {
      const cell = Math.min(cells - 1, Math.max(0, Math.floor((start + b.loss[j]) * scale)));
      p[cell] += mass * b.p[j];
      q[cell] += other * b.q[j];
    }
  }
  return trimmed(
    {
      ...(side === 'upper' ? split(p, q, low, spacing) : united(p, q)),
      infinite,
      error: error + levelError,
      merged: true,
    },
    tail,
    side,
  );
}

/**
 * Truncates both ends. Their mass counts as infinite loss in an upper bound and is dropped in a lower one.
 */
function trimmed({ p, q, loss, ...rest }: LossAtoms, tail: number, side: Side): LossAtoms {
  let [first, last, removed] = [0, p.length, 0];
  for (let sum = p[first]; first < last && sum < tail; sum += p[++first]) removed += p[first];
  for (let sum = p[last - 1]; first < last && sum < tail; sum += p[--last - 1]) removed += p[last - 1];
  return {
    ...rest,
    p: p.slice(first, last),
    q: q.slice(first, last),
    loss: loss.slice(first, last),
    infinite: rest.infinite + (side === 'upper' ? removed * (1 + levelError) + leastMass : 0),
  };
}

function exactly(a: LossAtoms, b: LossAtoms, infinite: number, error: number): LossAtoms {
  const all: (readonly [number, number, number])[] = [];
  for (let i = 0; i < a.p.length; i++)
    for (let j = 0; j < b.p.length; j++) all.push([a.loss[i] + b.loss[j], a.p[i] * b.p[j], a.q[i] * b.q[j]]);
  all.sort(([x], [y]) => x - y);
  return {
    loss: Float64Array.from(all, ([x]) => x),
    p: Float64Array.from(all, ([, x]) => x),
    q: Float64Array.from(all, ([, , x]) => x),
    infinite,
    error,
    merged: a.merged || b.merged,
  };
}

type Arrays = Pick<LossAtoms, 'p' | 'q' | 'loss'>;

/**
 * Moves the masses of each cell to its two ends and preserves both totals. The privacy profile becomes linear
 * in `e^ε` between the ends, so it does not decrease.
 */
function split(p: Float64Array, q: Float64Array, low: number, spacing: number): Arrays {
  const n = p.length + 1;
  const whole = -Math.expm1(-spacing);
  const at = Float64Array.from({ length: n }, (_, i) => low + i * spacing);
  const atP = new Float64Array(n);
  for (let i = 0; i < p.length; i++) {
    if (p[i] === 0) continue;
    const right =
      q[i] < leastMass
        ? p[i]
        : Math.min(p[i], Math.max(0, (-Math.expm1(at[i] + Math.log(q[i] / p[i])) / whole) * p[i]));
    atP[i] += p[i] - right;
    atP[i + 1] += right;
  }
  return positive(
    atP,
    atP.map((mass, i) => mass * Math.exp(-at[i])),
    at,
  );
}

/** Merges each cell into one outcome, which is post-processing. */
const united = (p: Float64Array, q: Float64Array): Arrays =>
  positive(
    p,
    q,
    p.map((mass, i) => Math.log(mass / q[i])),
  );

function positive(p: Float64Array, q: Float64Array, loss: Float64Array): Arrays {
  const has = (_: number, i: number): boolean => p[i] > 0 && q[i] > 0;
  return { p: p.filter(has), q: q.filter(has), loss: loss.filter(has) };
}

/** `δ(ε)` of the atoms, rounded to `side`. Relative errors of masses also shift losses. */
function atomsDelta({ p, loss, infinite, error }: LossAtoms, epsilon: number, side: Side): number {
  const sign = side === 'upper' ? 1 : -1;
  let sum = 0;
  for (let i = 0; i < p.length; i++) {
    const excess = loss[i] - epsilon + sign * (2 * error + 2 ** -48 * (1 + Math.abs(loss[i]) + epsilon));
    if (excess > 0) sum -= p[i] * Math.expm1(-excess);
  }
  return side === 'upper' ? Math.min(1, (sum + infinite) * (1 + error)) : Math.max(0, sum * (1 - error));
}

/** Both ends of δ(ε). */
export const between = (upper: LossAtoms, lower: LossAtoms, epsilon: number): Bounds => {
  const most = atomsDelta(upper, epsilon, 'upper');
  return { lower: Math.min(most, atomsDelta(lower, epsilon, 'lower')), upper: most };
};
