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
  scenes,
  type Scene,
} from './planned-runs.js';
import type { RunsSubject } from './runs-subject.js';

type CheckOf = (subject: RunsSubject) => ClaimCheck;

/** `σ_U` of Theorem 4.1, for `K T` steps and `c = log(1/δ)/(n²ε²)`. */
const theoremScale = ({ rounds, innerSteps, records, epsilon, delta }: Scene, radius: number): number =>
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
        scenes(['exact', 'theorem']),
        (scene) => {
          const run = plannedRun(subject, scene);
          const { noiseMultiplier, smoothness } = plannedIn(run);
          const { releases } = carriedOut(subject, run, scene);
          return first(
            differs('the number of releases', releases.length, scene.rounds * scene.innerSteps),
            ...releases.flatMap(({ coordinates, scale }, k) => {
              const radius = radiusAlong(scene, smoothness, coordinates);
              const what = `the noise of release ${k}, along ${coordinates.join()},`;
              return [
                differs(
                  what,
                  scale,
                  (noiseMultiplier * lengthsMoved(scene.adjacency) * radius) / scene.records,
                ),
                scene.calibration === 'theorem'
                  ? differs(`${what} against the theorem's`, scale, theoremScale(scene, radius))
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
  scene: Scene,
  smoothness: readonly number[],
  releases: ReturnType<typeof carriedOut>['releases'],
): number =>
  releases.reduce(
    (all, { coordinates, scale }) =>
      all +
      ((lengthsMoved(scene.adjacency) * radiusAlong(scene, smoothness, coordinates)) /
        scene.records /
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
        scenes(['exact', 'theorem']),
        (scene): Violation | undefined => {
          const run = plannedRun(subject, scene);
          const { event, gradients, noiseMultiplier, smoothness, noise } = plannedIn(run);
          const spent = carriedOut(subject, run, scene);
          const steps = scene.rounds * scene.innerSteps;
          const rho = resolveEvent(event, 'zcdp', { adjacency: scene.adjacency });
          const mu = noise[scene.calibration]?.gaussianMu ?? Number.NaN;
          return first(
            sameEvent(event, spent.event)
              ? undefined
              : {
                  what: 'the ledger holds another event than the plan',
                  measured: resolveEvent(spent.event, 'zcdp', { adjacency: scene.adjacency }),
                  allowed: rho,
                },
            differs('ρ of the plan', rho, steps / noiseMultiplier ** 2 / 2),
            differs('ρ of the noise', rhoOfNoise(scene, smoothness, spent.releases), rho),
            differs('μ of the plan', mu, Math.sqrt(2 * rho)),
            differs('gradients', gradients, steps * scene.records),
          );
        },
        { runs: 40 },
      ),
  });
