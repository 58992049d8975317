import { accountants, calibrator } from '@lethe/accountants';
import { optimizers } from '@lethe/algorithms';
import { sameEvent, seededRandom } from '@lethe/core';
import { openLedger } from '@lethe/curator';
import { losses } from '@lethe/losses';
import { mechanisms } from '@lethe/mechanisms';
import { expect, it } from 'vitest';
import { plannedMean } from './private-mean.js';

const registry = [...mechanisms, ...losses, ...optimizers];
const calibrate = calibrator(accountants);

it.each(['replace-one', 'zero-out'] as const)(
  'a mean has the noise that it tells, ends its run, and is charged its event under %s',
  async (adjacency) => {
    const [slots, width] = [40, 600];
    const budget = { epsilon: 1, delta: 1e-6 };
    const common = { run: 'one', adjacency, slots, width, registry, budget, calibrate };
    const { noiseMultiplier } = plannedMean(common);
    const mean = plannedMean({ ...common, noiseMultiplier: 2 * noiseMultiplier });
    expect(mean.noiseMultiplier).toBe(2 * noiseMultiplier);
    const vectors = new Float64Array(slots * width);
    for (let i = 0; i < slots; i++) vectors[i * width + (i % 2)] = 0.5;
    const ledger = openLedger({ adjacency });
    const released = await mean.release(vectors, {
      ledger,
      identity: [new Uint8Array(4)],
      secret: seededRandom('noise'),
    });
    expect(released.simulation).toBe(true);
    const off = released.mean.map((one, j) => one - (j < 2 ? 0.25 : 0));
    const spread = Math.sqrt(off.reduce((sum, one) => sum + one * one, 0) / width);
    // Within five standard deviations of the spread of 600 numbers.
    expect(Math.abs(spread / mean.noise - 1)).toBeLessThan(5 / Math.sqrt(2 * width));
    expect(ledger.standing('one').ended).toBe(true);
    expect(sameEvent(ledger.total(), mean.event)).toBe(true);
  },
);
