import { norm2, requireFinite, requirePositive } from '../geometry/vectors.js';
import { InvalidParameter } from '../errors.js';
import type { Proximal } from './proximal.js';
import { requireStep } from './require-step.js';

/** `f(y) = strength · Σ_g ‖y_g‖₂` over disjoint groups of coordinates; others are free. */
export interface GroupParameters {
  /** Greater than 0. */
  readonly strength: number;
  /** Each group's coordinates, counted from 0; no coordinate twice. */
  readonly groups: readonly (readonly number[])[];
}

/** @returns the minimum dimension for the groups. */
function requireGroups(groups: readonly (readonly number[])[]): number {
  const seen = new Set<number>();
  for (const [group, indices] of groups.entries()) {
    if (indices.length === 0)
      throw new InvalidParameter(`groups[${group}] is empty: give at least one coordinate`, { group });
    for (const index of indices) {
      if (!Number.isSafeInteger(index) || index < 0)
        throw new InvalidParameter(`groups[${group}] holds ${index}: give coordinates counted from 0`, {
          group,
          index,
        });
      if (seen.has(index))
        throw new InvalidParameter(
          `groups[${group}] holds ${index}, which is in a group already: give disjoint groups`,
          { group, index },
        );
      seen.add(index);
    }
  }
  return [...seen].reduce((largest, index) => Math.max(largest, index + 1), 0);
}

/**
 * Group lasso: the proximal map shortens each group's vector by `eta·strength`, to 0 at the least.
 *
 * @throws {InvalidParameter} unless the strength is positive and finite and the groups are disjoint.
 */
export function proximalGroup({ strength, groups: given }: GroupParameters): Proximal {
  requirePositive('strength', strength);
  const groups = given.map((indices) => [...indices]);
  const needed = requireGroups(groups);
  const requireCoordinates = (vector: Float64Array): void => {
    if (vector.length >= needed) return;
    throw new InvalidParameter(
      `the vector has ${vector.length} coordinates, but a group names coordinate ${needed - 1}: give ` +
        `at least ${needed}`,
      { length: vector.length, needed },
    );
  };
  const normOf = (vector: Float64Array, indices: readonly number[]): number =>
    norm2(indices.map((index) => vector[index]));
  return {
    name: 'group',
    value(y) {
      requireFinite('y', y, y.length);
      requireCoordinates(y);
      const total = groups.reduce((sum, indices) => sum + normOf(y, indices), 0);
      return total === 0 ? 0 : strength * total;
    },
    proxInto(out, z, eta) {
      requireStep(out, z, eta);
      requireCoordinates(z);
      if (out !== z) out.set(z);
      for (const indices of groups) {
        // Scaled down, so that norm and threshold do not overflow unless the result does.
        const scale = normOf(out, indices) < 1e300 ? 1 : 2 ** -60;
        const norm = norm2(indices.map((index) => out[index] * scale));
        const threshold = eta * strength * scale;
        const factor = norm > threshold ? (norm - threshold) / norm : 0;
        for (const index of indices) out[index] *= factor;
      }
      return out;
    },
  };
}
