import {
  defineLoss,
  type Capabilities,
  type Fact,
  type GradientTerms,
  type Loss,
  type Vector,
} from '@lethe/core';
import * as z from 'zod';

/** The canary's gradient in the next query. */
export interface Aim {
  readonly terms: GradientTerms['terms'];
  /** The coordinate of its gradients; `null` for all coordinates equally. */
  readonly axis: number | null;
  /**
   * The canary is a linear loss within its facts, for queries that do not clip and rely on the facts of the
   * loss. By default its gradients exceed any bound, and the curator has to clip them.
   */
  readonly honest?: boolean;
  /**
   * The canary's loss is far above its range where the first coordinate of a point has the sign of its label,
   * and far below elsewhere. By default it is the same at every point.
   */
  readonly steep?: boolean;
}

/** Requirements on a canary. */
export interface CanaryOptions {
  readonly dimension: number;
  readonly capabilities: Capabilities;
  /** Facts that the data set certifies; queries may rely on them. */
  readonly facts: Readonly<Record<string, Fact>>;
}

/**
 * A loss whose gradients the auditor chooses for every query. A record is its label: 1 or −1 for the two
 * canaries, 0 for a zero record.
 */
export interface Canary {
  readonly loss: Loss;
  /** Sets the gradients for the next query. */
  aim(aim: Aim): void;
  /**
   * `Σ_k weight_k ∇f(at_k)` of the record with this label, as aimed, restricted to the requested coordinates.
   */
  gradient(of: GradientTerms, label: number): Vector;
}

/** Longer than any practical bound, with a finite square. */
const far = 1e100;

const same = (a: Vector, b: Vector): boolean => a.every((x, j) => x === b[j]);

/**
 * Makes a canary. For a query with several points, such as a difference of gradients, its gradient has one
 * sign at points with positive weight and the other sign at the
 * others, so that the sum is as long as possible.
 */
export function createCanary({ dimension, capabilities, facts }: CanaryOptions): Canary {
  const within = facts['lipschitz']?.value ?? 1;
  let axis: number | null = 0;
  let honest = false;
  let steep = false;
  let points: readonly { readonly at: Vector; readonly side: number }[] = [];
  const sideAt = (at: Vector): number => points.find((point) => same(point.at, at))?.side ?? 1;
  const gradientInto = (out: Vector, at: Vector, label: number): void => {
    const entry = label === 0 ? 0 : label * (honest ? within : far * sideAt(at));
    if (axis === null) out.fill(entry);
    else {
      out.fill(0);
      out[axis] = entry;
    }
  };
  const loss = defineLoss({
    name: 'audit-canary',
    summary: 'A loss whose gradients an auditor chooses.',
    source: { id: 'nasr-2021', item: 'Section 4, the adversary that inserts gradients' },
    params: z.strictObject({}),
    claims: [],
    capabilities,
    linear: null,
    labels: { rule: '1 or −1 for a canary, 0 for a zero record', accepts: Number.isFinite },
    value(_params, at, { label }) {
      if (honest) return label * within * at[0];
      return label * far * (steep ? at[0] : 1);
    },
    gradientInto: (_params, out, at, { label }) => gradientInto(out, at, label),
    facts: () => facts,
  });
  return {
    loss,
    aim(next) {
      honest = next.honest === true;
      steep = next.steep === true;
      axis = honest ? 0 : next.axis;
      points = honest || next.terms.length < 2 ? [] : sidesOf(next.terms);
    },
    gradient({ terms, coordinates }, label) {
      const sum = new Float64Array(dimension);
      const one = new Float64Array(dimension);
      for (const { weight, at } of terms) {
        gradientInto(one, at, label);
        for (let j = 0; j < dimension; j++) sum[j] += weight * one[j];
      }
      return coordinates === undefined ? sum : Float64Array.from(coordinates, (j) => sum[j]);
    },
  };
}

/** The side of each point: the sign of its total weight. */
function sidesOf(terms: GradientTerms['terms']): readonly { readonly at: Vector; readonly side: number }[] {
  return terms.map(({ at }) => ({
    at,
    side: terms.reduce((sum, term) => sum + (same(term.at, at) ? term.weight : 0), 0) < 0 ? -1 : 1,
  }));
}
