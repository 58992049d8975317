import {
  filteredEvent,
  gaussianEvent,
  parallelEvent,
  repeatedEvent,
  sampledEvent,
  type PrivacyEvent,
  type SampledStream,
  type SamplerSpec,
} from '@lethe/core';
import { columnSquareOf } from './matrix.js';

/** How the batches of a stream are drawn from groups of records that take turns. */
export interface TurnsOfGroups {
  readonly groups: number;
  /** The draw from a group: one for each size that groups have. */
  readonly draws: readonly SamplerSpec[];
  /** Whether the group of a slot is public. */
  readonly isPublic: boolean;
}

/**
 * The cost of a stream of a band of at most `groups` rows: a slot's participations move different rows, so
 * that the stream is a composition of `⌈steps/groups⌉` sampled Gaussian releases of the longest column. Where
 * groups are public and a slot of one of them moves every block as far, that is what neighbours come to; else
 * it is an upper bound alone.
 */
export function poissonBlocks(
  stream: SampledStream,
  { groups, draws, isPublic }: TurnsOfGroups,
): PrivacyEvent {
  const { steps, sigma } = stream;
  const once = stream.columnNorm({ times: 1, gap: steps });
  const release = gaussianEvent(sigma, { 'replace-one': 2 * once, 'add-remove': once, 'zero-out': once });
  const blocks = Math.ceil(steps / groups);
  const events = draws.map((draw) => repeatedEvent(sampledEvent(draw, release), blocks));
  const event = events.length === 1 ? events[0] : parallelEvent(events);
  const least = once * once * (1 - 2 ** -40);
  let isAttained = isPublic;
  for (let step = 0; step < steps && isAttained; step += groups)
    isAttained = columnSquareOf(stream, step) >= least;
  return isAttained ? event : filteredEvent(event);
}
