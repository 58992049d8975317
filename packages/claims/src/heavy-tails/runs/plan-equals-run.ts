import { resolveEvent } from '@lethe/accountants';
import { sameEvent } from '@lethe/core';
import { defineClaimCheck, gaussianCurve, type ClaimCheck, type Violation } from '@lethe/laws';
import { above, differs, first } from '../../common/judging.js';
import type { Release } from '../curated.js';
import {
  carriedOut,
  lengthsMoved,
  plannedIn,
  scenarios,
  type Planned,
  type PlannedPhase,
  type Scenario,
} from './planned-runs.js';
import type { RunsSubject } from './subject.js';

type CheckOf = (subject: RunsSubject) => ClaimCheck;

/** A release as a plan says it: over how many records, with what clip norm, multiplier and noise. */
interface Expected {
  readonly records: number;
  readonly clipNorm: number;
  readonly multiplier: number;
  readonly noise: number;
}

const ofPhase = ({ records, samplingRate, clipNorm, noiseMultiplier, noise }: PlannedPhase): Expected => ({
  records: records * samplingRate,
  clipNorm,
  multiplier: noiseMultiplier,
  noise,
});

/** Releases of a plan in order, group by group of releases on the same records. */
function expectedOf(
  { optimizer, records, params }: Scenario,
  plan: Planned,
): readonly (readonly Expected[])[] {
  const { rounds, clipNorm, noiseMultiplier: multiplier, noise } = plan;
  const once = (over: number): Expected => ({ records: over, clipNorm, multiplier, noise });
  switch (optimizer) {
    case 'localizedSubgradient':
    case 'localizedStronglyConvex':
      return plan.phases.map((phase) => Array.from({ length: phase.rounds }, () => ofPhase(phase)));
    case 'noisyClippedSubgradient':
      return [Array.from({ length: rounds }, () => once(records))];
    case 'heavyTailedGradientDescent':
      return params['batches'] === 'everyone'
        ? [Array.from({ length: rounds }, () => once(records))]
        : Array.from({ length: rounds }, () => [once(Math.floor(records / rounds))]);
    case 'noisyClippedSgd':
      return Array.from({ length: rounds + 1 }, () => [once(Math.floor(records / (rounds + 1)))]);
    default:
      return Array.from({ length: rounds }, () => [once(Math.floor(records / rounds))]);
  }
}

/** Radius of the clip of a release. */
const radiusOf = ({ query }: Release): number =>
  (query.mean.params as { readonly clip: { readonly params: { readonly radius: number } } }).clip.params
    .radius;

/** The public divisor of a release: the size of its batch, or the expected size of a sample of it. */
const recordsOf = ({ query: { batch, sampler } }: Release): number =>
  batch.normaliser * ((sampler?.params as { readonly rate?: number } | undefined)?.rate ?? 1);

const isSubsampled = ({ params }: Scenario): boolean => params['variant'] === 'subsampled';

/** Row C74. */
export const plannedNoise: CheckOf = (subject) =>
  defineClaimCheck({
    id: 'lowy/planned-noise',
    tier: 'search',
    statement:
      'Every release of a run has the noise σ, the clip norm C and the number of records s of its plan, ' +
      'with σ = 2C/(sε) for the paper’s ε of the release under replace-one, half of it under zero-out; ' +
      'one pass and full passes, all phases of Algorithm 4, and the blocks around it.',
    power: 'A relative error of 1e-9 of σ or C in any release, or one release more, for seven optimizers.',
    run: (env) =>
      env.forAll(
        scenarios,
        (scenario): Violation | undefined => {
          const { run, releases } = carriedOut(subject, scenario);
          const plan = plannedIn(run);
          const expected = expectedOf(scenario, plan).flat();
          const ratio = lengthsMoved(scenario.adjacency);
          return first(
            differs('the number of releases', releases.length, expected.length),
            ...expected.flatMap(({ records, clipNorm, multiplier, noise }, k) => [
              differs(`C of release ${k}`, radiusOf(releases[k]), clipNorm),
              differs(`records of release ${k}`, recordsOf(releases[k]), records),
              differs(`σ of release ${k}`, releases[k].scale, noise),
              differs(`σ of release ${k}, from C and s`, noise, (multiplier * ratio * clipNorm) / records),
            ]),
          );
        },
        { runs: 80 },
      ),
  });

