import { type AccountingContext, type Interval, type PrivacyEvent, repeatedEvent } from '@lethe/core';
import { defined } from '@lethe/numerics';
import { trueDelta } from '../../divergence/index.js';
import { defineLaw } from '../../law/law.js';
import { fails, holds, type Violation } from '../../law/finding.js';
import { atLeast, epsilonOf } from './ask.js';
import { adjacencyCells, gaussian, laplace } from './events.js';
import { malformed } from './intervals.js';

type Options = Pick<AccountingContext, 'near' | 'width'>;

const delta = 1e-6;
const releases: readonly PrivacyEvent[] = [gaussian(2), repeatedEvent(laplace(3), 4)];

/** Where ε is expected and how wide an answer may be, in shares of the upper end. */
const nears = [1e-3, 0.5, 0.9, 0.97, 1, 10];
const widths = [0.01, 0.5, 2];

export const options = defineLaw<'accountant'>({
  id: 'accountant/options',
  kind: 'accountant',
  tier: 'exact',
  elsewhere: 0,
  statement:
    'where ε is expected to be, and how wide an answer may be, decide how long an answer takes: ' +
    'its interval contradicts neither the one without nor the true cost of one release',
  power: 'an end on the wrong side of the truth, at six expected values and three widths, for two events',
  cells: adjacencyCells,
  check({ plugin }, { cell }) {
    const adjacency = defined(cell.adjacency);
    let compared = 0;
    for (const event of releases) {
      const bare = epsilonOf(plugin, event, { adjacency, delta });
      if (bare === undefined || !(bare.upper < Infinity)) continue;
      const { upper } = bare;
      for (const choice of [
        ...nears.map((share): Options => ({ near: share * upper })),
        ...widths.map((share): Options => ({ width: share * upper })),
        { near: upper, width: upper / 2 },
      ]) {
        const answer = epsilonOf(plugin, event, { adjacency, delta, ...choice });
        const violation =
          answer === undefined
            ? { what: 'it refuses an event that it answers without the options' }
            : (malformed(answer, { event, at: { delta } }) ?? contradiction(answer, bare));
        const trueCost = answer === undefined ? undefined : trueDelta(event, adjacency, answer.upper)?.lower;
        compared++;
        if (violation !== undefined) return fails(compared, { ...violation, input: { event, ...choice } });
        if (trueCost !== undefined && !(trueCost <= delta * (1 + 1e-6)))
          return fails(compared, {
            what: `with ${JSON.stringify(choice)} the answer is ε = ${answer?.upper}, where δ is ${trueCost}`,
            measured: trueCost,
            allowed: delta,
            input: { event, ...choice },
          });
      }
    }
    return holds(compared);
  },
});

/** Two intervals of one cost that have no number in common. */
function contradiction(answer: Interval, bare: Interval): Violation | undefined {
  if (atLeast(answer.upper, bare.lower) && atLeast(bare.upper, answer.lower)) return undefined;
  return {
    what:
      `the answer is [${answer.lower}, ${answer.upper}], and without the options ` +
      `[${bare.lower}, ${bare.upper}]`,
    measured: answer.upper,
    allowed: bare.lower,
  };
}
