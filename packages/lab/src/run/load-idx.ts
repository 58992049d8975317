import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { errorAt, matrixMemory } from '@lethe/numerics';
import { InvalidData } from '@lethe/core';
import { parseIdx } from '@lethe/losses';
import type { SampledSpec } from '../experiment/schema.js';
import { sourceOfFile } from './ledger-path.js';
import type { LoadOptions, Records } from './records.js';
import { unchangedFile } from './unchanged-file.js';

type IdxSource = Extract<SampledSpec['data'], { readonly idx: unknown }>;

/**
 * Records of an IDX file, such as images, with labels from another beside it.
 *
 * @throws {InvalidData} for records of another number of columns than is declared, for another number of
 *   labels, and for no records.
 */
export function loadIdx(
  path: string,
  { idx: { labels: name, columns, unit } }: IdxSource,
  { orderOf, allowEmpty }: Required<Pick<LoadOptions, 'orderOf' | 'allowEmpty'>>,
): Records {
  const labelPath = join(dirname(path), name);
  const watches = [path, labelPath].map(unchangedFile);
  const bytes = readFileSync(path);
  const besides = readFileSync(labelPath);
  const { shape, values } = parseIdx(bytes);
  const [rows, ...others] = shape;
  const width = others.reduce((product, one) => product * one, 1);
  if (width !== columns)
    throw new InvalidData(
      `a record has ${others.join(' × ')} numbers, and idx.columns is ${columns}; give ${width}`,
      { columns, found: width },
    );
  const given = ofLabels(besides, name);
  if (given.shape.length !== 1 || given.values.length !== rows)
    throw new InvalidData(
      `${name} has ${given.shape.join(' × ')} numbers; it must have one for each of the ${rows} records`,
      { labels: given.shape, rows },
    );
  if (rows === 0 && !allowEmpty) throw new InvalidData('the IDX file has no records', {});
  const order = orderOf(rows) ?? Uint32Array.from({ length: rows }, (_, row) => row);
  const features = matrixMemory(order.length, columns);
  order.forEach((row, i) => {
    for (let j = 0; j < columns; j++) features[i * columns + j] = values[row * columns + j] / unit;
  });
  return {
    features,
    rows: order.length,
    columns,
    labels: Float64Array.from(order, (row) => given.values[row]),
    labelWidth: 1,
    featureNames: [],
    rowNorm: Infinity,
    columnBounds: null,
    source: () =>
      sourceOfFile(
        path,
        createHash('sha256').update('lethe/records/idx/1').update(bytes).update(besides).digest(),
        () => {
          for (const assertUnchanged of watches) assertUnchanged();
        },
      ),
  };
}

function ofLabels(bytes: Uint8Array, name: string): ReturnType<typeof parseIdx> {
  try {
    return parseIdx(bytes);
  } catch (error) {
    throw errorAt(name, error);
  }
}
