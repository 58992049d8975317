import { calibrator } from '@lethe/accountants';
import { InvalidParameter, type Accountant, type Calibrate, type Calibrated } from '@lethe/core';

/**
 * Calibrates each family of events once: losses, domains and most facts do not show in an event, so that many plans ask
 * for the same noise. A family is known by its events at 1 and 2.
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
