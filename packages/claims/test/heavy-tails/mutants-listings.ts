import type { RunsSubject } from '../../src/heavy-tails/runs/subject.js';
import type { Mutant } from '../rows.js';
import {
  facing,
  mutant,
  posed,
  running,
  scaledBy,
  some,
  withParams,
  type Change,
} from './changed-optimizers.js';
import { flawedAcSa, flawedPhases, flawedSgd } from './flawed-steps.js';

const wholeSpace = { kind: 'domain', name: 'whole-space', params: {} } as const;
const unprojected: Change = facing(({ facts }) => ({
  domain: wholeSpace,
  facts: { ...facts, diameter: { value: 2, scope: 'population', provenance: 'declared' } },
}));
const unpenalised: Change = posed(({ problem: { regulariser: _regulariser, ...problem } }) => ({ problem }));

/** One line of a listing that is left out, or wrong. */
export const listingMutants: readonly Mutant<RunsSubject>[] = [
  mutant(
    78,
    'unprojected',
    'iterates are not projected',
    'listing-ac-sa',
    some(flawedAcSa({ isFree: true }), 'noisyClippedAcSa'),
  ),
  mutant(
    78,
    'middle',
    'gradients are taken at w_{t−1}',
    'listing-ac-sa',
    some(flawedAcSa({ middle: 'iterate' }), 'noisyClippedAcSa'),
  ),
  mutant(
    78,
    'average',
    'gradients are taken at the average',
    'listing-ac-sa',
    some(flawedAcSa({ middle: 'average' }), 'noisyClippedAcSa'),
  ),
  mutant(
    78,
    'iterate',
    'it returns w_T',
    'listing-ac-sa',
    some(flawedAcSa({ returned: 'iterate' }), 'noisyClippedAcSa'),
  ),
  mutant(
    78,
    'momentum',
    'α_t is 2/(t + 2) after the first round',
    'listing-ac-sa',
    some(flawedAcSa({ alpha: (t) => (t === 1 ? 1 : 2 / (t + 2)) }), 'noisyClippedAcSa'),
  ),
  mutant(
    78,
    'one-batch',
    'every round is on the first batch',
    'listing-ac-sa',
    some(flawedAcSa({ batchOf: () => 0 }), 'noisyClippedAcSa'),
  ),
  mutant(
    79,
    'unprojected',
    'only the output is projected (L08)',
    'listing-sgd',
    some(flawedSgd({ isFree: true }), 'noisyClippedSgd'),
  ),
  mutant(
    79,
    'last',
    'it returns the last point',
    'listing-sgd',
    some(flawedSgd({ returned: 'last' }), 'noisyClippedSgd'),
  ),
  mutant(
    79,
    'plain',
    'weights are equal and steps of one size for strongly convex risks',
    'listing-sgd',
    some(flawedSgd({ returned: 'plain' }), 'noisyClippedSgd'),
  ),
  mutant(79, 'fewer', 'T steps, not T + 1', 'listing-sgd', some(flawedSgd({ fewer: 1 }), 'noisyClippedSgd')),
  mutant(
    79,
    'double',
    'steps are twice as long',
    'listing-sgd',
    some(running({ answer: scaledBy(2) }), 'noisyClippedSgd'),
  ),
  mutant(
    80,
    'unprojected',
    'iterates are not projected',
    'listing-proximal-sgd',
    some(unprojected, 'noisyClippedProximalSgd'),
  ),
  mutant(
    80,
    'no-prox',
    'the proximal step is left out',
    'listing-proximal-sgd',
    some(unpenalised, 'noisyClippedProximalSgd'),
  ),
  mutant(
    80,
    'whole-step',
    'steps are 1/β (L20)',
    'listing-proximal-sgd',
    some(running({ answer: scaledBy(2) }), 'noisyClippedProximalSgd'),
  ),
  mutant(
    81,
    'unprojected',
    'iterates are not projected',
    'listing-subgradient',
    some(unprojected, 'noisyClippedSubgradient'),
  ),
  mutant(
    81,
    'no-pull',
    'the regulariser is left out',
    'listing-subgradient',
    some(
      withParams(() => ({ strength: 0 })),
      'noisyClippedSubgradient',
    ),
  ),
  mutant(
    81,
    'half',
    'steps are half as long',
    'listing-subgradient',
    some(running({ answer: scaledBy(0.5) }), 'noisyClippedSubgradient'),
  ),
  ...(
    [
      [82, 'listing-localized', 'localizedSubgradient'],
      [83, 'listing-blocks', 'localizedStronglyConvex'],
    ] as const
  ).flatMap(([row, check, name]) => [
    mutant(
      row,
      'no-ball',
      'phases have no ball W_i (L17)',
      check,
      some(flawedPhases({ ball: 'none' }), name),
    ),
    mutant(
      row,
      'ball-alone',
      'phases stay in the ball, not in W',
      check,
      some(flawedPhases({ ball: 'alone' }), name),
    ),
    mutant(
      row,
      'ball-at-start',
      'all balls are around w_0',
      check,
      some(flawedPhases({ ball: 'around the start' }), name),
    ),
    mutant(
      row,
      'pull-to-0',
      'every phase is pulled to 0 (L18)',
      check,
      some(flawedPhases({ pull: 'to 0' }), name),
    ),
    mutant(
      row,
      'pull-to-start',
      'every phase is pulled to w_0',
      check,
      some(flawedPhases({ pull: 'to the start' }), name),
    ),
    mutant(row, 'no-pull', 'phases are not pulled', check, some(flawedPhases({ pull: 'none' }), name)),
    mutant(
      row,
      'restart',
      'every phase starts at w_0',
      check,
      some(flawedPhases({ from: 'the start' }), name),
    ),
    mutant(
      row,
      'one-batch',
      'every phase is on the first batch',
      check,
      some(flawedPhases({ batch: 'first' }), name),
    ),
    mutant(
      row,
      'no-draw',
      'subsampled rounds take all records',
      check,
      some(flawedPhases({ draw: 'none' }), name),
    ),
    mutant(
      row,
      'one-draw',
      'all rounds of a phase have one draw',
      check,
      some(flawedPhases({ draw: 'once' }), name),
    ),
  ]),
  mutant(
    84,
    'unprojected',
    'iterates are not projected',
    'listing-descent',
    some(unprojected, 'heavyTailedGradientDescent'),
  ),
  mutant(
    84,
    'long',
    'steps are twice as long',
    'listing-descent',
    some(running({ answer: scaledBy(2) }), 'heavyTailedGradientDescent'),
  ),
  mutant(
    84,
    'everyone',
    'all records take part in every round',
    'listing-descent',
    some(
      withParams(() => ({ batches: 'everyone' })),
      'heavyTailedGradientDescent',
    ),
  ),
];
