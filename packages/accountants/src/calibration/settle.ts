import type { Direction, Settings } from './options.js';
import type { Asked, Probe, Prober } from './probe.js';

/** The most values at which wide answers are asked for, and the most with narrow ones. */
const mostWide = 6;
const mostFine = 8;
/** Log-distances of δ from the target at which ε is read too, and at which wide answers suffice. */
const near = 1.5;
const found = 0.1;
/** Log-distance of ε from the target that narrow answers do not cross. */
const lost = 0.5;
/** The largest unused share of ε after many tries. */
const mostUnused = 1e-3;

/** A value's logarithm, and the log-excess of its cost. */
interface Point {
  readonly at: number;
  readonly excess: number;
}

/**
 * The value at which ε just meets its target, by an accountant with wide and with narrow answers, from a
 * value whose δ meets the target. The wide ones give the root of δ and the slope of ε, so that narrow ones
 * start near the root and end in one or two steps. `undefined` if the costs lead elsewhere.
 */
export function settle(
  { wide, fine }: { readonly wide: Asked; readonly fine: Asked },
  first: Probe,
  prober: Prober,
  settings: Settings & { readonly direction: Direction },
): Probe | undefined {
  const root = searched(wide, first, prober, settings);
  if (root === undefined) return undefined;
  let { at, slope } = root;
  let best: Probe | undefined;
  let last: Point | undefined;
  for (let tries = 0; tries < mostFine && prober.left() > 0; tries += 1) {
    const probe = prober.probe(Math.exp(at), fine);
    const { excess, achieved } = probe;
    if (achieved === undefined || !(Math.abs(excess) < lost)) return undefined;
    const open = achieved.lower > 0 ? (achieved.upper - achieved.lower) / achieved.upper : 0;
    const unused = Math.max(settings.gap, Math.min(mostUnused, (open / 2) * 2 ** Math.max(0, tries - 2)));
    if (probe.met && (best === undefined || excess > best.excess)) best = probe;
    if (probe.met && excess >= Math.log1p(-unused)) return probe;
    // Narrow answers vary by a part of their width.
    if (last !== undefined && Math.abs(excess - last.excess) > open) {
      const chord = (excess - last.excess) / (at - last.at);
      if (chord * slope > 0) slope = chord;
    }
    last = { at, excess };
    const next = at - (excess + unused / 2) / slope;
    if (Math.exp(next) === Math.exp(at)) break;
    at = next;
  }
  return best !== undefined && best.excess > Math.log1p(-mostUnused) ? best : undefined;
}

/** The logarithm of the value at which wide answers for δ meet the target, and the slope of ε there. */
function searched(
  wide: Asked,
  first: Probe,
  prober: Prober,
  { delta, direction, ends }: Settings & { readonly direction: Direction },
): { readonly at: number; readonly slope: number } | undefined {
  const sign = direction === 'larger-is-private' ? -1 : 1;
  const points: Point[] = [];
  const costs: Point[] = [];
  let value = first.value;
  for (let tries = 0; tries < mostWide && prober.left() > 0; tries += 1) {
    const probe = tries === 0 ? first : prober.probeOther(value, wide);
    if (probe.achieved === undefined || !(probe.achieved.lower > 0) || !Number.isFinite(probe.excess))
      return undefined;
    const point = { at: Math.log(value), excess: probe.excess };
    points.push(point);
    if (Math.abs(probe.excess) < near) {
      const { achieved } = prober.probe(value, wide);
      // The middle of a wide answer varies less than its ends.
      const middle = achieved === undefined ? NaN : Math.log(achieved.lower * achieved.upper) / 2;
      if (Number.isFinite(middle)) costs.push({ at: point.at, excess: middle });
    }
    // The first slope is that of Gaussian noise.
    const at =
      points.length === 1 ? point.at - (sign * point.excess) / (2 * -Math.log(delta)) : rootOf(points);
    if (costs.length > 1 && Math.abs(probe.excess) < found) {
      const [a, b] = costs.slice(-2);
      const slope = (b.excess - a.excess) / (b.at - a.at);
      return slope * sign > 0 ? { at, slope } : undefined;
    }
    if (!(Math.abs(at - point.at) < 2)) return undefined;
    const next = Math.exp(at);
    if (!(next > ends[0] && next < ends[1]) || next === value) return undefined;
    value = next;
  }
  return undefined;
}

/** The root of the inverse polynomial through the last two or three points. */
function rootOf(points: readonly Point[]): number {
  const last = points.slice(-3);
  const interpolated = last.reduce(
    (sum, point) =>
      sum +
      last.reduce(
        (term, other) => (other === point ? term : (term * other.excess) / (other.excess - point.excess)),
        point.at,
      ),
    0,
  );
  const [a, b] = last.slice(-2);
  const secant = b.at - (b.excess * (b.at - a.at)) / (b.excess - a.excess);
  // Of three points the polynomial may lead away.
  return Math.abs(interpolated - b.at) < 2 * Math.abs(secant - b.at) ? interpolated : secant;
}
