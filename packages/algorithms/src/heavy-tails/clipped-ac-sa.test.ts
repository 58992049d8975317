import { sameEvent, seededRandom, type Fact, type Problem } from '@lethe/core';
import { logistic, losses } from '@lethe/losses';
import { l2BallDomain, mechanisms } from '@lethe/mechanisms';
import { describe, expect, it } from 'vitest';
import { fixedCalibration } from '../../test/support/problems.js';
import { clippedAcSa } from './clipped-ac-sa.js';
import { noisyClippedAcSa } from './noisy-clipped-ac-sa.js';

const every = (value: number): Fact => ({ value, scope: 'every-record', provenance: 'declared' });
const facts = { smoothness: every(0.25), lipschitz: every(1) };
const context = (params: object, slots: number, own: Problem['facts'] = facts) => ({
  problem: {
    adjacency: 'replace-one' as const,
    trust: { model: 'central' as const },
    dimension: 3,
    slots: [slots],
    domain: l2BallDomain({ radius: 1 }),
    loss: logistic({}),
    capabilities: logistic.capabilities,
    facts: own,
  },
  registry: [...mechanisms, ...losses],
  budget: { epsilon: 1, delta: 1e-6 },
  params,
  calibrate: fixedCalibration(20).calibrate,
  random: seededRandom('forms'),
});
interface Plan {
  readonly form: string;
  readonly chosenBy: string;
  readonly compared: Readonly<Record<string, number>>;
}
const planOf = (...given: Parameters<typeof context>): Plan =>
  clippedAcSa.prepare(context(...given)).plan as unknown as Plan;

describe('clipped-ac-sa', () => {
  it('takes the form with the smaller number, and says which decided', () => {
    const chosen = planOf({}, 2000);
    expect(chosen.form).toBe('composed');
    expect(chosen.chosenBy).toMatch(/heuristic/u);
    expect(chosen.compared['composed']).toBeLessThan(chosen.compared['one-pass']);
    const onePass = planOf({ composed: { rounds: 1, noiseMultiplier: 1e4 } }, 2000);
    expect(onePass.form).toBe('one-pass');
    expect(onePass.chosenBy).toMatch(/proved bound/u);
  });

  it('runs the form that is asked for as that optimizer does', () => {
    const params = { rounds: 3, clipNorm: 1 };
    const run = clippedAcSa.prepare(context({ form: 'one-pass', onePass: params }, 300));
    const alone = noisyClippedAcSa.prepare(context(params, 300));
    expect(sameEvent(run.plan.event, alone.plan.event)).toBe(true);
    expect(run.plan.utility).toEqual(alone.plan.utility);
  });

  it('leaves out a form that cannot be planned, and says so', () => {
    const refused = planOf({ onePass: { rounds: 1000 } }, 300);
    expect(refused.form).toBe('composed');
    expect(refused.chosenBy).toMatch(/cannot be planned/u);
    expect(() => planOf({}, 300, {})).toThrow(/neither form/u);
  });
});
