import type { Direction, Settings } from './options.js';
import type { Asked, Probe, Prober } from './probe.js';

/** The most values at which wide answers are asked for, and the most with narrow ones. */
const mostWide = 6;
const mostFine = 8;
/** Log-distances of δ from the target at which ε is read too, and at which narrow answers follow. */
const near = 3;
const found = 0.5;
/** Log-distance of ε from the target that narrow answers do not cross. */
const lost = 0.5;
/** The largest unused share of ε after many tries. */
const mostUnused = 1e-3;

/** How many times farther apart than they are wide two answers are that tell a slope. */
const apart = 8;

/** The share of a step by which it may miss its aim. */
const missed = 0.1;

/** A value's logarithm, the log-excess of its cost, and the relative width of the answer. */
interface Point {
  readonly at: number;
  readonly excess: number;
  readonly open: number;
}

/** The price of a value in δ, and who priced it. */
interface First extends Probe {
  readonly by: Asked;
}

/**
 * The value at which ε just meets its target, by an accountant with wide and with narrow answers, from a
 * value whose δ meets the target. The wide ones give the root of δ and the slope of ε, so that narrow ones
 * start near the root and end in one or two steps. `undefined` if the costs lead elsewhere.
 */
export function settle(
  { wide, fine }: { readonly wide: Asked; readonly fine: Asked },
  first: First,
  prober: Prober,
  settings: Settings & { readonly direction: Direction },
): Probe | undefined {
  const root = searched(wide, first, prober, settings);
  if (root === undefined) return undefined;
  const { ends, direction } = settings;
  const sign = direction === 'larger-is-private' ? -1 : 1;
  const valueAt = (log: number): number => Math.min(Math.max(Math.exp(log), ends[0]), ends[1]);
  const { costs } = root;
  let { at } = root;
  let best: Probe | undefined;
  for (let tries = 0; tries < mostFine && prober.left() > 0; tries += 1) {
    const probe = prober.probe(valueAt(at), fine);
    const { excess, achieved } = probe;
    if (achieved === undefined || !(Math.abs(excess) < lost)) return undefined;
    const open = achieved.lower > 0 ? (achieved.upper - achieved.lower) / achieved.upper : 0;
    const unused = Math.max(settings.gap, Math.min(mostUnused, (open / 2) * 2 ** Math.max(0, tries - 2)));
    if (probe.met && (best === undefined || excess > best.excess)) best = probe;
    if (probe.met && excess >= Math.log1p(-unused)) return probe;
    const slope = slopeOf({ at, excess, open }, costs);
    if (!(slope * sign > 0)) return undefined;
    costs.push({ at, excess, open });
    // The longer a step, the farther from its aim it ends.
    const next = at - (excess + Math.min(unused / 2, missed * Math.abs(excess))) / slope;
    if (valueAt(next) === valueAt(at)) break;
    at = next;
  }
  return best !== undefined && best.excess > Math.log1p(-mostUnused) ? best : undefined;
}

/** The logarithm of the value at which wide answers for δ meet the target; what they say of ε. */
function searched(
  wide: Asked,
  first: First,
  prober: Prober,
  { epsilon, delta, direction, ends }: Settings & { readonly direction: Direction },
): { readonly at: number; readonly costs: Point[] } | undefined {
  const sign = direction === 'larger-is-private' ? -1 : 1;
  const points: Point[] = [];
  const costs: Point[] = [];
  let value = first.value;
  for (let tries = 0; tries < mostWide && prober.left() > 0; tries += 1) {
    const probe = tries === 0 ? first : prober.probeOther(value, wide);
    const by = tries === 0 ? first.by : wide;
    const point = pointOf(probe, delta);
    if (point === undefined) return undefined;
    points.push(point);
    if (Math.abs(point.excess) < near) {
      const cost = pointOf(prober.probe(value, by), epsilon);
      // Where ε is 0 although δ is near its target, costs are steep.
      if (cost === undefined) return undefined;
      costs.push(cost);
    }
    // The first slope is that of Gaussian noise.
    const at =
      points.length === 1 ? point.at - (sign * point.excess) / (2 * -Math.log(delta)) : rootOf(points);
    if (costs.length > 0 && Math.abs(point.excess) < found) return { at, costs };
    if (!(Math.abs(at - point.at) < 2)) return undefined;
    const next = Math.exp(at);
    if (!(next > ends[0] && next < ends[1]) || next === value) return undefined;
    value = next;
  }
  return undefined;
}

/** The middle of a wide answer, which varies less than its ends. */
function pointOf({ value, achieved }: Probe, target: number): Point | undefined {
  if (achieved === undefined) return undefined;
  const [lower, upper] = [Math.log(achieved.lower), Math.log(achieved.upper)];
  const excess = (lower + upper) / 2 - Math.log(target);
  return Number.isFinite(excess) ? { at: Math.log(value), excess, open: upper - lower } : undefined;
}

/** The slope at a point, of the polynomial through it and the last one or two that are far enough away. */
function slopeOf(point: Point, others: readonly Point[]): number {
  const chord = (a: Point, b: Point): number => (b.excess - a.excess) / (b.at - a.at);
  const far = others.filter(({ excess, open }) => Math.abs(excess - point.excess) > apart * open);
  const [a, b] = far.slice(-2).toReversed();
  if (a === undefined) return chord(others[0], point);
  const last = chord(a, point);
  if (b === undefined) return last;
  const slope = last + ((point.at - a.at) * (last - chord(b, a))) / (point.at - b.at);
  return slope * last > 0 ? slope : last;
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
