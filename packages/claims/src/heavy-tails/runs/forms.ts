import { Unsupported, type Fact, type Optimizer, type PublicPlan } from '@lethe/core';
import { squaredDistance } from '@lethe/losses';
import { l2BallDomain } from '@lethe/mechanisms';
import { defineClaimCheck, judge, type ClaimCheck } from '@lethe/laws';
import { differs, first } from '../../common/judging.js';
import { prepared } from '../curated.js';
import type { RunsSubject } from './subject.js';

type Planned = PublicPlan & { readonly predicted?: number };
type Chosen = PublicPlan & {
  readonly form: 'one-pass' | 'composed';
  readonly compared: Readonly<Record<string, number>>;
};

const fact = (value: number, scope: Fact['scope']): Fact => ({ value, scope, provenance: 'declared' });

/** Problems where one form or the other is better, or the only one that can be planned. */
const scenes = [
  { records: 50, smoothness: 0.1, lipschitz: 2, moment: 0.5, near: 0.5, radius: 1, rounds: [3, 4] },
  { records: 4000, smoothness: 1, lipschitz: 4, moment: 2, near: 1, radius: 0.5, rounds: [9, 1] },
  { records: 4000, smoothness: 1, lipschitz: 4, moment: null, near: 0.2, radius: 3, rounds: [2, 12] },
  { records: 400, smoothness: 0.5, lipschitz: null, moment: 1, near: 1, radius: 1, rounds: [4, 2] },
] as const;

/** Row C94. */
export const formOfRounds = (subject: RunsSubject): ClaimCheck =>
  defineClaimCheck({
    id: 'lowy/form-of-rounds',
    tier: 'exact',
    statement:
      'clipped-ac-sa compares the proved bound of one pass with what all records in every round predict ' +
      'plus rD/√n, runs the form with the smaller number, and states the bound of that form',
    power: 'a relative error of 1e-12 of a number that is compared; the other form',
    run() {
      const forms = new Set<string>();
      const found = scenes.map((scene) => {
        const { records, lipschitz, moment, near, radius } = scene;
        const distance = near * 2 * radius;
        const given = {
          records,
          columns: 2,
          adjacency: 'replace-one',
          loss: squaredDistance,
          facts: {
            smoothness: fact(scene.smoothness, 'every-record'),
            startDistance: fact(distance, 'population'),
            ...(lipschitz === null ? {} : { lipschitz: fact(lipschitz, 'every-record') }),
            ...(moment === null ? {} : { 'gradientMoment.2': fact(moment, 'population') }),
          },
          domain: l2BallDomain({ radius }),
          budget: { epsilon: 1, delta: 1e-6 },
        } as const;
        const planOf = (optimizer: unknown, params: Readonly<Record<string, unknown>>): Planned | null => {
          try {
            return prepared({ ...given, params, optimizer: optimizer as Optimizer }).plan;
          } catch (error) {
            if (error instanceof Unsupported) return null;
            throw error;
          }
        };
        const [onePass, composed] = scene.rounds.map((rounds) => ({ rounds, noiseMultiplier: 3 }));
        const plans = {
          'one-pass': planOf(subject.noisyClippedAcSa, onePass),
          composed: planOf(subject.composedAcSa, composed),
        };
        const size = Math.min(lipschitz ?? Infinity, moment ?? Infinity);
        const own = {
          'one-pass': plans['one-pass']?.utility?.bound ?? Infinity,
          composed: (plans.composed?.predicted ?? Infinity) + (size * distance) / Math.sqrt(records),
        };
        const better = own.composed < own['one-pass'] ? 'composed' : 'one-pass';
        forms.add(better);
        const plan = planOf(subject.clippedAcSa, { onePass, composed }) as Chosen;
        const bound = plans[better]?.utility?.bound;
        return first(
          plan.form === better ? undefined : { what: `${plan.form} is run`, measured: 0, allowed: 1 },
          ...(['one-pass', 'composed'] as const)
            .filter((form) => own[form] < Infinity)
            .map((form) => differs(`the number of ${form}`, plan.compared[form], own[form], 1e-12)),
          bound === undefined && plan.utility === null
            ? undefined
            : differs('the bound', plan.utility?.bound ?? Number.NaN, bound ?? Number.NaN, 1e-12),
        );
      });
      return judge(
        scenes.length,
        first(
          ...found,
          forms.size === 2
            ? undefined
            : { what: 'one form is always better', measured: forms.size, allowed: 2 },
        ),
      );
    },
  });
