import {
  agreementFor,
  centralCurator,
  driveSync,
  federation,
  sameEvent,
  seededRandom,
  siloCurator,
  type Run,
  type TrustModel,
} from '@lethe/core';
import { describe, expect, it } from 'vitest';
import { context } from '../../test/support/logistic.js';
import { dataOf, dimension, problemOf, registry, silosFor, untrusted } from '../../test/support/silos.js';
import { dpMu2Sgd } from './dp-mu2-sgd.js';

type Params = Parameters<typeof dpMu2Sgd.prepare>[0]['params'];
const start = new Float64Array(dimension);
const random = seededRandom('public');
const prepare = (slots: readonly number[], trust: TrustModel, params: Params = { rounds: 6 }): Run =>
  dpMu2Sgd.prepare({ ...context, registry, random, problem: problemOf(slots, trust) as never, params });

describe('dp-mu2-sgd on silos', () => {
  it('is DP-μ²-SGD on one machine, bit for bit, with one silo', () => {
    const alone = prepare([30], { model: 'central' });
    const central = centralCurator({
      data: dataOf(0, 30),
      registry,
      run: 'run',
      planned: alone.plan.event,
      random: seededRandom('silo 0'),
    });
    const { output } = driveSync(alone, central, { start, random });
    const run = prepare([30], untrusted(1));
    const silos = silosFor(run);
    const joined = driveSync(run, federation({ silos }), { start, random });
    expect([...joined.output]).toEqual([...output]);
    expect(sameEvent(run.plan.event, alone.plan.event)).toBe(true);
    expect(run.plan.utility).toEqual(alone.plan.utility);
  });

  it('costs each silo what the plan says, with unequal silos and weights', () => {
    const run = prepare([30, 12, 20], untrusted(3, [0.5, 0.2, 0.3]));
    const silos = silosFor(run);
    const curator = federation({ silos, weights: [0.5, 0.2, 0.3] });
    driveSync(run, curator, { start, random });
    for (const silo of silos) expect(sameEvent(silo.charged(), run.plan.event)).toBe(true);
    expect(sameEvent(curator.spent(), run.plan.event)).toBe(true);
    expect(run.plan.gradients).toBe(11 * (5 + 2 + 3));
    expect(() => driveSync(run, federation({ silos: silosFor(run) }), { start, random })).toThrow(
      /planned for trust/u,
    );
  });

  it('is the same run where silos hold the server to an agreement', () => {
    const run = prepare([30, 12], untrusted(2));
    const output = [...driveSync(run, federation({ silos: silosFor(run) }), { start, random }).output];
    const agreement = agreementFor(run, { name: 'run', start, random });
    const silos = [30, 12].map((slots, silo) =>
      siloCurator({
        data: dataOf(silo, slots),
        registry,
        agreement,
        silo,
        random: seededRandom(`silo ${silo}`),
      }),
    );
    expect([...driveSync(run, federation({ silos }), { start, random }).output]).toEqual(output);
  });
});
