import {
  InvalidParameter,
  type Domain,
  type FusedSum,
  type RandomSource,
  type ZodSchema,
} from '@lethe/numerics';
import type * as z from 'zod';
import type { Vector } from '../query/query.js';
import type { Fact } from './fact.js';
import type { Capabilities } from './capabilities.js';
import type { LabelRule, RecordLabel } from './labels.js';
import { callablePlugin, type Callable, type Plugin } from './plugin.js';
import type { LabelledRows, NonPrivateOptimum, OptimumOptions } from './reference-optimum.js';
import type { Resolved } from './registry.js';

/** One record: features and label. */
export interface RecordView extends RecordLabel {
  readonly features: Vector;
}

/** A loss of a linear model: everything is a function of margin `m = ⟨w, x⟩` and label. */
export interface LinearForm<Params> {
  /** Loss at a margin, to within `2⁻⁴²(1 + |loss|)`. */
  value(params: Params, margin: number, label: number): number;
  /** Derivative in the margin; the gradient is `slope · x`, its norm `|slope| ‖x‖`. */
  slope(params: Params, margin: number, label: number): number;
  /**
   * Second derivative in the margin: it speeds reference optima up, and
   * no sensitivity rests on it. Left out: differences of the slope.
   */
  curvature?(params: Params, margin: number, label: number): number;
  /**
   * Clipped sums of exactly this slope without a gradient of each
   * record, for a curator to use; optional.
   */
  fused?(params: Params): FusedSum;
}

/**
 * A loss of a linear model with several outputs `m_k = ⟨w_k, x⟩`, one for each class or entry of a label. The
 * iterate holds the rows `w_1, …, w_K` one after another.
 */
export interface MultiOutputForm<Params> {
  /** `K`. */
  outputs(params: Params): number;
  /** Loss at outputs `[K]`. */
  value(params: Params, outputs: Vector, label: RecordLabel): number;
  /**
   * Writes the derivatives in the outputs, `[K]`; the gradient is
   * `slopes ⊗ x`, its norm `‖slopes‖ ‖x‖`. `out` may be `outputs` itself.
   */
  slopesInto(params: Params, out: Vector, outputs: Vector, label: RecordLabel): void;
  /** As in {@link LinearForm}. */
  fused?(params: Params): FusedSum;
}

/**
 * What is publicly known of the records and of the set of
 * iterates: declared bounds, never computed from private data.
 */
export interface RecordDomain {
  /** Features of a record. */
  readonly columns: number;
  /** `‖x‖₂ ≤ featureNorm` for every record. */
  readonly featureNorm?: number;
  /** `|x_j| ≤ featureBounds[j]` for every record. */
  readonly featureBounds?: readonly number[];
  /** `‖x‖₀ ≤ sparsity`: entries of a record that differ from zero. */
  readonly sparsity?: number;
  /**
   * `|y| ≤ labelBound` for every record, `‖y‖₂` for a vector; absent for unbounded labels, and for classes.
   */
  readonly labelBound?: number;
  /** `‖w‖₂ ≤ iterateNorm` on the domain of the iterates. */
  readonly iterateNorm?: number;
}

/** A loss with its capabilities, and with the constants that follow from a declared record domain. */
export interface Loss<
  Params extends ZodSchema = ZodSchema,
  out Has extends Capabilities = Capabilities,
> extends Plugin<'loss', Params> {
  readonly capabilities: Has;
  /** Entries of an iterate, and of a gradient, for records of so many columns. */
  iterateDimension(params: z.output<Params>, columns: number): number;
  /**
   * Lengths of consecutive blocks of an iterate that belong together, such as the weights of one class or of
   * one layer: what a clip by blocks is given. Left out: one block.
   */
  blocks?(params: z.output<Params>, columns: number): readonly number[];
  /**
   * Where a search begins that cannot begin at 0, where nothing tells
   * one direction from another; from public coins. Left out: at 0.
   */
  start?(params: z.output<Params>, columns: number, random: RandomSource): Vector;
  /** Set for linear models of one output; then `value` and `gradientInto` follow from it. */
  readonly linear: LinearForm<z.output<Params>> | null;
  /** Set for linear models of several outputs. */
  readonly multiOutput: MultiOutputForm<z.output<Params>> | null;
  /** Loss of one record at `at`, to within `2⁻⁴²(1 + |loss|)`: laws compare it with the gradient. */
  value(params: z.output<Params>, at: Vector, record: RecordView): number;
  /** Writes a (sub)gradient at `at` for one record. */
  gradientInto(params: z.output<Params>, out: Vector, at: Vector, record: RecordView): void;
  /**
   * Facts that follow from the declared record domain, by their common names (`lipschitz`, `smoothness`,
   * `range`, `sparsity`, …). A fact that does not follow is absent, never a guess. `coordinateLipschitz` and
   * `coordinateSmoothness` have one number for each coordinate of the iterate, `each`.
   */
  facts(params: z.output<Params>, domain: RecordDomain): Readonly<Record<string, Fact>>;
  /** Labels the loss accepts; checked when data are attached. */
  readonly labels: LabelRule<z.output<Params>>;
  /** A minimiser of the average loss for evaluations, where the loss knows a way of its own; not private. */
  optimum?(
    params: z.output<Params>,
    data: LabelledRows,
    domain: Domain,
    options: OptimumOptions,
  ): NonPrivateOptimum;
}

