import type { z } from 'zod';
import type { Fact, Vector } from '../query/query.js';
import { callablePlugin, type Callable, type Plugin } from './plugin.js';

/** Facts about a loss: `true` where they hold, `false` where they do not, absent where nobody said. */
export interface Capabilities {
  readonly convex?: boolean; readonly lipschitz?: boolean; readonly smooth?: boolean;
  readonly coordinateLipschitz?: boolean; readonly coordinateSmooth?: boolean; readonly linear?: boolean; readonly nullRecord?: boolean;
}
/** A key of {@link Capabilities}. */
export type Capability = keyof Capabilities;

/** One record: features and label. */
export interface RecordView { readonly features: Vector; readonly label: number }

/** A loss of a linear model: everything is a function of margin `m = ⟨w, x⟩` and label. */
export interface LinearForm<Params> {
  /** Loss at a margin. */
  value(params: Params, margin: number, label: number): number;
  /** Derivative in the margin; the gradient is `slope · x`, its norm `|slope| ‖x‖`. */
  slope(params: Params, margin: number, label: number): number;
  /** Names the fused kernel that computes exactly this slope, if there is one. */
  readonly kernel: 'logistic' | 'squared' | null;
}

/** What is publicly known of the records and of the set of iterates: declared bounds, never computed from private data. */
export interface RecordDomain {
  readonly dimension: number;
  /** `‖x‖₂ ≤ featureNorm` for every record. */
  readonly featureNorm?: number;
  /** `|x_j| ≤ featureBounds[j]` for every record. */
  readonly featureBounds?: readonly number[];
  /** `|y| ≤ labelBound` for every record; absent for unbounded labels. */
  readonly labelBound?: number;
  /** `‖w‖₂ ≤ iterateNorm` on the domain of the iterates. */
  readonly iterateNorm?: number;
}

/** A loss with its capabilities, and with the constants that follow from a declared record domain. */
export interface Loss<Params extends z.ZodType = z.ZodType, out Has extends Capabilities = Capabilities> extends Plugin<'loss', Params> {
  readonly capabilities: Has;
  /** Set for linear models; then `value` and `gradientInto` follow from it. */
  readonly linear: LinearForm<z.output<Params>> | null;
  /** Loss of one record at `at`. */
  value(params: z.output<Params>, at: Vector, record: RecordView): number;
  /** Writes a (sub)gradient at `at` for one record. */
  gradientInto(params: z.output<Params>, out: Vector, at: Vector, record: RecordView): void;
  /**
   * Facts that follow from the declared record domain, by their common names (`lipschitz`, `smoothness`, `range`, …). A fact
   * that does not follow is absent, never a guess. `coordinateLipschitz.j` and `coordinateSmoothness.j` are per coordinate.
   */
  facts(params: z.output<Params>, domain: RecordDomain): Readonly<Record<string, Fact>>;
  /** Labels the loss accepts, as a rule a data owner can be shown; checked when data are attached. */
  readonly labels: { readonly rule: string; accepts(label: number): boolean };
}

/** Declares a loss; the result, called with parameters, is a reference for problems and data sets. */
export function defineLoss<Params extends z.ZodType, const Has extends Capabilities>(definition: Omit<Loss<Params, Has>, 'kind'>): Callable<Loss<Params, Has>> {
  return callablePlugin({ ...definition, kind: 'loss' });
}

/** Declares the loss of a linear model from its value and slope in the margin. */
export function defineLinearLoss<Params extends z.ZodType, const Has extends Capabilities>(
  definition: Omit<Loss<Params, Has>, 'kind' | 'value' | 'gradientInto' | 'linear'> & { readonly linear: LinearForm<z.output<Params>> },
): Callable<Loss<Params, Has>> {
  const { linear } = definition;
  return defineLoss<Params, Has>({
    ...definition,
    value: (params, at, { features, label }) => linear.value(params, dot(at, features), label),
    gradientInto(params, out, at, { features, label }) {
      const slope = linear.slope(params, dot(at, features), label);
      for (let j = 0; j < out.length; j++) out[j] = slope * features[j]!;
    },
  });
}

function dot(a: Vector, b: Vector): number {
  let sum = 0;
  for (let j = 0; j < a.length; j++) sum += a[j]! * b[j]!;
  return sum;
}
