import {
  IncompatiblePlugins,
  InvalidParameter,
  LetheError,
  meanShape,
  noiseVarianceAt,
  resolvePlugin,
  scaledMean,
  sensitivityUnder,
  Unsupported,
  type CentralMean,
  type Mean,
  type MeanShape,
  type Mechanism,
  type Moment,
  type Norm,
  type Problem,
  type Ref,
  type Registry,
  type Target,
} from '@lethe/core';
import { certifiedMean, gaussian } from '@lethe/mechanisms';
import { divideUp } from '@lethe/numerics';
import { clippedGaussian } from './problem-facts.js';

/** What a method needs of a mean; `trust` is that of its curator. */
export interface MeanNeeds {
  /** Name of the method. */
  readonly optimizer: string;
  readonly trust: Mean['trust'];
  readonly privacyRestsOn: 'clip' | 'every-record constants';
  /**
   * Whether a mean that clips serves a method that rests on constants of every record. @defaultValue false
   */
  readonly mayClip?: boolean;
}

/** By name, so that a page with a central curator does not load it. */
const shuffledVectors: Ref<'mean'> = {
  kind: 'mean',
  name: 'shuffled',
  params: { randomiser: { kind: 'localRandomiser', name: 'shuffled-vector-sum', params: { radius: 1 } } },
};

/** The mean of a method whose caller names none, for gradients of unit size. */
export function standardMean({ trust, privacyRestsOn }: MeanNeeds): Ref<'mean'> {
  if (privacyRestsOn !== 'clip') return certifiedMean({ mechanism: gaussian({}) });
  return trust === 'central' ? clippedGaussian(1) : shuffledVectors;
}

/**
 * Checks what a mean says of itself. Norms, sizes and adjacencies are checked where the run is priced.
 *
 * @throws {IncompatiblePlugins} for a mean of another model of trust, or whose privacy rests on something
 * else.
 */
export function assertMeanFits(registry: Registry, ref: Ref<'mean'>, needs: MeanNeeds): void {
  const { name, trust, privacyRestsOn } = resolvePlugin<Mean>(registry, ref).plugin;
  const { optimizer } = needs;
  const instead = standardMean(needs).name;
  if (trust !== needs.trust)
    throw new IncompatiblePlugins(
      `mean '${name}' is of the ${trust} model, and '${optimizer}' runs ` +
        `${needs.trust === 'central' ? 'with a central curator' : 'in the shuffle model'}; take a ` +
        `${needs.trust === 'central' ? 'central' : 'shuffled'} mean, such as '${instead}'`,
      { mean: name, trust },
    );
  const isAllowed = needs.mayClip === true && privacyRestsOn === 'clip';
  if (isAllowed || privacyRestsOn === needs.privacyRestsOn) return;
  throw new IncompatiblePlugins(
    `the privacy of mean '${name}' rests on ${privacyRestsOn}, and that of '${optimizer}' on ` +
      (needs.privacyRestsOn === 'clip'
        ? 'clipping alone; take a mean that clips'
        : `${needs.privacyRestsOn}; take a mean that rests on them`) +
      `, such as '${instead}'`,
    { mean: name, privacyRestsOn },
  );
}

/** A mean that a method is given. */
export interface GivenMean {
  readonly ref: Ref<'mean'>;
  readonly plugin: Mean;
  readonly params: unknown;
  readonly registry: Registry;
  /** Whether it can be had for records of any size, so that a method may choose a clip norm. */
  readonly hasUnits: boolean;
}

/**
 * Finds the mean that a method is given, or its standard one.
 *
 * @param clipNorm - The clip norm that is given with it, if any.
 * @throws {Unsupported} for a name that the registry has not.
 * @throws {InvalidParameter} for parameters that the mean does not take, and a clip norm where it cannot be
 * scaled.
 * @throws {IncompatiblePlugins} as {@link assertMeanFits}.
 */
export function givenMean(
  ref: Ref<'mean'> | undefined,
  registry: Registry,
  needs: MeanNeeds,
  clipNorm?: number,
): GivenMean {
  const chosen = ref ?? standardMean(needs);
  const { plugin, params } = resolvePlugin<Mean>(registry, chosen);
  assertMeanFits(registry, chosen, needs);
  const hasUnits = (plugin.scaled?.(params, 1, registry) ?? null) !== null;
  if (!hasUnits && clipNorm !== undefined)
    throw new InvalidParameter(
      `clipNorm is ${clipNorm}, and the mean '${plugin.name}' cannot be scaled to it; leave clipNorm out`,
      { mean: plugin.name, clipNorm },
    );
  return { ref: chosen, plugin, params, registry, hasUnits };
}

