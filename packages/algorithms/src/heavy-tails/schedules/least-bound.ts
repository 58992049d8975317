import { l2Clip } from '@lethe/mechanisms';
import type { MeanError, Moments } from '../../common/given-mean.js';

/** `corrected` is what is proved; `printed` follows the paper's text, to compare with. */
export type ScheduleName = 'corrected' | 'printed';

/** Error at a clip norm and a batch size. */
export type MeanErrorAt = (clipNorm: number, batchSize: number) => MeanError;

/**
 * What the schedules of one pass over disjoint batches read of records,
 * moments and the oracle. Moments are roots, `r_k = (E‖∇f‖^k)^(1/k)`.
 */
export interface OnePassFacts extends Moments {
  readonly slots: number;
  readonly dimension: number;
  /**
   * The paper's `ε`, with which each round's noise is `σ = 2·clipNorm/(batchSize·ε)`. For Gaussian noise on
   * clipped means it is `1/noiseMultiplier` under replace-one, twice that under zero-out.
   */
  readonly epsilon: number;
  /** Error of the mean really used; left out, of Algorithm 1 with noise by `epsilon`. */
  readonly error?: MeanErrorAt | undefined;
  /** No more batches than this, where the schedule decides. @defaultValue `slots` */
  readonly mostBatches?: number | undefined;
}

/**
 * `least-bound`, the default of optimizers, is ours, not the paper's: rounds and clip norm for which what is
 * proved is least, in place of formulas that balance constants which the proof does not have.
 */
export type ScheduleChoice = ScheduleName | 'least-bound';

/** The formulas that a schedule is evaluated with. */
export const formulasOf = (schedule: ScheduleChoice): ScheduleName =>
  schedule === 'printed' ? 'printed' : 'corrected';

/** Numbers that a schedule takes as given instead of choosing them. */
export interface OnePassOverrides {
  readonly rounds?: number | undefined;
  readonly clipNorm?: number | undefined;
}

/** What every schedule of one pass says. */
export interface OnePassSchedule {
  /** `T` of the theorem. */
  readonly rounds: number;
  /** Disjoint batches asked for, `T` or `T + 1`. */
  readonly batches: number;
  readonly batchSize: number;
  readonly clipNorm: number;
  /** Standard deviation `σ` of one coordinate's noise. */
  readonly noise: number;
  /** `B ≥ ‖E g_t − ∇F‖`. */
  readonly bias: number;
  /** `Σ² ≥ E‖g_t − E g_t‖²`. */
  readonly variance: number;
  /** Bound on the expected excess risk, for these very numbers. */
  readonly excessRisk: number;
  /** What the paper prints at these numbers; `null` where it prints nothing. */
  readonly printedBound: number | null;
}

/**
 * Bound on the bias of a clip at `C`: `r_k (r_k/C)^(k−1)/(k−1)` as printed, or the sharp one, smaller by
 * `(1 − 1/k)^k` or more; nothing where no gradient is longer than `C`.
 *
 * @see Lowy & Razaviyayn, Lemma 6.
 */
export function clippingBias({
  clipNorm,
  order,
  moment,
  longest = Infinity,
  schedule,
}: Pick<Moments, 'order' | 'moment' | 'longest'> & {
  readonly clipNorm: number;
  readonly schedule: ScheduleName;
}): number {
  if (schedule !== 'printed' && clipNorm >= longest) return 0;
  if (order === Infinity) return Math.max(0, moment - clipNorm);
  if (schedule === 'printed') return (moment * (moment / clipNorm) ** (order - 1)) / (order - 1);
  return moment * l2Clip.biasBound({ radius: clipNorm / moment }, { order, value: 1 });
}

/**
 * Error of a mean of clipped gradients with noise of standard deviation `noise` (Algorithm 1). The variance
 * of a clipped gradient is at most `r_2²`, or `C²` where that is smaller, of which the paper makes no use.
 */
export function clippedMeanError(
  { dimension, order, moment, secondMoment }: Omit<OnePassFacts, 'slots' | 'epsilon'>,
  at: { readonly noise: number; readonly clipNorm: number; readonly batchSize: number },
  schedule: ScheduleName,
): MeanError {
  const { noise, clipNorm, batchSize } = at;
  const longest = schedule === 'printed' ? secondMoment : Math.min(secondMoment, clipNorm);
  return {
    noise,
    bias: clippingBias({ clipNorm, order, moment, schedule }),
    variance: dimension * noise ** 2 + longest ** 2 / batchSize,
  };
}

