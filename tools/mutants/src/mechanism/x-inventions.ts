import { randomFromKey } from '@lethe/numerics';
import { gaussian, laplace } from '@lethe/mechanisms';
import { defineMutant } from '../mutant.js';
import { planted } from './plant.js';

export const xMechanism1 = defineMutant({
  id: 'mechanism/laplace-noise-offered-l2-sensitivity',
  title: 'Laplace noise is declared for ℓ2 sensitivity',
  kind: 'mechanism',
  source: 'generic',
  killedBy: ['mechanism/event', 'mechanism/divergence'],
  within: 2000,
  plant: () => planted(laplace, { norm: 'l2' }),
});

export const xMechanism2 = defineMutant({
  id: 'mechanism/entries-come-pairs-opposite-noise-lower-variance',
  title: 'entries come in pairs of opposite noise, to lower the variance of sums',
  kind: 'mechanism',
  source: 'generic',
  killedBy: ['mechanism/duplicates', 'mechanism/independence'],
  within: 1000,
  plant: () =>
    planted(gaussian, {
      addNoise: (params, value, scale, random) => {
        const half = new Float64Array((value.length + 1) >> 1);
        gaussian.addNoise(params, half, scale, random);
        value.forEach((x, j) => {
          value[j] = x + (j % 2 === 0 ? 1 : -1) * half[j >> 1];
        });
      },
    }),
});

export const xMechanism3 = defineMutant({
  id: 'mechanism/event-forgets-other-adjacencies-other-sensitivities',
  title: 'the event uses one sensitivity for all adjacencies',
  kind: 'mechanism',
  source: 'generic',
  killedBy: ['mechanism/event'],
  within: 2000,
  plant: () =>
    planted(gaussian, {
      event: (params, noiseMultiplier) =>
        gaussian.event(params, noiseMultiplier, { 'replace-one': 1, 'add-remove': 1, 'zero-out': 1 }),
    }),
});

export const xMechanism4 = defineMutant({
  id: 'mechanism/source-made-anew-key-every-call-two',
  title: 'every call restarts the source from its key, so that two calls have equal noise',
  kind: 'mechanism',
  source: 'generic',
  killedBy: ['mechanism/fresh-coins'],
  within: 60,
  plant: () =>
    planted(gaussian, {
      addNoise: (params, value, scale, random) =>
        gaussian.addNoise(params, value, scale, randomFromKey(random.key(), random.kind)),
    }),
});

export const xMechanism5 = defineMutant({
  id: 'mechanism/entries-zero-skipped-keep-vectors-sparse',
  title: 'zero entries are skipped, to keep vectors sparse',
  kind: 'mechanism',
  source: 'generic',
  killedBy: ['mechanism/every-coordinate', 'mechanism/data-independence'],
  within: 100,
  plant: () =>
    planted(gaussian, {
      addNoise: (params, value, scale, random) => {
        const noise = new Float64Array(value.length);
        gaussian.addNoise(params, noise, scale, random);
        value.forEach((x, j) => {
          if (x !== 0) value[j] = x + noise[j];
        });
      },
    }),
});

export const xMechanism6 = defineMutant({
  id: 'mechanism/draws-beyond-three-deviations-drawn-again-no',
  title: 'draws beyond three deviations are redrawn',
  kind: 'mechanism',
  source: 'generic',
  killedBy: ['mechanism/noise-law'],
  within: 20_000,
  plant: () =>
    planted(gaussian, {
      addNoise: (params, value, scale, random) => {
        const draw = new Float64Array(1);
        value.forEach((x, j) => {
          do {
            draw[0] = 0;
            gaussian.addNoise(params, draw, scale, random);
          } while (Math.abs(draw[0]) > 3 * scale);
          value[j] = x + draw[0];
        });
      },
    }),
});

export const xMechanism7 = defineMutant({
  id: 'mechanism/target-rho-met-epsilon-multiplier-1-2rho',
  title: 'a target of ρ is used as ε: the multiplier is 1/(2ρ)',
  kind: 'mechanism',
  source: 'generic',
  killedBy: ['mechanism/zcdp', 'mechanism/calibration'],
  within: 100,
  plant: () =>
    planted(gaussian, {
      multiplierFor: (params, target) =>
        'rho' in target ? 1 / (2 * target.rho) : gaussian.multiplierFor(params, target),
    }),
});

export const xMechanism8 = defineMutant({
  id: 'mechanism/all-buffer-behind-value-gets-noise',
  title: 'the whole buffer behind the value gets noise',
  kind: 'mechanism',
  source: 'generic',
  killedBy: ['mechanism/in-place'],
  within: 10,
  plant: () =>
    planted(gaussian, {
      addNoise: (params, value, scale, random) =>
        gaussian.addNoise(params, new Float64Array(value.buffer), scale, random),
    }),
});

export const xMechanism9 = defineMutant({
  id: 'mechanism/declared-distribution-function-next-wider-noise-calibration',
  title: 'the declared distribution function and the calibration are those of wider noise',
  kind: 'mechanism',
  source: 'generic',
  killedBy: ['mechanism/noise-law', 'mechanism/standard-deviation', 'mechanism/least-multiplier'],
  within: 4000,
  plant: () => planted(gaussian, { cdf: (params, x) => gaussian.cdf(params, x / 1.25) }),
});
