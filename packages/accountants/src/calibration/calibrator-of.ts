import { Unsupported, type Accountant, type EventKind, type Interval } from '@lethe/core';
import type { CalibratorOptions } from './calibrator.js';
import type { Calibration, CalibrationOptions } from './options.js';
import type { Asked } from './probe.js';
import { calibrate, continued } from './search.js';

/**
 * `calibrator` of one accountant, for pages whose script has to stay small: it has no code for what several
 * accountants know together. It finds the same values as `calibrator([accountant])`.
 *
 * @param kinds - Event kinds beyond core's.
 * @param options - A signal that cancels a calibration.
 */
export function calibratorOf(
  accountant: Accountant,
  kinds: readonly EventKind[] = [],
  { signal }: Pick<CalibratorOptions, 'signal'> = {},
): (options: CalibrationOptions) => Calibration {
  const certified = (answer: Interval): Interval => {
    if (answer.certificate === 'estimate')
      throw new Unsupported(
        `accountant '${accountant.name}' only estimates what is spent; give one that certifies it`,
        { accountant: accountant.name },
      );
    return answer;
  };
  const asked: Asked = {
    epsilon: (event, query) => certified(accountant.epsilon(event, { kinds, ...query })),
    delta: (event, query) => certified(accountant.delta(event, { kinds, ...query })),
  };
  return (options) =>
    calibrate(options, signal, {
      quick: asked,
      best: asked,
      refinement: ({ prober, precise }) => ({
        refined: (start) => continued(prober, asked, start, precise) ?? start,
        checked: (met) => met,
      }),
    });
}