/** The error of the mean that is really used, or of Algorithm 1. */
export const errorOf =
  (facts: OnePassFacts, choice: ScheduleChoice): MeanErrorAt =>
  (clipNorm, batchSize) => {
    if (facts.error !== undefined) return facts.error(clipNorm, batchSize);
    const noise = (2 * clipNorm) / (batchSize * facts.epsilon);
    return clippedMeanError(facts, { noise, clipNorm, batchSize }, formulasOf(choice));
  };

/**
 * The `ε` with which `σ = 2·clipNorm/(batchSize·ε)`, as the paper writes noise; `ε²/2` is the
 * concentrated-privacy cost of Algorithm 1.
 */
export const paperEpsilon = (
  { noise }: Pick<MeanError, 'noise'>,
  clipNorm: number,
  batchSize: number,
): number => (2 * clipNorm) / (batchSize * noise);

/**
 * A number of rounds as a whole one, from 1 to what there are records for; `extra` batches more than rounds.
 */
export function wholeRounds(
  real: number,
  given: number | undefined,
  { slots, mostBatches = slots }: OnePassFacts,
  extra = 0,
): number {
  const most = Math.floor(given === undefined ? Math.min(slots, mostBatches) : slots) - extra;
  return Math.max(1, Math.min(Math.ceil(given ?? real), most));
}

/** `r_k·base^(1/k)`, the form of every clip norm here. */
export const clipNormOf = ({ moment, order }: OnePassFacts, base: number): number =>
  moment * base ** (1 / order);

/** A bound to minimise over rounds and clip norms. */
export interface BoundSearch extends Pick<OnePassFacts, 'slots' | 'mostBatches' | 'secondMoment'> {
  /** Batches more than rounds. */
  readonly extra: number;
  readonly error: MeanErrorAt;
  /** Rounds after which the method changes, so that fewer may be better: tried as well. */
  readonly turns?: readonly number[];
  /** A clip norm of the right order of magnitude. */
  clipNormNear(rounds: number): number;
  /** The bound after that many rounds, as a function of the error of each. */
  boundAfter(rounds: number): (error: MeanError) => number;
}

interface Found {
  readonly rounds: number;
  readonly clipNorm: number;
  readonly bound: number;
}

/**
 * Rounds and clip norm with the least bound, the same whenever it is asked. Rounds are tried on a geometric
 * grid, and on finer ones around the best of it; the clip norm of each by steps downhill and golden section
 * of its logarithm, from that of the rounds before. Bounds that grow with bias and variance of a clipped mean
 * are convex in the clip norm below `r_2`, where it limits the variance, and above, and may have a minimum on
 * either side. Where many rounds share a batch size, only the most of them are tried: fewer have the same
 * error and forget less of the start. As a function of the rounds a bound may have several minima, so that
 * what is found need not be the least of all; that of the theorem is for the caller to compare with.
 *
 * @param given - What is not for it to choose.
 */
export function leastBound(
  {
    slots,
    mostBatches = slots,
    extra,
    secondMoment: kink,
    error,
    turns = [],
    clipNormNear,
    boundAfter,
  }: BoundSearch,
  given: OnePassOverrides,
): Pick<Found, 'rounds' | 'clipNorm'> {
  const sizeOf = (rounds: number): number => Math.floor(slots / (rounds + extra));
  const seen = new Map<number, Found>();
  const ofClips = (rounds: number): ((clipNorm: number) => number) => {
    const bound = boundAfter(rounds);
    const batchSize = sizeOf(rounds);
    return (clipNorm) => bound(error(clipNorm, batchSize));
  };
  let near: number | undefined;
  const at = (rounds: number): Found => {
    const known = seen.get(rounds);
    if (known !== undefined) return known;
    const bound = ofClips(rounds);
    const clipNorm = given.clipNorm ?? leastClip(bound, near ?? clipNormNear(rounds), kink, 6);
    const found = { rounds, clipNorm, bound: bound(clipNorm) };
    seen.set(rounds, found);
    near = clipNorm;
    return found;
  };
  const most = Math.max(1, Math.floor(Math.min(slots, mostBatches)) - extra);
  const fullest = (rounds: number): number =>
    most <= gridSize ? rounds : Math.max(1, Math.min(most, Math.floor(slots / sizeOf(rounds)) - extra));
  const rounds =
    given.rounds === undefined
      ? leastOf(at, most, fullest, turns)
      : Math.max(1, Math.min(given.rounds, slots - extra));
  const bound = ofClips(rounds);
  return { rounds, clipNorm: given.clipNorm ?? leastClip(bound, clipNormNear(rounds), kink, 24) };
}

const gridSize = 32;

/**
 * The best of the rounds met. Every minimum of the first grid
 * is looked at more closely, and the best of the finer ones.
 */
