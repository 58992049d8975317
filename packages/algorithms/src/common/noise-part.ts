import {
  IncompatiblePlugins,
  referenceTo,
  resolvePlugin,
  Unsupported,
  type Mechanism,
  type Norm,
  type Ref,
  type Registry,
} from '@lethe/core';
import type { Domain } from '@lethe/numerics';
import * as z from 'zod';

/** What a method reads of the noise that it is given. */
export interface NoisePart<N extends Norm = Norm> {
  readonly norm: N;
  /** Standard deviation of one entry of the noise over its scale, or an upper bound. */
  readonly deviation: number;
  /** Why a bound for noise of mean 0 does not cover it; `null` where it does. */
  readonly uncovered: string | null;
}

/** Parameter for the noise of a method. */
export const mechanismSchema = (standard: Ref<'mechanism'>) =>
  z
    ._default(referenceTo('mechanism'), standard)
    .describe('Noise that is calibrated in ℓ2, such as { name: gaussian }.');

/**
 * The declarations of a mechanism.
 *
 * @param norms - Those in which the method knows how far a record moves what it releases.
 * @param released - What that is, in messages.
 * @throws {IncompatiblePlugins} for a mechanism that is calibrated in another norm.
 */
export function noisePart<N extends Norm>(
  registry: Registry,
  ref: Ref<'mechanism'>,
  { norms, released }: { readonly norms: readonly N[]; readonly released: string },
): NoisePart<N> {
  const { plugin, params } = resolvePlugin<Mechanism>(registry, ref);
  const norm = norms.find((known) => known === plugin.norm);
  if (norm === undefined)
    throw new IncompatiblePlugins(
      `mechanism '${plugin.name}' is calibrated in ${plugin.norm}, and how far a record moves ${released} ` +
        `is known in ${norms.join(' and ')}; take ` +
        `${norms.includes('l1' as N) ? 'laplace or gaussian' : 'gaussian'}`,
      { mechanism: plugin.name, norm: plugin.norm },
    );
  const isSymmetric = plugin.claims.some(({ property }) => property === 'symmetric');
  return {
    norm,
    deviation: plugin.deviationBound?.(params) ?? plugin.standardDeviation(params),
    uncovered: isSymmetric
      ? null
      : `mechanism '${plugin.name}' does not claim to be symmetric, and the bound is for noise of mean 0`,
  };
}

/**
 * {@link noisePart} for a minimiser, which a record moves by a known length in ℓ2, and in ℓ1 on the whole
 * space.
 *
 * @throws {Unsupported} for noise in ℓ1 on another domain.
 */
export function minimiserNoise(
  registry: Registry,
  ref: Ref<'mechanism'>,
  domain: Domain,
): NoisePart<'l1' | 'l2'> {
  const part = noisePart(registry, ref, { norms: ['l1', 'l2'], released: 'a minimiser' });
  if (part.norm === 'l2' || domain.unconstrained === true) return part;
  throw new Unsupported(
    `mechanism '${ref.name}' is calibrated in ℓ1, which needs the whole space, and the domain is ` +
      `'${domain.name}'; take the domain 'whole-space' and declare startDistance, or take δ > 0 and a ` +
      'mechanism for ℓ2, such as gaussian',
    { domain: domain.name, mechanism: ref.name },
  );
}

/**
 * {@link noisePart} in ℓ2 for a method whose analysis covers Gaussian noise alone.
 *
 * @param why - The reason, in messages.
 * @throws {IncompatiblePlugins} for a mechanism whose event is not Gaussian.
 */
export function gaussianPart(
  registry: Registry,
  ref: Ref<'mechanism'>,
  { released, why }: { readonly released: string; readonly why: string },
): NoisePart<'l2'> {
  const part = noisePart(registry, ref, { norms: ['l2'], released });
  const { plugin, params } = resolvePlugin<Mechanism>(registry, ref);
  if (plugin.event(params, 1, { 'zero-out': 1 }).kind === 'core/gaussian') return part;
  throw new IncompatiblePlugins(
    `the event of mechanism '${plugin.name}' is not Gaussian, and ${why}; take gaussian`,
    { mechanism: plugin.name },
  );
}
