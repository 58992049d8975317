import {
  boundedMeanSensitivity,
  repeatedEvent,
  resolvePlugin,
  type Bound,
  type Clip,
  type CoreEvent,
  type Mechanism,
  type OpenQuery,
  type PrefixSum,
  type PrivacyEvent,
  type RecordBound,
  type Ref,
  type Registry,
  type Resolved,
} from '@lethe/core';
import { divideUp, InvalidParameter, multiplyUp, sqrtUp, Unsupported } from '@lethe/numerics';
import type { PublicContext } from './context.js';
import { planNoise, type PlannedNoise } from './sensitivity.js';

/** Sums up to this leave room for noise of every scale that is proved. */
const largestSum = 2 ** 51;

/** Whether noise of a mechanism is whole, and added to whole numbers only. */
export const isWholeNoise = (registry: Registry, ref: Ref<'mechanism'>): boolean =>
  resolvePlugin<Mechanism>(registry, ref).plugin.numerics === 'exact';

/** The grid on which a bound leaves records; `null` for none. */
export function spacingOf(registry: Registry, bound: Bound): number | null {
  if (bound.by !== 'clip') return null;
  const { plugin, params } = resolvePlugin<Clip>(registry, bound.clip);
  return plugin.spacing?.(params) ?? null;
}

/**
 * Noise and cost of a stream of whole numbers: the clip rounds each record to a grid, sums are counted in
 * steps of it, and every running sum has fresh whole noise. A record takes part once, so that it moves each
 * later sum by one fixed vector, whatever is asked between: the stream is an adaptive composition of `steps`
 * releases with whole noise. The multiplier is that of the whole stream, `√steps` times less than that of one
 * release.
 *
 * @throws {Unsupported} for a clip without a grid, sums with other noise, records that take part more often,
 * batches that are drawn in secret, targets other than a multiplier, and in secure sums noise whose shares do
 * not add up.
 * @throws {InvalidParameter} where sums could reach 2⁵¹ steps.
 */
export function planWholeStream(
  context: PublicContext,
  { steps, dimension, bound, noise, participation, sampling }: OpenQuery,
  { prefixSum, limit }: { readonly prefixSum: Resolved<PrefixSum>; readonly limit: RecordBound },
): PlannedNoise {
  const spacing = spacingOf(context.registry, bound);
  const refuse = (why: string): never => {
    throw new Unsupported(`mechanism '${noise.mechanism.name}' adds whole noise; ${why}`, {
      mechanism: noise.mechanism.name,
    });
  };
  if (spacing === null)
    return refuse("bound the records of the stream by a clip that rounds to a grid, such as 'lattice'");
  if (prefixSum.plugin.freshNoise !== true)
    refuse(
      `the prefix sum '${prefixSum.plugin.name}' does not add fresh noise to every running sum, and ` +
        "adaptive increments are covered for Gaussian noise alone; take 'independent-prefixes'",
    );
  if (participation.times !== 1) refuse('a record may take part in such a stream once only');
  if (sampling !== undefined) refuse('no sampler states what such a stream costs');
  if (context.isRaw === true)
    refuse('a server that is trusted with sums draws Gaussian noise for streams only');
  const { noiseShares } = context;
  const { plugin } = resolvePlugin<Mechanism>(context.registry, noise.mechanism);
  if (noiseShares !== undefined && plugin.divisible !== true)
    refuse("its shares do not add up to noise of its kind; in secure sums take 'skellam'");
  const { target } = noise;
  if (!('noiseMultiplier' in target)) return refuse('give the noise of the stream by noiseMultiplier');
  const most = multiplyUp(context.allRecords.normaliser, divideUp(limit.radius, spacing));
  if (most > largestSum)
    throw new InvalidParameter(
      `sums of ${context.allRecords.normaliser} records could reach ${most} steps of the grid; ` +
        'at most 2^51 are counted. Use a coarser grid.',
      { spacing, most },
    );
  const planned = planNoise(
    context,
    noise.mechanism,
    { noiseMultiplier: multiplyUp(target.noiseMultiplier, sqrtUp(steps)) },
    boundedMeanSensitivity(limit.radius, spacing),
    { norm: limit.norm, length: dimension, integers: true, size: most },
    noiseShares,
  );
  const event = onGrid(planned.event, { steps: divideUp(limit.radius, spacing), entries: dimension });
  return { ...planned, noiseMultiplier: target.noiseMultiplier, event: repeatedEvent(event, steps) };
}

/**
 * The event of whole Gaussian noise with what makes it nearly that of real-valued noise: its grid and
 * entries.
 */
function onGrid(
  event: PrivacyEvent,
  { steps, entries }: { readonly steps: number; readonly entries: number },
): PrivacyEvent {
  if (event.kind !== 'core/discrete-gaussian') return event;
  const whole = event as CoreEvent<'core/discrete-gaussian'>;
  const unit = whole.sensitivity['zero-out'] ?? whole.sensitivity['add-remove'];
  // Rounded up: the noise counts as no more steps than it has.
  return unit === undefined ? event : ({ ...whole, grid: divideUp(unit, steps), entries } as PrivacyEvent);
}
