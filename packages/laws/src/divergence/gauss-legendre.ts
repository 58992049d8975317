/** Nodes in (−1, 1) and weights of the Gauss–Legendre rule with `count` nodes. */
export interface Rule {
  readonly nodes: readonly number[];
  readonly weights: readonly number[];
}

/** The rule with `count` nodes, by Newton's method on the Legendre polynomial. */
export function gaussLegendre(count: number): Rule {
  const nodes: number[] = [];
  const weights: number[] = [];
  for (let i = 0; i < count; i++) {
    let x = Math.cos((Math.PI * (i + 0.75)) / (count + 0.5));
    let slope = 1;
    for (let step = 0; step < 60; step++) {
      const { value, derivative } = legendre(count, x);
      slope = derivative;
      const moved = x - value / derivative;
      if (Math.abs(moved - x) < 2 ** -53) break;
      x = moved;
    }
    nodes.push(x);
    weights.push(2 / ((1 - x * x) * slope * slope));
  }
  return { nodes, weights };
}

function legendre(count: number, x: number): { readonly value: number; readonly derivative: number } {
  let [last, value] = [1, x];
  for (let k = 2; k <= count; k++) [last, value] = [value, ((2 * k - 1) * x * value - (k - 1) * last) / k];
  return { value, derivative: (count * (x * value - last)) / (x * x - 1) };
}
