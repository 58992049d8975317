import { InvalidParameter } from '../errors.js';
import type { Matrix } from './matrix.js';

/** @throws {InvalidParameter} when a coordinate is not a column of the matrix. */
export function requireCoordinates({ columns }: Matrix, coordinates: Uint32Array | undefined): void {
  const wrong = coordinates?.find((column) => column >= columns);
  if (wrong !== undefined)
    throw new InvalidParameter(`coordinate ${wrong} is not among the ${columns} columns`, {
      coordinate: wrong,
      columns,
    });
}
