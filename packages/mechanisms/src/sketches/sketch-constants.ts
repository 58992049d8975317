import { InvalidParameter, parseOrThrow, Unsupported, type ParamsOf, type Sketch } from '@lethe/core';

/** Smoothness and Lipschitz constants of the objective. */
export interface SketchGeometry {
  /** `M_j > 0`: smoothness constants of the coordinates. */
  readonly smoothness: Float64Array;
  /**
   * `L_U` of a set of coordinates; or squares `L_j²` of constants
   * of single coordinates, from which `L_U² = Σ_{j ∈ U} L_j²`.
   */
  readonly lipschitz: ((coordinates: Uint32Array) => number) | Float64Array;
}

/** Constants in the guarantees of sketched gradient descent with step sizes `p_j / M_j`. */
export interface SketchConstants {
  /** `max_j M_j / p_j`: over the strong convexity constant, the condition number. */
  readonly smoothness: number;
  /**
   * `Σ_S² = E[L_S² Σ_{j ∈ S} 1/(p_j M_j)]`: growth of the squared distance
   * from the minimiser by the noise of a step, at unit noise.
   */
  readonly noise: number;
  /** `E[L_S² Σ_{j ∈ S} 1/M_j]`: growth of twice the risk by that noise. */
  readonly riskNoise: number;
}

/**
 * Constants of the convergence theorem for a sketch, exact up to rounding: over the listed sets where there
 * is a list, and from pair probabilities otherwise, which takes O(dimension²).
 *
 * @throws {InvalidParameter} for parameters that the sketch does not take; when smoothness is not positive
 * and finite, or squares are negative or not as many.
 * @throws {Unsupported} for a function `lipschitz` and a sketch whose sets are too many to list.
 * @see Maranjyan, Sadiev and Richtárik 2024, Theorem 4.2 and Section 4.2.1.
 */
export function sketchConstants<S extends Sketch>(
  sketch: S,
  params: ParamsOf<S>,
  { smoothness, lipschitz }: SketchGeometry,
): SketchConstants {
  const dimension = smoothness.length;
  const bad = smoothness.findIndex((constant) => !(constant > 0 && constant < Infinity));
  if (bad >= 0)
    throw new InvalidParameter(
      `the smoothness constant of coordinate ${bad} is ${smoothness[bad]}; it must be positive and finite`,
      { coordinate: bad },
    );
  const checked = parseOrThrow(sketch.params, params, `sketch '${sketch.name}'`);
  const marginals = sketch.marginals(checked, dimension);
  const largest = smoothness.reduce((most, constant, j) => Math.max(most, constant / marginals[j]), 0);
  const list = sketch.enumerate(checked, dimension);
  const squares = typeof lipschitz === 'function' ? undefined : checkedSquares(lipschitz, dimension);
  let noise = 0;
  let riskNoise = 0;
  const add = (square: number, j: number): void => {
    noise += square / (marginals[j] * smoothness[j]);
    riskNoise += square / smoothness[j];
  };
  if (list !== null) {
    for (const {
      drawn: { coordinates },
      probability,
    } of list) {
      if (coordinates.length === 0) continue;
      const square =
        squares === undefined
          ? checkedLipschitz((lipschitz as (set: Uint32Array) => number)(coordinates)) ** 2
          : coordinates.reduce((sum, j) => sum + squares[j], 0);
      for (const j of coordinates) add(probability * square, j);
    }
    return { smoothness: largest, noise, riskNoise };
  }
  if (squares === undefined)
    throw new Unsupported(
      `the sets of sketch '${sketch.name}' in ${dimension} dimensions are too many to list; ` +
        'give squared constants of single coordinates',
      { sketch: sketch.name, dimension },
    );
  for (let j = 0; j < dimension; j++) {
    let square = 0;
    for (let i = 0; i < dimension; i++)
      if (squares[i] > 0) square += squares[i] * sketch.pairProbability(checked, dimension, i, j);
    add(square, j);
  }
  return { smoothness: largest, noise, riskNoise };
}

function checkedSquares(squares: Float64Array, dimension: number): Float64Array {
  const bad = squares.findIndex((square) => !(square >= 0 && square < Infinity));
  if (bad >= 0 || squares.length !== dimension) {
    throw new InvalidParameter(
      bad >= 0
        ? `the squared constant of coordinate ${bad} is ${squares[bad]}; it must be finite and at least 0`
        : `${squares.length} squared constants were given for ${dimension} coordinates; give one for each`,
      { given: squares.length, dimension },
    );
  }
  return squares;
}

function checkedLipschitz(constant: number): number {
  if (!(constant >= 0 && constant < Infinity))
    throw new InvalidParameter(
      `the Lipschitz constant of a set is ${constant}; it must be finite and at least 0`,
      { constant },
    );
  return constant;
}
