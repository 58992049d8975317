import { defineAccountant, InvalidParameter, type PrivacyEvent, Unsupported } from '@lethe/core';
import { describe, expect, it } from 'vitest';
import { sgd } from '../../test/events.js';
import { accountants, bestOf, calibrator, pld, rdp } from '../index.js';

const adjacency = 'zero-out';
const query = { adjacency, delta: 1e-5 } as const;
/** A clock that moves by a second whenever it is read. */
const clock = (): (() => number) => {
  let time = 0;
  return () => (time += 1);
};
const within = (seconds: number) => bestOf(accountants, [], { seconds, now: clock() });

describe('a question with a time limit', () => {
  it('ends with a wider interval about the answer, the sooner the wider', () => {
    const event = sgd(0.01, 1, 60);
    const answers = [1, 60, 350, 1e9].map((looks) => within(looks).epsilon(event, query));
    const whole = bestOf(accountants).epsilon(event, query);
    answers.forEach(({ lower, upper, certificate }, i) => {
      expect(certificate).toBe('certified');
      expect(lower).toBeLessThanOrEqual(whole.upper);
      expect(upper).toBeGreaterThanOrEqual(whole.lower);
      if (i > 0) expect(upper).toBeLessThan(answers[i - 1].upper);
    });
    expect(answers.map(({ method }) => method)).toEqual([
      'no answer within 1 s',
      expect.stringMatching(/^rdp.*, ended by 60 s$/u),
      expect.stringMatching(/^pld.*, ended by 350 s$/u),
      whole.method,
    ]);
    expect(answers[0].upper).toBe(Infinity);
    expect(answers[2].lower).toBeGreaterThan(0.9 * whole.lower);
  });

  it('is as wide for δ, at most 1', () => {
    const at = { adjacency, epsilon: 1 } as const;
    const event = sgd(0.01, 1, 61);
    const answers = [1, 120, 350].map((looks) => within(looks).delta(event, at));
    const whole = bestOf(accountants).delta(event, at);
    answers.forEach(({ lower, upper }, i) => {
      expect(lower).toBeLessThanOrEqual(whole.upper);
      expect(upper).toBeGreaterThanOrEqual(whole.lower);
      if (i > 0) expect(upper).toBeLessThan(answers[i - 1].upper);
    });
    expect(answers[0]).toMatchObject({ lower: 0, upper: 1, method: 'no answer within 1 s' });
  });

  it('begins its time anew for each question, and ends calibrations on the private side', () => {
    const best = within(400);
    for (const steps of [62, 63]) expect(best.epsilon(sgd(0.01, 1, steps), query).lower).toBeGreaterThan(0);
    const { value, achieved } = calibrator([rdp, pld], [], { time: { seconds: 400, now: clock() } })({
      make: (sigma) => sgd(0.01, sigma, 60),
      target: { epsilon: 0.7, delta: 1e-5 },
      adjacency,
      direction: 'larger-is-private',
    });
    expect(achieved.upper).toBeLessThanOrEqual(0.7);
    expect(bestOf(accountants).epsilon(sgd(0.01, value, 60), query).upper).toBeLessThanOrEqual(0.7);
  });

  it('leaves refusals, other errors and other signals as they are', () => {
    const event = sgd(0.01, 1, 64);
    const unknown: PrivacyEvent = { kind: 'acme/x', v: 1 };
    expect(() => within(1e9).epsilon(unknown, query)).toThrow(Unsupported);
    const reason = new Error('enough');
    const signal = {
      throwIfAborted: () => {
        throw reason;
      },
    };
    expect(() => within(1e9).epsilon(event, { ...query, signal })).toThrow(reason);
    const broken = defineAccountant({
      ...pld,
      epsilon: () => {
        throw reason;
      },
    });
    expect(() => bestOf([broken], [], { seconds: 1, now: clock() }).epsilon(event, query)).toThrow(reason);
    for (const seconds of [0, -1, NaN])
      expect(() => bestOf(accountants, [], { seconds, now: clock() })).toThrow(InvalidParameter);
  });
});
