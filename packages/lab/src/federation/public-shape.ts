import { InvalidParameter } from '@lethe/core';
import { designMatrix, type DesignSpec, type Table } from '@lethe/losses';
import type { SampledSpec } from '../experiment/schema.js';
import { shapeOf, type PublicShape } from '../run/shape-of.js';

/** The shape of the records of every silo: that of a table without records. */
export function publicShape({ data }: SampledSpec): PublicShape {
  if (!('design' in data)) throw new InvalidParameter('silos read tables with a design', {});
  const types = data.read?.columns ?? {};
  const columns = new Map(
    Object.entries(types).map(([name, type]) => [name, type === 'text' ? [] : new Float64Array(0)] as const),
  );
  const table: Table = { names: [...columns.keys()], rows: 0, columns };
  return shapeOf(designMatrix(table, data.design as DesignSpec));
}
