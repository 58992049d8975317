import { resolveEvent } from '@lethe/accountants';
import type { Adjacency, Answered, PrivacyEvent, PrivacyFilter } from '@lethe/core';
import type { Ledger } from '@lethe/curator';
import type { Subject } from '../../law/subject.js';
import { dimension } from './every-query.js';
import type { outcomeOf } from './outcomes.js';
import { emptyTranscript, recordingRandomiser } from './shuffle/recording-randomiser.js';
import { openFixture, type Fixture } from './fixture.js';

const slots = 6;
const rows = Array.from({ length: slots }, (_, i) =>
  Array.from({ length: dimension }, (_other, j) => (i + j) / 10),
);

/** A filter with room for two releases in their first form, and for one in their later form. */
const held = (adjacency: Adjacency): PrivacyFilter => {
  const share = (event: PrivacyEvent): number =>
    event.kind === 'core/free' ? 0 : resolveEvent(event, 'gdp', { adjacency }).mu ** 2;
  return {
    rule: 'laws/gaussian',
    spec: { most: 1 },
    limit: { kind: 'core/filtered', v: 1, limit: { kind: 'core/zcdp', v: 1, rho: 0.5 } } as PrivacyEvent,
    admits: (event) => share(event) <= 1,
    share,
  };
};

/**
 * A fixture in which the example `what` of {@link everyQuery} can be sent, always with the same randomness.
 */
export const queryFixture = (
  subject: Subject<'curator'>,
  adjacency: Adjacency,
  what: string,
  ledger?: Ledger,
): Fixture =>
  openFixture(subject, {
    rows,
    adjacency,
    loss: 'linear',
    domain: { featureNorm: 1, iterateNorm: 10 },
    outside: 'clip',
    plugins: recordingRandomiser(emptyTranscript()),
    ...(what.includes('afford') ? { held: held(adjacency) } : {}),
    ...(ledger === undefined ? {} : { ledger }),
  });

const transcript = (value: unknown): unknown =>
  ArrayBuffer.isView(value) ? Array.from(value as Float64Array, String) : value;
/** Answer and digest as text, bit by bit, or the refusal. */
export const lineOf = (outcome: ReturnType<typeof outcomeOf<Answered>>): string =>
  'value' in outcome
    ? JSON.stringify([transcript(outcome.value.answer), outcome.value.digest])
    : `refused as ${outcome.refused}`;
