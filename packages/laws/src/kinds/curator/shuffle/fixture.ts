import type { Batch, GradientTerms, MeanQuery, Query, Target } from '@lethe/core';
import type { Data } from '../../../arbitraries/vectors.js';
import type { Subject } from '../../../law/subject.js';
import { openFixture, under, type Fixture, type FixtureOptions } from '../fixture.js';
import {
  emptyTranscript,
  recordingRandomiser,
  type RecordingOptions,
  type Transcript,
} from './recording-randomiser.js';

export const dimension = 2;
export const target: Target = { epsilon: 0.25, delta: 1e-6 };
/** Eight records, each identified by any of its entries. */
export const rows: Data = Array.from({ length: 8 }, (_, i) => [i + 1, 100 + i]);

export interface ShuffleFixture extends Fixture {
  readonly transcript: Transcript;
}

/** A fixture with {@link recordingRandomiser}. */
export function openShuffleFixture(
  subject: Subject<'curator'>,
  {
    recording = {},
    ...options
  }: Partial<FixtureOptions> & Pick<FixtureOptions, 'adjacency'> & { readonly recording?: RecordingOptions },
): ShuffleFixture {
  const transcript = emptyTranscript();
  const { plugins = [], observe } = options;
  return {
    ...openFixture(subject, {
      rows,
      ...options,
      plugins: [
        ...plugins,
        ...recordingRandomiser(transcript, { ...(observe === undefined ? {} : { observe }), ...recording }),
      ],
    }),
    transcript,
  };
}

/** A mean released by shuffling, at the origin by default. */
export const shuffledMean = (
  batch: Batch,
  of: GradientTerms = { terms: [{ weight: 1, at: new Float64Array(dimension) }] },
  goal: Target = target,
): MeanQuery => ({
  ask: 'mean',
  of,
  batch,
  mean: { kind: 'mean', name: 'laws/shuffled', params: {} },
  target: goal,
});
/** A split by size. */
export const split = (
  of: Batch,
  sizes: readonly number[],
  order: 'stored' | 'shuffled' = 'stored',
): Query => ({ ask: 'split', of, order, parts: { by: 'size', sizes } });

/** Cells: the adjacencies of a shuffle curator. */
export const underFixed = under('replace-one', 'zero-out');
