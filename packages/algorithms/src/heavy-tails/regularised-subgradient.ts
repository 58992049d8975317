import { InvalidParameter, plainLoops, type Loops, type Program, type Vector } from '@lethe/core';
import { type Domain } from '@lethe/numerics';

/** One run of {@link regularisedSubgradient}. */
export interface RegularisedSubgradientOptions {
  readonly rounds: number;
  /** `η`, at most `2/strength`. */
  readonly stepSize: number;
  /** `λ ≥ 0`. */
  readonly strength: number;
  /** Where the regulariser `(λ/2)‖w − centre‖²` is least. It is copied. */
  readonly centre: Vector;
  readonly domain: Domain;
  /** `w_0`, in the domain. */
  readonly start: Vector;
  /** A private mean subgradient of the loss alone at `point` in round `t = 1, 2, …`. `point` is lent. */
  readonly oracle: (point: Vector, t: number) => Program<Vector>;
  /** Of the run. @defaultValue of one that is never stored */
  readonly loops?: Pick<Loops, 'state' | 'rounds'>;
}

/**
 * Algorithm 3 with any oracle: `w ← Π(w − η (g + λ(w − centre)))`. The regulariser is added to what the
 * oracle answers, so that it is neither clipped nor paid for.
 *
 * @returns the last iterate.
 * @throws {InvalidParameter} unless `0 ≤ stepSize·strength ≤ 2`, with a positive finite step size.
 * @see Lowy and Razaviyayn, Algorithm 3.
 */
export function* regularisedSubgradient({
  rounds,
  stepSize,
  strength,
  centre,
  domain,
  start,
  oracle,
  loops = plainLoops(),
}: RegularisedSubgradientOptions): Program<Vector> {
  assertContracts(stepSize, strength);
  const anchor = centre.slice();
  const { w } = loops.state({ w: start.slice() });
  for (const t of loops.rounds(rounds)) {
    const gradient = yield* oracle(w, t);
    for (let j = 0; j < w.length; j++) w[j] -= stepSize * (gradient[j] + strength * (w[j] - anchor[j]));
    domain.projectInto(w, w);
  }
  return w;
}

/** @throws {InvalidParameter} unless `0 ≤ stepSize·strength ≤ 2`, with a positive finite step size. */
export function assertContracts(stepSize: number, strength: number): void {
  if (!(stepSize > 0 && stepSize < Infinity))
    throw new InvalidParameter(`stepSize is ${stepSize}; it must be positive and finite`, { stepSize });
  if (!(strength >= 0 && strength < Infinity))
    throw new InvalidParameter(`strength is ${strength}; it must be finite and at least 0`, { strength });
  // λη = n^−p comes out of a rounded quotient.
  if (stepSize * strength > 2 * (1 + 2 ** -48))
    throw new InvalidParameter(
      `stepSize ${stepSize} times strength ${strength} is ${stepSize * strength}; above 2 the ` +
        `regulariser throws iterates apart. Take a stepSize of at most ${2 / strength}`,
      { stepSize, strength },
    );
}