function leastOf(
  at: (rounds: number) => Found,
  most: number,
  fullest: (rounds: number) => number,
  turns: readonly number[],
): number {
  const found: Found[] = [];
  const gridOf = (low: number, high: number, count: number): readonly Found[] => {
    const grid = [...new Set(geometric(low, high, count).map(fullest))].toSorted((a, b) => a - b).map(at);
    found.push(...grid);
    return grid;
  };
  const around = (grid: readonly Found[], place: number): readonly [number, number] => [
    grid[Math.max(0, place - 1)].rounds,
    grid[Math.min(grid.length - 1, place + 1)].rounds,
  ];
  const refine = ([low, high]: readonly [number, number]): void => {
    if (high - low <= 2 || high < 1.005 * low) return;
    const grid = gridOf(low, high, 12);
    const next = around(grid, placeOfLeast(grid));
    if (next[1] - next[0] < high - low) refine(next);
  };
  const grid = gridOf(1, most, gridSize);
  const isMinimum = (place: number): boolean =>
    [place - 1, place + 1].every(
      (beside) => !(grid[beside] !== undefined && grid[beside].bound < grid[place].bound),
    );
  grid.forEach((_, place) => {
    if (isMinimum(place)) refine(around(grid, place));
  });
  found.push(...turns.filter((rounds) => rounds >= 1 && rounds <= most).map(at));
  // Weights of an average may like one round less, with the same batches.
  const best = found[placeOfLeast(found)].rounds;
  found.push(...[best - 2, best - 1, best + 1].filter((rounds) => rounds >= 1 && rounds <= most).map(at));
  return found[placeOfLeast(found)].rounds;
}

const placeOfLeast = (found: readonly Found[]): number =>
  found.reduce((least, { bound }, i) => (bound < found[least].bound ? i : least), 0);

/** Whole numbers from `low` to `high`, as many as said or all. */
function geometric(low: number, high: number, count: number): readonly number[] {
  if (high - low < count) return Array.from({ length: high - low + 1 }, (_, i) => low + i);
  return Array.from({ length: count }, (_, i) =>
    Math.min(high, Math.round(low * (high / low) ** (i / (count - 1)))),
  );
}

const golden = (Math.sqrt(5) - 1) / 2;

/**
 * The least of `f`, which is unimodal on either side of `kink`.
 * A side whose least is the kink itself costs one more value.
 */
function leastClip(f: (x: number) => number, start: number, kink: number, passes: number): number {
  const bend = f(kink);
  const sides = [Math.min, Math.max].filter(
    (side, i) => f(side(kink, kink * (i === 0 ? 1 - 1e-4 : 1 + 1e-4))) < bend,
  );
  // Off its side it grows, so that a search turns round.
  const found = sides.map((side) =>
    side(
      kink,
      descent(
        (x) => (side(x, kink) === x ? f(x) : bend * (1 + Math.abs(Math.log(x / kink)))),
        side(start, kink),
        passes,
      ),
    ),
  );
  return found.reduce((best, x) => (f(x) < f(best) ? x : best), kink);
}

/**
 * A local minimum of `f` near `start`: steps by 4 downhill, golden section of the logarithm between
 * neighbours, and the vertex of a parabola.
 */
function descent(f: (x: number) => number, start: number, passes: number): number {
  let centre = start;
  let here = f(start);
  for (const factor of [4, 0.25]) {
    for (let next = f(centre * factor); next < here && next > 0; next = f(centre * factor))
      [centre, here] = [centre * factor, next];
  }
  const at = (log: number): number => f(centre * Math.exp(log));
  let low = -Math.log(4);
  let high = -low;
  let left = high - golden * (high - low);
  let right = low + golden * (high - low);
  let [atLeft, atRight] = [at(left), at(right)];
  let [best, least] = [0, here];
  const keep = (log: number, value: number): void => {
    if (value < least) [best, least] = [log, value];
  };
  keep(left, atLeft);
  keep(right, atRight);
  for (let pass = 0; pass < passes; pass++) {
    if (atLeft <= atRight) {
      [high, right, atRight] = [right, left, atLeft];
      left = high - golden * (high - low);
      keep(left, (atLeft = at(left)));
    } else {
      [low, left, atLeft] = [left, right, atRight];
      right = low + golden * (high - low);
      keep(right, (atRight = at(right)));
    }
  }
  const width = (high - low) / 2;
  const middle = best;
  const [atBelow, atAbove] = [at(middle - width), at(middle + width)];
  const bend = atBelow - 2 * least + atAbove;
  if (bend > 0) {
    const vertex = middle + (width * (atBelow - atAbove)) / (2 * bend);
    keep(vertex, at(vertex));
  }
  return centre * Math.exp(best);
}