/**
 * The mean for gradients of size `clipNorm`, given as that for unit size; as it is where it has no units.
 *
 * @throws {Unsupported} for a mean that can be scaled, and not by that factor.
 * @throws {InvalidParameter} for parameters that the scaled mean does not take.
 */
export function meanAt(registry: Registry, ref: Ref<'mean'>, clipNorm: number): Ref<'mean'> {
  const scaled = scaledMean(registry, ref, clipNorm);
  if (scaled !== null) return scaled;
  if (scaledMean(registry, ref, 1) === null) return ref;
  throw new Unsupported(
    `the mean '${ref.name}' can be scaled, and not by ${clipNorm}; give another clipNorm, or another mean`,
    { mean: ref.name, clipNorm },
  );
}

/** The mean that a method is given for gradients of size `clipNorm`. @throws as {@link meanAt}. */
function scaledTo(given: GivenMean, clipNorm: number): GivenMean {
  if (!given.hasUnits || clipNorm === 1) return given;
  const ref = meanAt(given.registry, given.ref, clipNorm);
  return { ...given, ref, params: resolvePlugin<Mean>(given.registry, ref).params };
}

/** The power of two next below a positive number: in its unit, units change no rounding. */
const binaryUnit = (x: number): number => 2 ** Math.floor(Math.log2(x));

/** Public numbers of the batches that a mean is asked of. */
export interface MeanBatches {
  readonly problem: Pick<Problem, 'adjacency' | 'dimension' | 'facts'>;
  /** A noise multiplier for central means, ε and δ for shuffled ones. */
  readonly target: Target;
  /** Whether the number of records of a batch is public. @defaultValue 'exact' */
  readonly size?: MeanShape['size'];
  /** Users of a batch that certainly follow the protocol; only shuffled means ask. */
  honestIn(batchSize: number): number;
}

/** Error of a private mean `g`, in ℓ2, for independent records of one law. */
export interface MeanError {
  /** `σ`: standard deviation of one coordinate's noise, or an upper bound. */
  readonly noise: number;
  /** `B ≥ ‖E g − ∇F‖`. */
  readonly bias: number;
  /** `Σ² ≥ E‖g − E g‖²`. */
  readonly variance: number;
}

/** Moments of gradients, as roots. */
export interface Moments {
  /** `k ≥ 2`, `Infinity` for gradients that are bounded. */
  readonly order: number;
  /** `r_k ≥ (E‖∇f‖^k)^(1/k)`, and `r_2`. */
  readonly moment: number;
  readonly secondMoment: number;
  /** Bound on the length of every record's gradient, where one is known. */
  readonly longest?: number | undefined;
}

/** Bounds of a mean as it is given, in its own norm; `null` where it states none. */
interface OwnBounds {
  readonly norm: Norm;
  readonly bias: (moment: Moment) => number | null;
  readonly variance: (moment: Moment) => number | null;
}

/** @throws as {@link errorOfMean}. */
function ownBounds({ plugin, params, registry }: GivenMean, batches: MeanBatches, slots: number): OwnBounds {
  const {
    problem: { dimension, facts },
    target,
    size = 'exact',
  } = batches;
  const shape = meanShape({ dimension, slots, facts, registry, size });
  if (plugin.trust === 'shuffle') {
    const crowd = { ...shape, honestUsers: batches.honestIn(slots), target };
    return {
      norm: 'l2',
      bias: (moment) => plugin.biasBound(params, crowd, moment),
      variance: (moment) => plugin.varianceBound(params, crowd, moment),
    };
  }
  const noise = noiseVariance({ plugin, params }, batches, shape);
  return {
    norm: plugin.norm(params, shape),
    bias: (moment) => plugin.biasBound(params, shape, moment),
    variance: (moment) => plugin.varianceBound(params, shape, moment, noise),
  };
}

/** Bound on the variance of the noise on one entry of what a central mean releases. */
function noiseVariance(
  { plugin, params }: { readonly plugin: CentralMean; readonly params: unknown },
  { problem: { adjacency }, target }: MeanBatches,
  shape: MeanShape,
): number {
  if (!('noiseMultiplier' in target))
    throw new Unsupported(`the noise of mean '${plugin.name}' is asked for by a noise multiplier`, {
      target,
    });
  const sensitivity = sensitivityUnder(plugin.sensitivity(params, shape), adjacency, `mean '${plugin.name}'`);
  const { plugin: mechanism, params: own } = resolvePlugin<Mechanism>(
    shape.registry,
    plugin.mechanism(params),
  );
  return noiseVarianceAt(mechanism, own, target.noiseMultiplier * sensitivity);
}

