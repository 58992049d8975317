import { InvalidParameter, type Participation, type PrefixSumShape, type Vector } from '@lethe/core';

/** Largest number of entries of a vector: 16 gibibytes of doubles. */
const longestVector = 2 ** 31;

const isCount = (x: number): boolean => Number.isSafeInteger(x) && x >= 1;

/** @throws {InvalidParameter} unless steps and dimension are positive integers, the dimension at most 2³¹. */
export function assertShape({ steps, dimension }: PrefixSumShape): void {
  if (!isCount(steps) || !isCount(dimension)) {
    throw new InvalidParameter(
      `a stream of ${steps} steps in dimension ${dimension} was asked for; both must be positive integers`,
      { steps, dimension },
    );
  }
  if (dimension > longestVector)
    throw new InvalidParameter(
      `a stream in dimension ${dimension} was asked for; vectors have at most 2^31 entries`,
      { dimension },
    );
}

/** @throws {InvalidParameter} unless `step` is one of `0 … steps − 1`. */
function assertStep({ steps }: PrefixSumShape, step: number): void {
  if (!Number.isSafeInteger(step) || step < 0 || step >= steps) {
    throw new InvalidParameter(`step ${step} was asked for; the stream has steps 0 to ${steps - 1}`, {
      step,
      steps,
    });
  }
}

/** @throws {InvalidParameter} for an invalid shape, or a step outside the stream. */
export function assertSteps(shape: PrefixSumShape, ...steps: readonly number[]): void {
  assertShape(shape);
  for (const step of steps) assertStep(shape, step);
}

/**
 * @throws {InvalidParameter} when the stream is over before
 * `step`, or increments have another length than `out`.
 */
export function assertNext(shape: PrefixSumShape, step: number, out: Vector): void {
  assertStep(shape, step);
  if (out.length !== shape.dimension) {
    throw new InvalidParameter(
      `an increment of ${out.length} entries was asked for; those of this stream have ${shape.dimension}`,
      { length: out.length, dimension: shape.dimension },
    );
  }
}

/**
 * The largest number of steps one slot can take part in.
 *
 * @throws {InvalidParameter} unless `times` and `gap` are positive integers.
 */
export function largestParticipation({ steps }: PrefixSumShape, { times, gap }: Participation): number {
  if (!isCount(times) || !isCount(gap)) {
    throw new InvalidParameter(
      `participation of at most ${times} times, ${gap} steps apart, was given; ` +
        'both must be positive integers',
      { times, gap },
    );
  }
  return Math.min(times, Math.floor((steps - 1) / gap) + 1);
}
