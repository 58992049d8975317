import { calibrator, pld, rdp } from '@lethe/accountants';
import {
  InvalidParameter,
  Unsupported,
  type Accountant,
  type Calibrate,
  type Calibrated,
  type Interval,
} from '@lethe/core';

/** The answer of the first that has a finite one. */
function firstAnswer(
  accountants: readonly Accountant[],
  ask: (accountant: Accountant) => Interval,
): Interval {
  let refusal: unknown;
  let infinite: Interval | undefined;
  for (const accountant of accountants) {
    try {
      const answer = ask(accountant);
      if (answer.upper < Infinity) return answer;
      infinite ??= answer;
    } catch (error) {
      if (!(error instanceof Unsupported)) throw error;
      refusal ??= error;
    }
  }
  if (infinite !== undefined) return infinite;
  throw refusal;
}

const cheapFirst = [rdp, pld];

/** Sound and cheap, not tight: for runs of which only the same cost on both sides matters. */
export const cheapAccountant: Accountant = {
  ...rdp,
  name: 'cheap',
  wants: pld.wants,
  epsilon: (event, query) => firstAnswer(cheapFirst, (accountant) => accountant.epsilon(event, query)),
  delta: (event, query) => firstAnswer(cheapFirst, (accountant) => accountant.delta(event, query)),
};

/**
 * Calibrates each family of events once: losses, domains and most facts do not show in an event, so that many
 * plans ask for the same noise. A family is known by its events at 1 and 2.
 *
 * @param tolerance - Relative, where the request asks for no larger one. @defaultValue that of the request
 */
export function rememberingCalibrator(accountants: readonly Accountant[], tolerance = 0): Calibrate {
  const calibrate = calibrator(accountants);
  const known = new Map<string, Calibrated>();
  return (request) => {
    const loose =
      tolerance === 0 ? request : { ...request, tolerance: Math.max(tolerance, request.tolerance ?? 0) };
    const events = [1, 2].map((value) => {
      try {
        return request.make(value);
      } catch (error) {
        if (error instanceof InvalidParameter) return undefined;
        throw error;
      }
    });
    // Without both events families cannot be distinguished; NaN cannot be part of a key.
    if (events.includes(undefined) || !Object.values(request.target).every(Number.isFinite))
      return calibrate(loose);
    const key = JSON.stringify([loose, events]);
    const answer = known.get(key) ?? calibrate(loose);
    known.set(key, answer);
    return answer;
  };
}
