import { InvalidParameter } from '@lethe/core';
import { designMatrix, type DesignSpec, type Table } from '@lethe/losses';
import type { SampledSpec } from '../experiment/schema.js';

/** What a design says of records without a look at any. */
export interface PublicShape {
  /** Features of a record. */
  readonly columns: number;
  readonly featureNames: readonly string[];
  readonly rowNorm: number;
  readonly columnBounds: readonly number[];
  readonly sparsity?: number;
}

/** The shape of the records of every silo: that of a table without records. */
export function publicShape({ data }: SampledSpec): PublicShape {
  if (!('design' in data)) throw new InvalidParameter('silos read tables with a design', {});
  const types = data.read?.columns ?? {};
  const columns = new Map(
    Object.entries(types).map(([name, type]) => [name, type === 'text' ? [] : new Float64Array(0)] as const),
  );
  const table: Table = { names: [...columns.keys()], rows: 0, columns };
  const { columns: count, featureNames, facts } = designMatrix(table, data.design as DesignSpec);
  return {
    columns: count,
    featureNames,
    rowNorm: facts.rowNorm,
    columnBounds: facts.featureBounds.map(([lower, upper]) => Math.max(-lower, upper)),
    ...(facts.sparsity < count ? { sparsity: facts.sparsity } : {}),
  };
}