/** Fields that a definition may leave out. */
type Optional = 'iterateDimension' | 'multiOutput';
type Definition<
  Params extends ZodSchema,
  Has extends Capabilities,
  Without extends keyof Loss = never,
> = Omit<Loss<Params, Has>, 'kind' | Optional | Without> &
  Partial<Pick<Loss<Params, Has>, Exclude<Optional, Without>>>;

const oneWeightPerColumn = (_params: unknown, columns: number): number => columns;

/**
 * Declares a loss; the result, called with parameters, is a reference for problems and data sets. An iterate
 * has one entry per column unless `iterateDimension` says otherwise.
 */
export function defineLoss<Params extends ZodSchema, const Has extends Capabilities>(
  definition: Definition<Params, Has>,
): Callable<Loss<Params, Has>> {
  return callablePlugin<Loss<Params, Has>>({
    iterateDimension: oneWeightPerColumn,
    multiOutput: null,
    ...definition,
    kind: 'loss',
  });
}

/** Declares the loss of a linear model from its value and slope in the margin. */
export function defineLinearLoss<Params extends ZodSchema, const Has extends Capabilities>(
  definition: Definition<Params, Has, 'value' | 'gradientInto' | 'linear' | Optional> & {
    readonly linear: LinearForm<z.output<Params>>;
  },
): Callable<Loss<Params, Has>> {
  const { linear } = definition;
  return defineLoss<Params, Has>({
    ...definition,
    value: (params, at, { features, label }) => linear.value(params, dot(at, features, 0), label),
    gradientInto(params, out, at, { features, label }) {
      const slope = linear.slope(params, dot(at, features, 0), label);
      for (let j = 0; j < out.length; j++) out[j] = slope * features[j];
    },
  });
}

/**
 * Declares the loss of a linear model with several outputs: values,
 * gradients, dimension and blocks, one for each output, follow from its form.
 */
export function defineMultiOutputLoss<Params extends ZodSchema, const Has extends Capabilities>(
  definition: Definition<Params, Has, 'value' | 'gradientInto' | 'linear' | 'blocks' | Optional> & {
    readonly multiOutput: MultiOutputForm<z.output<Params>>;
  },
): Callable<Loss<Params, Has>> {
  const { multiOutput: form } = definition;
  const outputsAt = (params: z.output<Params>, at: Vector, features: Vector): Vector =>
    Float64Array.from({ length: form.outputs(params) }, (_, k) => dot(at, features, k * features.length));
  return defineLoss<Params, Has>({
    ...definition,
    linear: null,
    iterateDimension: (params, columns) => form.outputs(params) * columns,
    blocks: (params, columns) => Array.from({ length: form.outputs(params) }, () => columns),
    value: (params, at, record) => form.value(params, outputsAt(params, at, record.features), record),
    gradientInto(params, out, at, record) {
      const slopes = outputsAt(params, at, record.features);
      const { features } = record;
      form.slopesInto(params, slopes, slopes, record);
      for (let k = 0, place = 0; k < slopes.length; k++)
        for (let j = 0; j < features.length; j++, place++) out[place] = slopes[k] * features[j];
    },
  });
}

/** `Σ_j at[from + j] · features[j]`. */
function dot(at: Vector, features: Vector, from: number): number {
  let sum = 0;
  for (let j = 0; j < features.length; j++) sum += at[from + j] * features[j];
  return sum;
}

/**
 * Entries of an iterate of a loss, for records of so many columns.
 *
 * @throws {InvalidParameter} when the loss says something that is no positive whole number.
 */
export function iterateDimensionOf({ plugin, params }: Resolved<Loss>, columns: number): number {
  const dimension = plugin.iterateDimension(params, columns);
  if (Number.isSafeInteger(dimension) && dimension > 0) return dimension;
  throw new InvalidParameter(
    `loss '${plugin.name}' says that records of ${columns} columns need ${String(dimension)} weights; ` +
      'that must be a positive whole number. Repair the loss.',
    { loss: plugin.name, columns, dimension: String(dimension) },
  );
}
