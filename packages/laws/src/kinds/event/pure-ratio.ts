import { adjacencies, LetheError, type PrivacyEvent } from '@lethe/core';
import { defined } from '@lethe/numerics';
import { fails, holds, skipped } from '../../law/finding.js';
import { defineLaw } from '../../law/law.js';
import { knownOf } from './known.js';
import { logRatio, realisationsOf } from './witness.js';

const draws = 600;
/** Densities of larger ratios may be 0 in doubles. */
const largest = 600;
/** Rounding of densities, and of outputs near the end of a step. */
const tolerance = 1e-9;

/** No output is likelier than a pure claim allows. */
export const pureRatio = defineLaw<'event'>({
  id: 'event/pure-ratio',
  kind: 'event',
  property: 'characterised',
  tier: 'search',
  statement:
    'where a mechanism that realises the event gives its density, no output is more than e^ε times as ' +
    'likely on one neighbour as on the other, ε the pure one that is claimed',
  power: 'an ε too small by 1e-9, where outputs that attain the truth have a probability of 1 % or more',
  exempt: (subject) =>
    realisationsOf(subject).every((realisation) => realisation.density === undefined)
      ? 'no mechanism that realises it gives its density'
      : undefined,
  cells: () => adjacencies.map((adjacency) => ({ name: adjacency, adjacency })),
  elsewhere: 4,
  check(subject, env) {
    const adjacency = defined(env.cell.adjacency);
    const event = subject.params as PrivacyEvent;
    const pure = knownOf(subject, event, adjacency).pure;
    if (pure === undefined || pure > largest) return skipped('it claims no pure ε that doubles can tell');
    let samples = 0;
    try {
      for (const realisation of realisationsOf(subject)) {
        if (realisation.density === undefined) continue;
        const scenario = { event, adjacency, realisation };
        for (const side of [0, 1] as const) {
          const random = env.random(`side ${side}`);
          for (let i = 0; i < env.samples(draws); i++) {
            const output = realisation.draw(event, adjacency, side, random);
            const ratio = Math.abs(logRatio(scenario, output));
            samples++;
            if (ratio <= pure + tolerance * Math.max(1, pure)) continue;
            return fails(samples, {
              what:
                `under ${adjacency} an output is e^${ratio} times as likely on one neighbour; ` +
                `it claims ${pure}`,
              measured: ratio,
              allowed: pure,
              input: { event, output: Array.from(output) },
            });
          }
        }
      }
    } catch (error) {
      if (error instanceof LetheError) return skipped(`no mechanism realises it: ${error.message}`);
      throw error;
    }
    return holds(samples);
  },
});
