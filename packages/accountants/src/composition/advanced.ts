import {
  addDown,
  addUp,
  divideDown,
  divideUp,
  expDown,
  expUp,
  expm1Up,
  logDown,
  logUp,
  multiplyDown,
  multiplyUp,
  sqrtUp,
  subtractDown,
  sumUp,
} from '@lethe/numerics';
import { accountantOfParts, type ResponseCurve } from './accountant-of-parts.js';
import { onceOf } from './basic.js';
import type { Responses, Totals } from './totals.js';

/** Mean privacy loss of one response, `ε tanh(ε/2)`, rounded up. */
const meanLoss = (epsilon: number): number =>
  Math.min(
    multiplyUp(epsilon, 1),
    multiplyUp(epsilon, divideUp(expm1Up(epsilon), addDown(expDown(epsilon), 1))),
  );
const total = (responses: readonly Responses[], of: (epsilon: number) => number): number =>
  sumUp(responses.map(({ epsilon, count }) => multiplyUp(of(epsilon), count)));

/**
 * The minimum of `Σε`, `m + √(2 v log(1/δ))` and `m + √(2 v log(e + √v/δ))`, with the mean `m` and `v = Σε²`.
 */
export function advancedCurve(
  { responses, sum }: Pick<Totals, 'responses' | 'sum'>,
  method = 'advanced',
): ResponseCurve {
  const once = onceOf(sum.upper, method);
  const mean = total(responses, (epsilon) => (epsilon > 700 ? epsilon : meanLoss(epsilon)));
  const squares = total(responses, (epsilon) => multiplyUp(epsilon, epsilon));
  const deviation = sqrtUp(squares);
  const beyond = (log: number): number => addUp(mean, sqrtUp(multiplyUp(2, multiplyUp(squares, log))));
  return {
    method,
    epsilon(delta) {
      const least = once.epsilon(delta).upper;
      if (delta === 0 || mean >= least) return { lower: 0, upper: least };
      const plain = -logDown(delta);
      const shifted = logUp(addUp(Math.E * (1 + 2 ** -51), divideUp(deviation, delta)));
      return { lower: 0, upper: Math.min(least, beyond(Math.max(0, Math.min(plain, shifted)))) };
    },
    delta(epsilon) {
      const least = once.delta(epsilon).upper;
      const room = subtractDown(epsilon, mean);
      if (least === 0 || !(room > 0)) return { lower: 0, upper: least };
      const log = divideDown(multiplyDown(room, room), multiplyUp(2, squares));
      const over = subtractDown(expDown(log), Math.E * (1 + 2 ** -51));
      return { lower: 0, upper: Math.min(least, expUp(-log), over > 0 ? divideUp(deviation, over) : 1) };
    },
  };
}

/** Composition by the concentration of the total loss, in closed form. */
export const advanced = accountantOfParts({
  name: 'advanced',
  summary:
    'Composes (ε, δ)-private releases, equal or not, ' +
    'by the concentration of their total loss, in closed form.',
  source: { id: 'kairouz-oh-viswanath-2015', item: 'Theorem 3.5' },
  failing: ({ failing }) => failing,
  curve: (totals) => advancedCurve(totals),
});