/** ρ of releases of the noise that was added: the sum over a group, the most of all groups. */
function rhoOfNoise(scenario: Scenario, plan: Planned, releases: readonly Release[]): number {
  let taken = 0;
  return Math.max(
    ...expectedOf(scenario, plan).map((group) =>
      group.reduce((sum, { records, clipNorm }) => {
        const { scale } = releases[taken++];
        return sum + ((lengthsMoved(scenario.adjacency) * clipNorm) / records / scale) ** 2 / 2;
      }, 0),
    ),
  );
}

/** The paper’s `ε` of a plan, at which a run is `ε²/2`-concentrated DP under replace-one. */
const paperEpsilonOf = ({ optimizer }: Scenario, plan: Planned): number | null => {
  if (optimizer === 'localizedSubgradient' || optimizer === 'localizedStronglyConvex') return plan.epsilon;
  return optimizer === 'noisyClippedSubgradient' || optimizer === 'heavyTailedGradientDescent'
    ? null
    : plan.paperEpsilon;
};

/** Row C75. */
export const plannedEvent: CheckOf = (subject) =>
  defineClaimCheck({
    id: 'lowy/planned-event',
    tier: 'search',
    statement:
      'The event of a plan is what its run is charged in the ledger, and costs what the noise that was ' +
      'added costs: ρ = ε²/2 for the paper’s ε of the plan, T rounds on the same records adding up, and ' +
      'of disjoint batches the costliest alone. Calibrated, the run is (ε, δ)-private and has a ' +
      'thousandth of noise too much at most; the plan counts the gradients that are asked for.',
    power:
      'Any difference of the two events, a relative error of 1e-9 of ρ or of the gradients, of 1e-3 of the ' +
      'calibrated noise, for seven optimizers.',
    run: (env) =>
      env.forAll(
        scenarios,
        (scenario): Violation | undefined => {
          const { run, releases, event } = carriedOut(subject, scenario);
          const plan = plannedIn(run);
          const isSame = sameEvent(plan.event, event);
          const other: Violation = {
            what: 'the ledger holds another event than the plan',
            measured: Number(isSame),
            allowed: 1,
          };
          const gradients = expectedOf(scenario, plan)
            .flat()
            .reduce((sum, { records }) => sum + records, 0);
          const counted = plan.expectedGradients ?? plan.gradients;
          if (isSubsampled(scenario))
            return first(isSame ? undefined : other, differs('the gradients', counted, gradients));
          const { adjacency, epsilon, delta } = scenario;
          const rho = resolveEvent(plan.event, 'zcdp', { adjacency });
          const paper = paperEpsilonOf(scenario, plan);
          const mu = Math.sqrt(2 * rho);
          const isCalibrated = scenario.params['noiseMultiplier'] === undefined;
          return first(
            isSame ? undefined : other,
            differs('ρ of the noise', rhoOfNoise(scenario, plan, releases), rho),
            paper === null
              ? undefined
              : differs('the paper’s ε', paper, (adjacency === 'replace-one' ? 1 : 2) * mu),
            differs('the gradients', counted, gradients),
            differs('the gradients, in all', plan.gradients, gradients),
            ...(isCalibrated
              ? [
                  above(
                    'the δ of the run at ε',
                    subject.gdp.delta(event, { adjacency, epsilon }).lower,
                    delta,
                    0,
                  ),
                  above(
                    'δ, against that of a thousandth less noise',
                    delta,
                    gaussianCurve(mu * 1.001, epsilon).upper,
                    0,
                  ),
                ]
              : []),
          );
        },
        { runs: 80 },
      ),
  });
