import {
  IncompatiblePlugins,
  referenceTo,
  resolvePlugin,
  type Clip,
  type Ref,
  type Registry,
  type Resolved,
} from '@lethe/core';
import { gradientDifferenceClip } from '@lethe/mechanisms';
import * as z from 'zod';

/** The clip of a stream of running sums. */
export interface StreamClip {
  /** The clip at a norm that the method chooses; the one that is given, whatever the norm. */
  at(clipNorm: number): Ref<'clip'>;
  /** Bound on clipped vectors, of a clip that is given. */
  readonly radius: number | undefined;
  /** Why no bound on the risk covers it, however long vectors are; `null` where one may. */
  readonly uncovered: string | null;
}

/**
 * Finds a clip for a stream.
 *
 * @throws {IncompatiblePlugins} for a clip in another norm than ℓ2, in which the Gaussian noise of a stream
 * covers increments.
 */
export function clipInL2(registry: Registry, ref: Ref<'clip'>): Resolved<Clip> {
  const clip = resolvePlugin<Clip>(registry, ref);
  const { name, norm } = clip.plugin;
  if (norm === 'l2') return clip;
  throw new IncompatiblePlugins(
    `clip '${name}' bounds records in ${norm}, and the Gaussian noise of a stream covers records that are ` +
      'bounded in l2; take a clip in l2',
    { clip: name, norm },
  );
}

/**
 * The clip that a method is given, or projections onto ℓ2 balls. What a method proves of its risk is for
 * clips that leave vectors of at most the radius as they are.
 *
 * @throws {IncompatiblePlugins} as {@link clipInL2}.
 */
export function streamClip(registry: Registry, given: Ref<'clip'> | undefined): StreamClip {
  if (given === undefined)
    return { at: (cap) => gradientDifferenceClip({ cap }), radius: undefined, uncovered: null };
  const { plugin, params } = clipInL2(registry, given);
  return {
    at: () => given,
    radius: plugin.radius(params),
    uncovered: plugin.isProjection
      ? null
      : `clip '${plugin.name}' is no projection onto an ℓ2 ball, and may change vectors of any length`,
  };
}

/** Schema of a clip by reference, or of a rule by which its norm is chosen. */
export const clipOrRule = <const R extends readonly [string, ...string[]]>(rules: R) =>
  z.union([z.enum(rules), referenceTo('clip')]);

/** For `superRefine`: a clip by reference has its own norm. */
export function oneClip(
  { clip, clipNorm }: { readonly clip?: unknown; readonly clipNorm?: unknown },
  context: z.RefinementCtx,
): void {
  if (typeof clip === 'object' && clipNorm !== undefined)
    context.addIssue({
      code: 'custom',
      path: ['clipNorm'],
      message: 'leave it out: the clip that is given has a norm of its own',
    });
}
