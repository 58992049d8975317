import { type Calibrate, type Calibrated, type EventKind, type PrivacyEvent } from '@lethe/core';
import { canonicalEvent } from '@lethe/core/testing';
import { calibrateByProfile } from '../../divergence/calibrate-by-profile.js';

/**
 * {@link calibrateByProfile} that remembers: laws plan the same run many times. Kept for one answer only
 * while the family gives the same events.
 *
 * @param tolerance - Relative, where a request asks for no larger one.
 */
export function rememberingCalibrate(kinds: readonly EventKind[], tolerance: number): Calibrate {
  const plain = calibrateByProfile(kinds);
  const known = new Map<string, { readonly answer: Calibrated; readonly event: string }>();
  return (asked) => {
    const request = { ...asked, tolerance: Math.max(tolerance, asked.tolerance ?? 0) };
    const { make, ...rest } = request;
    const textAt = (value: number): string => {
      try {
        return canonicalEvent(make(value));
      } catch {
        return 'none';
      }
    };
    const key = JSON.stringify([rest, textAt(2)]);
    const found = known.get(key);
    if (found !== undefined && found.event === textAt(found.answer.value)) return found.answer;
    let last: { readonly value: number; readonly event: PrivacyEvent } | undefined;
    const answer = plain({
      ...request,
      make(value) {
        const event = make(value);
        last = { value, event };
        return event;
      },
    });
    // What was made last is the answer's: it is not priced again for its text.
    const event = last?.value === answer.value ? canonicalEvent(last.event) : textAt(answer.value);
    known.set(key, { answer, event });
    return answer;
  };
}
