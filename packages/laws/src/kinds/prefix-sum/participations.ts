import type { Participation, PrefixSumShape } from '@lethe/core';
import { fails, holds, type Violation } from '../../law/finding.js';
import { defineLaw } from '../../law/law.js';
import type { Subject } from '../../law/subject.js';
import { attempt } from '../sampler/declined.js';
import { shapesTaken } from './factors.js';

/** Lengths between those whose patterns are searched and those of `long-streams`. */
const lengths: readonly number[] = [128, 240, 513, 1025];
/** Epochs and steps of an epoch, in every order of magnitude; those that do not fit are cut off. */
const participations: readonly Participation[] = [
  { times: 4, gap: 7 },
  { times: 6, gap: 3 },
  { times: 7, gap: 16 },
  { times: 5, gap: 41 },
  { times: 20, gap: 12 },
  { times: 33, gap: 31 },
];

/** The densest pattern from a first step. */
function patternFrom(first: number, { times, gap }: Participation, steps: number): readonly number[] {
  const count = Math.min(times, Math.floor((steps - 1 - first) / gap) + 1);
  return Array.from({ length: count }, (_, i) => first + i * gap);
}

/** The norm of `C u` for increments of 1 with equal or with alternating signs. */
function reachOf(
  { plugin, params }: Subject<'prefixSum'>,
  shape: PrefixSumShape,
  pattern: readonly number[],
  turn: 1 | -1,
): number {
  let square = 0;
  for (let row = pattern[0]; row < shape.steps; row++) {
    let sum = 0;
    for (const [i, column] of pattern.entries()) {
      if (column > row) break;
      sum += turn ** i * plugin.encoder(params, shape, row, column);
    }
    square += sum * sum;
  }
  return Math.sqrt(square);
}

function tooSmall(
  subject: Subject<'prefixSum'>,
  shape: PrefixSumShape,
  participation: Participation,
): Violation | undefined {
  const { plugin, params } = subject;
  const { value: declared } = attempt(() => plugin.columnNorm(params, shape, participation)) as {
    readonly value?: number;
  };
  if (declared === undefined) return undefined;
  const rounding = 4 * (shape.steps + 8) * 2 ** -53;
  for (const first of [0, Math.floor(participation.gap / 2)])
    for (const turn of [1, -1] as const) {
      const pattern = patternFrom(first, participation, shape.steps);
      const reach = reachOf(subject, shape, pattern, turn);
      if (declared < Infinity && declared >= reach * (1 - rounding)) continue;
      const { times, gap } = participation;
      return {
        what:
          `a slot in ${pattern.length} of ${shape.steps} steps, ${gap} apart, moves the encoded stream by ` +
          `${reach}; columnNorm of at most ${times} participations says ${declared}`,
        measured: reach,
        allowed: declared,
        input: { ...shape, participation, pattern },
      };
    }
  return undefined;
}

/** Sensitivity of streams of a few hundred steps, over lengths and participations. */
export const participationTable = defineLaw<'prefixSum'>({
  id: 'prefixSum/participations',
  kind: 'prefixSum',
  tier: 'exact',
  elsewhere: 1,
  statement:
    'for each of four lengths from 128 to 1025 and six participations of up to 33 times, columnNorm is at ' +
    'least the norm of C u for the densest pattern',
  power:
    'a bound below the norm of one of 96 patterns: participations that count up to a number only, or ' +
    'lengths at which they do not count',
  check(subject) {
    let samples = 0;
    for (const shape of shapesTaken(subject, lengths, () => 1))
      for (const participation of participations) {
        samples++;
        const violation = tooSmall(subject, shape, participation);
        if (violation !== undefined) return fails(samples, violation);
      }
    return holds(samples);
  },
});
