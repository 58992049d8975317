import { logBinomialBounds, addUp, divideUp, expm1Up, log1pUp, logUp, multiplyUp } from '@lethe/numerics';

/**
 * `log(1 + γ(e^ε − 1))`: ε of an ε-private release of a sample that contains the record with probability `γ`.
 * @see Balle, Barthe, Gaboardi 2018, Theorems 8 and 9.
 */
export function amplifiedPure(share: number, epsilon: number): number {
  if (share >= 1 || epsilon > 700) return epsilon;
  return Math.min(epsilon, log1pUp(multiplyUp(share, expm1Up(epsilon))));
}

/**
 * Rényi divergence, rounded up, of a release from a uniform subset with a share `γ` of the records, under
 * replace-one.
 *
 * At integer orders, the bound of Wang, Balle and Kasiviswanathan 2019, Theorem 9. Between them the
 * log-moment, which is convex in the order, is interpolated linearly.
 *
 * @param inner - Rényi divergence of the release itself.
 * @param pure - ε of pure privacy of the release itself, or `Infinity`.
 */
export function subsetRenyi(
  share: number,
  inner: (alpha: number) => number,
  pure: number,
): (alpha: number) => number {
  const moments = new Map<number, number>();
  const logMoment = (alpha: number): number => {
    if (alpha <= 1) return 0;
    let found = moments.get(alpha);
    if (found === undefined) moments.set(alpha, (found = logIntegerMoment(alpha, share, inner, pure)));
    return found;
  };
  return (alpha) => {
    const beta = alpha - 1;
    if (alpha > mostOrder) return inner(alpha);
    const below = Math.floor(alpha);
    const part = alpha - below;
    const log =
      part === 0
        ? logMoment(alpha)
        : multiplyUp(1 - part, logMoment(below)) + multiplyUp(part, logMoment(below + 1)) * (1 + 2 ** -51);
    return Math.min(inner(alpha), divideUp(log, beta));
  };
}

/**
 * At orders above this, the bound is the divergence of the release itself, which is nearly always the smaller
 * one.
 */
const mostOrder = 4096;

function logIntegerMoment(
  alpha: number,
  share: number,
  inner: (alpha: number) => number,
  pure: number,
): number {
  const logShare = logUp(share);
  const excess = pure > 300 ? Infinity : expm1Up(pure);
  const binomials = logBinomialsOf(alpha);
  const logs: number[] = [0];
  let size = 0;
  for (let j = 2; j <= alpha; j++) {
    const cost = inner(j);
    if (cost === Infinity) return Infinity;
    const power = (j - 1) * cost;
    const plain = power + Math.log(Math.min(2, excess ** j));
    const log = j === 2 ? Math.min(Math.log(4) + logExpm1(cost), plain) : plain;
    if (log === -Infinity) continue;
    logs.push(j * logShare + binomials[j] + log);
    size = Math.max(size, j * -logShare + Math.abs(log) + power + alpha);
  }
  const peak = Math.max(...logs);
  let rest = 0;
  for (let i = 1; i < logs.length; i++) rest += Math.exp(logs[i] - peak);
  const value = peak === 0 ? Math.log1p(rest) : peak + Math.log(rest + Math.exp(-peak));
  // The error of each exponent is a few units in the last place of its largest term.
  return addUp(value, multiplyUp(2 ** -51 * (size + 8), Math.min(1, value)));
}

const rows = new Map<number, Float64Array>();

/** Upper bounds of `log C(α, j)`; the same few orders are asked for again and again. */
function logBinomialsOf(alpha: number): Float64Array {
  let row = rows.get(alpha);
  if (row === undefined) {
    row = Float64Array.from({ length: alpha + 1 }, (_, j) => logBinomialBounds(alpha, j).upper);
    rows.set(alpha, row);
  }
  return row;
}

/** `log(e^x − 1)`. */
const logExpm1 = (x: number): number => (x > 40 ? x : Math.log(Math.expm1(x)));
