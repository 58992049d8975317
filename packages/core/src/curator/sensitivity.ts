import { adjacencies, relativeTo, sensitivityUnder, type Sensitivity } from '../adjacency.js';
import {
  IncompatiblePlugins, InvalidParameter, Unsupported, divideUp, multiplyUp, sumUp,
} from '@lethe/numerics';
import { unprotectedEvent } from '../events/build.js';
import type { PrivacyEvent } from '../events/schema.js';
import type { Clip } from '../plugins/clip.js';
import type { Mechanism, Norm } from '../plugins/mechanism.js';
import type { Ref } from '../plugins/plugin.js';
import { blockLipschitz } from '../plugins/loss-constants.js';
import { resolvePlugin, type Resolved } from '../plugins/registry.js';
import type { Bound, Target, Term } from '../query/query.js';
import type { PublicContext } from './context.js';
import { publicGrid } from './public-grid.js';

/**
 * Sensitivity of `(1/normaliser) Σ` of vectors of norm at most `radius`, with a public normaliser: a replaced record moves
 * the sum by at most `2·radius`, a present, absent or nulled one by at most `radius`.
 */
export function boundedMeanSensitivity(radius: number, normaliser: number): Sensitivity {
  const one = divideUp(radius, normaliser);
  return { 'replace-one': 2 * one, 'add-remove': one, 'zero-out': one };
}

/** What a value reaches on so many records, when none moves it by more than its sensitivity and none at all give zero. */
export const sizeOf = (sensitivity: Sensitivity, normaliser: number): number => Math.max(...Object.values(sensitivity as Readonly<Record<string, number | undefined>>).map((one) => one ?? 0)) * normaliser;

/** How each record's contribution is bounded: every vector ends within `radius` in `norm`. */
export interface RecordBound { readonly radius: number; readonly norm: Norm; readonly clip: Resolved<Clip> | null }

/** What is to be bounded: `Σ_k weight_k ∇f(at_k; z)`, wherever gradients are taken, and how many entries of it. */
export interface BoundedTerms { readonly terms: readonly Pick<Term, 'weight'>[]; readonly length: number; readonly coordinates?: Uint32Array | undefined }

/**
 * The bound a query asks for. A certificate is enforced by clipping at the certified constant, which changes nothing where
 * the fact holds and keeps the sensitivity where it does not. For some coordinates only, `lipschitz` is the constant along them.
 *
 * @throws {Unsupported} for a fact the data set lacks, a fact about the population.
 * @throws {IncompatiblePlugins} for a clip of vectors of another length.
 */
export function recordBound({ facts, dimension, registry }: PublicContext, bound: Bound, { terms, length, coordinates }: BoundedTerms): RecordBound {
  if (bound.by === 'clip') {
    const clip = resolvePlugin<Clip>(registry, bound.clip);
    const taken = clip.plugin.vectorLength?.(clip.params);
    if (taken !== undefined && taken !== length) throw new IncompatiblePlugins(`clip '${clip.plugin.name}' takes vectors of ${taken} entries, the gradients asked for have ${length}; give it parameters for that length`, { clip: clip.plugin.name, takes: taken, length });
    return { radius: computable(clip.plugin.radius(clip.params)), norm: clip.plugin.norm, clip };
  }
  // Along some coordinates only, a loss moves by less: what it is certified for there is enough.
  const value = (coordinates !== undefined && coordinates.length > 0 && bound.fact === 'lipschitz' ? blockLipschitz(facts, dimension, coordinates) : undefined) ?? certifiedFact(facts, bound.fact);
  return { radius: computable(multiplyUp(value, sumUp(terms.map(({ weight }) => Math.abs(weight))))), norm: 'l2', clip: null };
}

/** A single gradient of so many entries, wherever it is taken. */
export const oneGradient = (length: number): BoundedTerms => ({ terms: [{ weight: 1 }], length });

/** The value of an `every-record` fact of the data set. @throws {Unsupported} when it may not enter a sensitivity. */
export function certifiedFact(facts: PublicContext['facts'], name: string): number {
  const fact = facts[name];
  if (fact === undefined) throw new Unsupported(`${lacking(Object.keys(facts), name)}: attach it with domain: { featureBounds }, or featureNorm and what else the loss needs, from which ${Object.keys(facts).length === 0 ? 'they follow' : 'it may follow'}, or clip.`, { fact: name });
  if (fact.scope !== 'every-record') throw new Unsupported(`the fact '${name}' holds for the population only; a sensitivity needs one that holds for every record. Clip instead.`, { fact: name, scope: fact.scope });
  return fact.value;
}

/** Of thousands of facts, one for each coordinate, some will do. */
function lacking(names: readonly string[], name: string): string {
  if (names.length === 0) return `the data set certifies no facts, and the query needs '${name}'`;
  return `the data set certifies no fact '${name}'; it has ${names.slice(0, 5).join(', ')}${names.length > 5 ? ` and ${names.length - 5} more` : ''}. To have it`;
}

/** What is to be noised, by public numbers. */
export interface NoisedValue {
  /** In which norm its sensitivity is. */
  readonly norm: Norm | 'any';
  /** How many entries it has. */
  readonly length: number;
  /** Whether all of them are whole. */
  readonly integers: boolean;
  /** What they reach on as many records as the normaliser says. */
  readonly size: number;
}