/**
 * A moment of at most that order whose value is far from the ends of the doubles. Where the order has to be
 * lowered, records are so long, or so short, that bounds hardly depend on it.
 */
function momentOf(order: number, root: number): Moment {
  const most = Math.max(2, Math.min(order, 2 ** 30, 900 / Math.abs(Math.log2(root))));
  return { order: most, value: root ** most };
}

/**
 * Factors between ℓ2 and the norm that a mean is bounded in: of moments
 * into it, and of bounds back. `‖x‖₁ ≤ √d ‖x‖₂` and `‖x‖₂ ≤ √d ‖x‖∞`.
 */
const norms = (norm: Norm, dimension: number): { readonly into: number; readonly back: number } => ({
  into: norm === 'l1' ? Math.sqrt(dimension) : 1,
  back: norm === 'linf' ? Math.sqrt(dimension) : 1,
});

/**
 * Standard deviation of one coordinate's noise in a mean as it is given: its error on records that are all
 * zero.
 */
const noiseIn = ({ norm, variance }: OwnBounds, dimension: number): number | null => {
  const whole = variance({ order: 2, value: 0 });
  return whole === null ? null : norms(norm, dimension).back * Math.sqrt(whole / dimension);
};

/**
 * Noise, bias and variance of a mean over `batchSize` records at a clip norm, by what the plugin states of
 * the mean that is scaled to it: on a grid, rounding makes that another one than the scaled mean of unit
 * size. Powers of two are taken out, so that nothing overflows.
 *
 * @returns `null` where the mean states no bounds.
 * @throws {Unsupported} for an adjacency under which the mean has no sensitivity, and as {@link meanAt}.
 * @throws {InvalidParameter} for a batch that the mean does not take, and as {@link meanAt}.
 */
export function errorOfMean(
  given: GivenMean,
  batches: MeanBatches,
  moments: Moments,
): (clipNorm: number, batchSize: number) => MeanError | null {
  const momentsAt = cutAt(given, batches, moments);
  return (clipNorm, batchSize) => {
    const unit = given.hasUnits ? binaryUnit(clipNorm) : 1;
    const bounds = ownBounds(scaledTo(given, clipNorm / unit), batches, batchSize);
    return errorIn(unit, noised(bounds, batches), batches, momentsAt(clipNorm));
  };
}

/**
 * {@link errorOfMean} up to rounding to a grid: that of the mean of unit size in units of the clip norm. Its
 * values at many clip norms cost little, so that rounds and clip norms are chosen by it.
 */
export function guideOfMean(
  given: GivenMean,
  batches: MeanBatches,
  moments: Moments,
): (clipNorm: number, batchSize: number) => MeanError | null {
  const known = new Map<number, NoisedBounds>();
  const momentsAt = cutAt(given, batches, moments);
  return (clipNorm, batchSize) => {
    const bounds = known.get(batchSize) ?? noised(ownBounds(given, batches, batchSize), batches);
    known.set(batchSize, bounds);
    return errorIn(given.hasUnits ? clipNorm : 1, bounds, batches, momentsAt(clipNorm));
  };
}

/** Moments, and whether a mean leaves every record as it is. */
interface CutMoments extends Moments {
  readonly isWhole: boolean;
}

/**
 * A mean of records scaled into a ball is that of the records themselves where none is longer than the
 * radius.
 */
function cutAt(
  given: GivenMean,
  { problem }: MeanBatches,
  moments: Moments,
): (clipNorm: number) => CutMoments {
  const isWhole = moments.longest === undefined ? () => false : leavesWhole(given, problem, moments.longest);
  return (clipNorm) => ({ ...moments, isWhole: isWhole(clipNorm) });
}

/** Whether a mean at a clip norm is that of the records themselves, where none is longer than `longest`. */
export function leavesWhole(
  given: GivenMean,
  problem: MeanBatches['problem'],
  longest: number,
): (clipNorm: number) => boolean {
  const least = clipOfRadius(given, problem, longest);
  return (clipNorm) => least !== null && (given.hasUnits ? clipNorm : 1) >= least;
}

