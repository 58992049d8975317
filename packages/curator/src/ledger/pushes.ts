import type { Effect } from './effect.js';

/*
 * Pushes of one stream that take the parts of a split in order: batch `id.k`, then `id.(k + 1)`. Only the
 * first of them needs to be kept.
 */

const part = /^(.*\.)(0|[1-9]\d{0,14})$/u;

/** A push of a part of a split, and nothing else. */
export interface PartPush {
  readonly stream: string;
  /** The id of the part without its number. */
  readonly of: string;
  readonly number: number;
}

/** The push that an effect consists of, if it takes a part of a split. */
export function partPushOf(effect: Effect): PartPush | null {
  const { push } = effect;
  if (push === undefined || Object.keys(effect).length !== 1 || Object.keys(push).length !== 2) return null;
  const found = part.exec(push.batch);
  return found === null ? null : { stream: push.stream, of: found[1], number: Number(found[2]) };
}

/** The effect of the push that takes the part `by` places further. */
export const pushAfter = ({ stream, of, number }: PartPush, by: number): Effect => ({
  push: { stream, batch: `${of}${number + by}` },
});

/** Whether an effect is {@link pushAfter}. */
export function isPushAfter({ stream, of, number }: PartPush, by: number, effect: Effect): boolean {
  const { push } = effect;
  return (
    push !== undefined &&
    push.stream === stream &&
    push.batch === `${of}${number + by}` &&
    Object.keys(effect).length === 1 &&
    Object.keys(push).length === 2
  );
}
