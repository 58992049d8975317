import { resolveEvent } from '@lethe/accountants';
import { sameEvent } from '@lethe/core';
import { defineClaimCheck, type ClaimCheck, type Violation } from '@lethe/laws';
import { differs, first } from '../common/judging.js';
import {
  carriedOut,
  lengthsMoved,
  plannedIn,
  plannedRun,
  radiusAlong,
  scenarios,
  type Scenario,
} from './planned-runs.js';
import type { RunsSubject } from './runs-subject.js';

type CheckOf = (subject: RunsSubject) => ClaimCheck;

/** `σ_U` of Theorem 4.1, for `K T` steps and `c = log(1/δ)/(n²ε²)`. */
const theoremScale = ({ rounds, innerSteps, records, epsilon, delta }: Scenario, radius: number): number =>
  (radius * Math.sqrt(12 * innerSteps * rounds * -Math.log(delta))) / (records * epsilon);

/** Row 56. */
export const plannedNoise: CheckOf = (subject) =>
  defineClaimCheck({
    id: 'maranjyan/planned-noise',
    tier: 'search',
    statement:
      'Every release of a run has the noise that its plan says: the planned multiplier times the ' +
      'sensitivity along the drawn coordinates, 2 L_U/n under replace-one and L_U/n otherwise, ' +
      'with the radius C_U for L_U where gradients are clipped; calibrated by the theorem, ' +
      'σ_U² = 12 L_U² K T log(1/δ)/(n²ε²).',
    power:
      'A relative error of 1e-9 of the noise of any release, ' +
      'for the three optimizers with every sketch and up to 3 rounds.',
    run: (env) =>
      env.forAll(
        scenarios(['exact', 'theorem']),
        (scenario) => {
          const run = plannedRun(subject, scenario);
          const { noiseMultiplier, smoothness } = plannedIn(run);
          const { releases } = carriedOut(subject, run, scenario);
          return first(
            differs('the number of releases', releases.length, scenario.rounds * scenario.innerSteps),
            ...releases.flatMap(({ coordinates, scale }, k) => {
              const radius = radiusAlong(scenario, smoothness, coordinates);
              const what = `the noise of release ${k}, along ${coordinates.join()},`;
              return [
                differs(
                  what,
                  scale,
                  (noiseMultiplier * lengthsMoved(scenario.adjacency) * radius) / scenario.records,
                ),
                scenario.calibration === 'theorem'
                  ? differs(`${what} against the theorem's`, scale, theoremScale(scenario, radius))
                  : undefined,
              ];
            }),
          );
        },
        { runs: 40 },
      ),
  });

/** The zero-concentrated ρ of releases, from the noise that was added. */
const rhoOfNoise = (
  scenario: Scenario,
  smoothness: readonly number[],
  releases: ReturnType<typeof carriedOut>['releases'],
): number =>
  releases.reduce(
    (all, { coordinates, scale }) =>
      all +
      ((lengthsMoved(scenario.adjacency) * radiusAlong(scenario, smoothness, coordinates)) /
        scenario.records /
        scale) **
        2 /
        2,
    0,
  );

/** Row 57. */
export const plannedEvent: CheckOf = (subject) =>
  defineClaimCheck({
    id: 'maranjyan/planned-event',
    tier: 'search',
    statement:
      'The event of a plan is what the run is charged in the ledger: K·T Gaussian releases of the ' +
      'planned multiplier, which cost what the noise that was added costs; ' +
      'the plan counts K·T·n gradients.',
    power:
      'Any difference of the two events, a relative error of 1e-9 of their ρ, ' +
      'for the three optimizers with every sketch and up to 3 rounds.',
    run: (env) =>
      env.forAll(
        scenarios(['exact', 'theorem']),
        (scenario): Violation | undefined => {
          const run = plannedRun(subject, scenario);
          const { event, gradients, noiseMultiplier, smoothness, noise } = plannedIn(run);
          const spent = carriedOut(subject, run, scenario);
          const steps = scenario.rounds * scenario.innerSteps;
          const rho = resolveEvent(event, 'zcdp', { adjacency: scenario.adjacency });
          const mu = noise[scenario.calibration]?.gaussianMu ?? Number.NaN;
          return first(
            sameEvent(event, spent.event)
              ? undefined
              : {
                  what: 'the ledger holds another event than the plan',
                  measured: resolveEvent(spent.event, 'zcdp', { adjacency: scenario.adjacency }),
                  allowed: rho,
                },
            differs('ρ of the plan', rho, steps / noiseMultiplier ** 2 / 2),
            differs('ρ of the noise', rhoOfNoise(scenario, smoothness, spent.releases), rho),
            differs('μ of the plan', mu, Math.sqrt(2 * rho)),
            differs('gradients', gradients, steps * scenario.records),
          );
        },
        { runs: 40 },
      ),
  });
