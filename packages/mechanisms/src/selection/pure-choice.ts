import {
  defineEvent,
  definedSensitivity,
  sensitivitySchema,
  sensitivityUnder,
  type PrivacyEvent,
  type Sensitivity,
} from '@lethe/core';
import { multiplyUp } from '@lethe/numerics';
import * as z from 'zod';

const schema = z.strictObject({
  kind: z.literal('lethe/pure-choice'),
  v: z.literal(1),
  epsilon: z.number().positive(),
  sensitivity: sensitivitySchema,
});

/**
 * A choice that is ε-differentially private on utilities of sensitivity 1, without a bounded range: its
 * privacy losses may span 2ε, so it is not a `core/exponential`.
 * For utilities of sensitivity `s` it is `sε`-private.
 */
export const pureChoice = defineEvent({
  name: 'lethe/pure-choice',
  version: 1,
  summary: 'A choice by noisy utilities, pure and no more.',
  source: { id: 'mckenna-sheldon-2020', item: 'Theorem 1' },
  schema,
  examples: [
    {
      kind: 'lethe/pure-choice',
      v: 1,
      epsilon: 1,
      sensitivity: { 'replace-one': 1, 'add-remove': 0.5, 'zero-out': 0.5 },
    },
    { kind: 'lethe/pure-choice', v: 1, epsilon: 1e-300, sensitivity: { 'zero-out': 3 } },
  ],
  claims: [
    {
      property: 'characterised',
      statement: 'pure with ε times the sensitivity; Unsupported under an adjacency without one',
    },
    { property: 'assumptions', statement: 'noise is real-valued: certificates assume real arithmetic' },
  ],
  assumptions: ['real-arithmetic'],
  characterise: {
    pure: ({ epsilon, sensitivity }, adjacency) =>
      multiplyUp(epsilon, sensitivityUnder(sensitivity, adjacency, "the event 'lethe/pure-choice'")),
  },
  // Permute-and-flip on two candidates: the second ties with the first, or is two sensitivities behind it.
  realise: [
    {
      draw({ epsilon, sensitivity }, adjacency, side, random) {
        const moved = sensitivityUnder(sensitivity, adjacency, "the event 'lethe/pure-choice'");
        return [Number(random.uniform() < Math.exp(-side * epsilon * moved) / 2)];
      },
    },
  ],
});

/** One such choice at `epsilon`; `relative` are sensitivities in the unit that utilities are given in. */
export const pureChoiceEvent = (epsilon: number, relative: Sensitivity): PrivacyEvent =>
  ({ kind: 'lethe/pure-choice', v: 1, epsilon, sensitivity: definedSensitivity(relative) }) as PrivacyEvent;
