import type { Design } from '@lethe/losses';

/** What a design says of records without a look at any. */
export interface PublicShape {
  /** Features of a record. */
  readonly columns: number;
  readonly featureNames: readonly string[];
  readonly rowNorm: number;
  readonly columnBounds: readonly number[];
  readonly sparsity?: number;
}

export const shapeOf = ({
  columns,
  featureNames,
  facts,
}: Pick<Design, 'columns' | 'featureNames' | 'facts'>): PublicShape => ({
  columns,
  featureNames,
  rowNorm: facts.rowNorm,
  columnBounds: facts.featureBounds.map(([lower, upper]) => Math.max(-lower, upper)),
  ...(facts.sparsity < columns ? { sparsity: facts.sparsity } : {}),
});
