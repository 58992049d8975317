import type { Vector } from '../basics.js';
import { indices, lentVector, list, number, record, type RecordOf } from '../schema.js';

const term = {
  weight: number,
  at: lentVector,
};
/** One point of {@link GradientTerms}, with its weight. */
export type Term = RecordOf<typeof term>;

const terms = {
  terms: list(record(term)),
  /** Indices of the entries asked for, each once; all entries if left out. */
  coordinates: { optional: indices },
};
/**
 * Per record `Σ_k weight_k ∇f(at_k; z)`: the loss only, bounded once; optionally restricted to coordinates.
 */
export type GradientTerms = RecordOf<typeof terms>;
export const gradient = record(terms);

/** Where gradients are taken: one point, or a weighted sum over points that is bounded once. */
export type Where =
  | { readonly at: Vector; readonly terms?: never }
  | { readonly terms: GradientTerms['terms']; readonly at?: never };
/** {@link GradientTerms} in the form that `ask` takes. */
export type Gradient = Where & { readonly coordinates?: Uint32Array };

/** The terms of a gradient asked for at one point or several. */
export function termsOf(where: Gradient): GradientTerms {
  const all = where.terms ?? [{ weight: 1, at: where.at }];
  return where.coordinates === undefined ? { terms: all } : { terms: all, coordinates: where.coordinates };
}