/** The noise of one release, worked out from public values. */
export interface PlannedNoise {
  readonly mechanism: Resolved<Mechanism> | null;
  readonly noiseMultiplier: number;
  /** Scale of the noise on the released value; 0 when unprotected. */
  readonly scale: number;
  /** What the noised value is rounded to; null for whole noise, which is exact, and for none. */
  readonly grid: number | null;
  readonly event: PrivacyEvent;
}

/** Above it sums of bounded records, or their noise, could overflow: an answer that is not finite would tell of the records. */
const largest = 1e280;
/** Below it doubles are too coarse: sums would move by more than is declared, and noise would have few values. */
const smallest = 1e-280;

/** A bound whose sums stay finite, whatever they are divided by afterwards. */
function computable(radius: number): number {
  if (radius >= smallest && radius <= largest) return radius;
  throw new InvalidParameter(`records would be bounded by ${radius}; a bound is from ${smallest} to ${largest}`, { radius });
}

/** @throws {InvalidParameter} unless every sensitivity leaves room for sums and noise in doubles. */
export function assertComputable(sensitivity: Sensitivity): void {
  for (const value of Object.values(sensitivity)) {
    if (value !== undefined && !(value >= smallest && value <= largest)) {
      throw new InvalidParameter(`the sensitivity of the release is ${value}; it must be from ${smallest} to ${largest}. Change the bound on records, or the weights.`, { sensitivity: value });
    }
  }
}

/**
 * Turns target and sensitivity into scale and event: scale = multiplier × sensitivity, rounded up; the event keeps the
 * multiplier and exact ratios between adjacencies.
 *
 * @throws {InvalidParameter} for a multiplier that is not positive, or a scale too small or too large to compute with, or too small
 * for values of that size.
 * @throws {Unsupported} for a scale that the mechanism does not draw.
 */
export function planNoise(context: PublicContext, ref: Ref<'mechanism'>, target: Target, sensitivity: Sensitivity, value: NoisedValue): PlannedNoise {
  assertComputable(sensitivity);
  if ('unprotected' in target) {
    if (!context.allowUnprotected) throw new Unsupported('this curator does not release without noise; build it with allowUnprotected for a baseline on data that need no protection', {});
    return { mechanism: null, noiseMultiplier: 0, scale: 0, grid: null, event: unprotectedEvent };
  }
  const mechanism = resolvePlugin<Mechanism>(context.registry, ref);
  const { plugin, params } = mechanism;
  assertFits(plugin, value);
  const noiseMultiplier = 'noiseMultiplier' in target ? target.noiseMultiplier : plugin.multiplierFor(params, target);
  if (!(noiseMultiplier > 0 && Number.isFinite(noiseMultiplier))) throw new InvalidParameter(`the noise multiplier is ${noiseMultiplier}; it must be positive and finite`, { noiseMultiplier });
  const event = eventOf(context, mechanism, noiseMultiplier, relativeTo(sensitivity, context.adjacency));
  const scale = multiplyUp(noiseMultiplier, sensitivityUnder(sensitivity, context.adjacency, 'the release'));
  if (context.isEstimate === true) return { mechanism, noiseMultiplier, scale, grid: null, event };
  if (!(scale >= smallest && scale <= largest)) throw new InvalidParameter(`the noise scale is ${scale}, from multiplier ${noiseMultiplier}; bound and multiplier must give a scale from ${smallest} to ${largest}`, { scale, noiseMultiplier });
  plugin.assertScale?.(params, scale);
  const grid = plugin.numerics === 'exact' ? null : publicGrid(scale, value.size);
  return { mechanism, noiseMultiplier, scale, grid, event };
}

/** @throws {IncompatiblePlugins} when the mechanism's guarantee does not cover such a value. */
function assertFits({ name, norm, numerics, scalar }: Mechanism, value: NoisedValue): void {
  if (value.norm !== 'any' && norm !== value.norm) {
    throw new IncompatiblePlugins(`mechanism '${name}' needs a sensitivity in ${norm}, the value is bounded in ${value.norm}; use a mechanism or a bound in the same norm`, { mechanism: name, needs: norm, has: value.norm });
  }
  if (scalar === true && value.length !== 1) {
    throw new IncompatiblePlugins(`mechanism '${name}' is private on single numbers, the value has ${value.length} entries; use one for vectors`, { mechanism: name, length: value.length });
  }
  if (numerics === 'exact' && !value.integers) {
    throw new IncompatiblePlugins(`mechanism '${name}' adds whole noise to whole numbers, and this value is real; release it through a mean oracle that rounds records to a grid, such as 'lattice-mean'`, { mechanism: name });
  }
}

interface LastEvent { readonly mechanism: Resolved<Mechanism>; readonly noiseMultiplier: number; readonly relative: Sensitivity; readonly event: PrivacyEvent }
const lastEvents = new WeakMap<PublicContext, LastEvent>();

/** The same object for equal releases in a row, so that the ledger need not compare their texts. `mechanism` is one object for equal references of the curator's own. */
function eventOf(context: PublicContext, mechanism: Resolved<Mechanism>, noiseMultiplier: number, relative: Sensitivity): PrivacyEvent {
  const last = lastEvents.get(context);
  const isSame = last?.mechanism === mechanism && last.noiseMultiplier === noiseMultiplier && adjacencies.every((a) => last.relative[a] === relative[a]);
  if (isSame) return last.event;
  const event = mechanism.plugin.event(mechanism.params, noiseMultiplier, relative);
  lastEvents.set(context, { mechanism, noiseMultiplier, relative, event });
  return event;
}
