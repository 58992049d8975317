import { InvalidParameter } from '../errors.js';
import { type BisectOptions, type Bracket, middle } from './bisect.js';
import { probe, type RealFunction, requireCount, requireInterval, requireTolerance } from './bracket.js';

/** A bracket and the better of its ends. */
export interface Root extends Bracket {
  readonly root: number;
}

/**
 * The next point: inverse quadratic interpolation through the last three points if Chandrupatla's criterion
 * accepts it, else the midpoint. `a` is the newest point, `b` the opposite end, `previous` the end replaced
 * last.
 */
function propose(a: number, fa: number, b: number, fb: number, previous: number, fPrevious: number): number {
  const xi = (a - b) / (previous - b);
  const phi = (fa - fb) / (fPrevious - fb);
  if (!(phi * phi < xi && (1 - phi) * (1 - phi) < 1 - xi)) return middle(Math.min(a, b), Math.max(a, b));
  const t =
    (fa / (fb - fa)) * (fPrevious / (fb - fPrevious)) +
    ((((previous - a) / (b - a)) * fa) / (fPrevious - fa)) * (fb / (fPrevious - fb));
  return a + t * (b - a);
}

/**
 * Finds a sign change of `f` on `[lower, upper]` with few calls (smooth functions: about 10), never more than
 * `maximumProbes`. Like {@link bisectBracket} it always keeps a bracket, so a caller can take the safe end.
 *
 * @param options - `tolerance` is absolute; the default of 0 goes on until the bracket is a few doubles wide.
 * @throws {InvalidParameter} as {@link bisectBracket}.
 * @see Chandrupatla 1997.
 */
export function findRoot(f: RealFunction, lower: number, upper: number, options: BisectOptions = {}): Root {
  const { tolerance = 0, maximumProbes = 200 } = options;
  requireInterval(lower, upper);
  requireTolerance('tolerance', tolerance);
  requireCount('maximumProbes', maximumProbes);
  let a = lower;
  let b = upper;
  let fa = probe(f, a);
  let fb = probe(f, b);
  const side = Math.sign(fa);
  if (side === 0 || Math.sign(fb) === side) {
    throw new InvalidParameter(
      `f is ${fa} at ${lower} and ${fb} at ${upper}: give ends between which it changes sign`,
      { fa, fb },
    );
  }
  let previous = b;
  let fPrevious = fb;
  let newest = b;
  let probes = 0;
  while (probes < maximumProbes && fb !== 0 && b - a > tolerance) {
    const width = b - a;
    const minimumStep = Math.max(tolerance / 4, 2 ** -52 * Math.max(Math.abs(a), Math.abs(b)));
    let x: number;
    if (probes === 0) x = middle(a, b);
    else if (newest === a) x = propose(a, fa, b, fb, previous, fPrevious);
    else x = propose(b, fb, a, fa, previous, fPrevious);
    if (!(x > a + minimumStep && x < b - minimumStep)) {
      // Too near an end: step just inside that end. Not a number, or a narrow bracket: halve.
      if (width <= 4 * minimumStep || x !== x) x = middle(a, b);
      else if (x <= a + minimumStep) x = a + minimumStep;
      else x = b - minimumStep;
    }
    if (x <= a || x >= b) break;
    const fx = probe(f, x);
    probes++;
    if (Math.sign(fx) === side) {
      [previous, fPrevious, a, fa] = [a, fa, x, fx];
    } else {
      [previous, fPrevious, b, fb] = [b, fb, x, fx];
    }
    newest = x;
  }
  return { root: Math.abs(fa) < Math.abs(fb) ? a : b, lower: a, upper: b, probes };
}
