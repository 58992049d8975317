/** A finite double as `numerator / 2^shift`, exactly. */
interface Dyadic {
  readonly numerator: bigint;
  readonly shift: bigint;
}

function dyadic(x: number): Dyadic {
  let shift = 0n;
  let scaled = x;
  while (!Number.isInteger(scaled)) {
    scaled *= 2;
    shift += 1n;
  }
  return { numerator: BigInt(scaled), shift };
}

/** The sign of `factors[0] · factors[1] · … − 1`, in exact arithmetic. */
export function compareProductWithOne(...factors: readonly number[]): number {
  const { numerator, shift } = factors
    .map(dyadic)
    .reduce((a, b) => ({ numerator: a.numerator * b.numerator, shift: a.shift + b.shift }));
  const one = 1n << shift;
  return numerator > one ? 1 : Number(numerator === one) - 1;
}