/**
 * The least clip norm at which a mean leaves records of length `radius` as they are; `null` where it is not
 * the mean of records scaled into an ℓ2 ball, or does more to it than to add noise.
 */
export function clipOfRadius(
  given: GivenMean,
  { dimension, facts }: MeanBatches['problem'],
  radius: number,
): number | null {
  const { plugin, params, registry } = given;
  if (plugin.trust !== 'central') return null;
  const linear = plugin.linear?.(params, meanShape({ dimension, slots: 1, facts, registry })) ?? null;
  if (linear === null || linear.radius === null || linear.transform !== undefined) return null;
  const clipNorm = radius / linear.radius;
  return clipNorm * linear.radius >= radius ? clipNorm : divideUp(radius, linear.radius);
}

/** Bounds, with the noise of one coordinate that they state. */
interface NoisedBounds extends OwnBounds {
  readonly noise: number | null;
}

const noised = (bounds: OwnBounds, { problem: { dimension } }: MeanBatches): NoisedBounds => ({
  ...bounds,
  noise: noiseIn(bounds, dimension),
});

/** The error that bounds in some unit say, in the unit of the moments. */
function errorIn(
  unit: number,
  bounds: NoisedBounds,
  { problem: { dimension } }: MeanBatches,
  { order, moment, secondMoment, isWhole }: CutMoments,
): MeanError | null {
  const { into, back } = norms(bounds.norm, dimension);
  const second = ((into * secondMoment) / unit) ** 2;
  const known = {
    ...momentOf(order, (into * moment) / unit),
    ...(second < Infinity ? { second } : {}),
  };
  const bias = isWhole ? 0 : bounds.bias(known);
  const variance = bounds.variance(known);
  const { noise } = bounds;
  if (noise === null || bias === null || variance === null) return null;
  return { noise: unit * noise, bias: unit * back * bias, variance: (unit * back) ** 2 * variance };
}

/**
 * The error of a mean whose bounds a method cannot do without.
 *
 * @throws {Unsupported} where the mean states none.
 */
export const stated =
  (given: GivenMean, errorAt: (clipNorm: number, batchSize: number) => MeanError | null) =>
  (clipNorm: number, batchSize: number): MeanError =>
    errorAt(clipNorm, batchSize) ?? noBounds(given, batchSize);

function noBounds({ plugin: { name } }: GivenMean, batchSize: number): never {
  throw new Unsupported(
    `the mean '${name}' states no bound on its error over ${batchSize} records; take larger batches, such ` +
      'as by fewer rounds, or another mean',
    { mean: name, batchSize },
  );
}

/**
 * Standard deviation of one coordinate's noise in a central mean that is scaled to a clip norm.
 *
 * @throws {Unsupported} where it states no bounds, and as {@link errorOfMean}.
 */
export function noiseOfMean(
  given: GivenMean,
  batches: MeanBatches,
  { clipNorm, batchSize }: { readonly clipNorm: number; readonly batchSize: number },
): number {
  const unit = given.hasUnits ? binaryUnit(clipNorm) : 1;
  const bounds = ownBounds(scaledTo(given, clipNorm / unit), batches, batchSize);
  return unit * (noiseIn(bounds, batches.problem.dimension) ?? noBounds(given, batchSize));
}

/** Fewest records, of at most `most`, that the mean takes. */
export function fewestRecords(given: GivenMean, batches: MeanBatches, most: number): number {
  const isTaken = (batchSize: number): boolean => {
    try {
      ownBounds(given, batches, batchSize);
      return true;
    } catch (error) {
      if (error instanceof LetheError) return false;
      throw error;
    }
  };
  let refused = 0;
  let taken = most;
  while (taken - refused > 1) {
    const middle = Math.floor((refused + taken) / 2);
    if (isTaken(middle)) taken = middle;
    else refused = middle;
  }
  return taken;
}

/**
 * `r` where the mean is that of records scaled into the ℓ2 ball of radius `r`; else `null`.
 *
 * @param clipNorm - Of the records, for a mean that is scaled to it. @defaultValue the mean as it is given
 */
export function ballRadius(
  given: GivenMean,
  { dimension, facts }: MeanBatches['problem'],
  clipNorm = 1,
): number | null {
  const { plugin, params, registry } = scaledTo(given, clipNorm);
  if (plugin.trust !== 'central') return null;
  return plugin.linear?.(params, meanShape({ dimension, slots: 1, facts, registry }))?.radius ?? null;
}
