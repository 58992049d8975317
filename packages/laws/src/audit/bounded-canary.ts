import {
  blockLipschitz,
  resolvePlugin,
  type Bound,
  type Clip,
  type Fact,
  type GradientTerms,
  type Mechanism,
  type Registry,
  type Target,
  type Vector,
} from '@lethe/core';
import { multiplyUp, sumUp } from '@lethe/numerics';
import { normOf } from '../engines/norms.js';

/**
 * A bound on one record, as a curator applies it: the maximum norm of a clipped vector, and the clip itself.
 */
export interface AppliedBound {
  readonly radius: number;
  readonly bounded: (gradient: Vector) => Vector;
}
interface Declared {
  readonly registry: Registry;
  readonly facts: Readonly<Record<string, Fact>>;
  readonly dimension: number;
}

/** The bound of a query, from the declarations of plugins and facts. */
export function appliedBound(
  bound: Bound,
  { terms, coordinates }: GradientTerms,
  { registry, facts, dimension }: Declared,
): AppliedBound {
  if (bound.by === 'clip') {
    const { plugin, params } = resolvePlugin<Clip>(registry, bound.clip);
    return {
      radius: plugin.radius(params),
      bounded(gradient) {
        const own = gradient.slice();
        plugin.clipInPlace(params, own);
        return own;
      },
    };
  }
  const along =
    coordinates !== undefined && coordinates.length > 0 && bound.fact === 'lipschitz'
      ? blockLipschitz(facts, dimension, coordinates)
      : undefined;
  const radius = multiplyUp(
    along ?? facts[bound.fact].value,
    sumUp(terms.map(({ weight }) => Math.abs(weight))),
  );
  return {
    radius,
    bounded(gradient) {
      const length = normOf('l2', gradient);
      return length <= radius ? gradient.slice() : gradient.map((x) => (x / length) * radius);
    },
  };
}

/** The noise multiplier of a target; almost zero for an unprotected one. */
export function multiplierOf(plugin: Mechanism, params: unknown, target: Target): number {
  if ('unprotected' in target) return 1e-9;
  return 'noiseMultiplier' in target ? target.noiseMultiplier : plugin.multiplierFor(params, target);
}
