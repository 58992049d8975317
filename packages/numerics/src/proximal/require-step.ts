import { requireFinite, requireLength, requirePositive } from '../geometry/vectors.js';

/** Checks the arguments of `proxInto`; `dimension` where the function fixes it. @throws {InvalidParameter} */
export function requireStep(out: Float64Array, z: Float64Array, eta: number, dimension = z.length): void {
  requirePositive('eta', eta);
  requireFinite('z', z, dimension);
  requireLength('out', out, dimension);
}
