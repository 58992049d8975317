import type { Violation } from '@lethe/laws';
import fc from 'fast-check';
import { above, differs, first } from '../common/judging.js';
import { lawOf, lengthsMoved, lipschitzAlong, plannedIn, plannedRun, type Scenario } from './planned-runs.js';
import type { RunsSubject } from './runs-subject.js';
import { partitionInputs } from './sketch-inputs.js';

/** A partition of four coordinates, of which a step moves one part, and what is known of the start. */
export interface PartsCase {
  readonly blocks: readonly (readonly number[])[];
  readonly choice: 'uniform' | 'importance';
  readonly bounds: readonly number[];
  readonly offsets: readonly number[];
  /** Strength of a ridge; 0 for none. */
  readonly ridge: number;
  readonly rounds: number;
  readonly innerSteps: number;
}

const powers = (least: number, most: number): fc.Arbitrary<number> =>
  fc.integer({ min: least, max: most }).map((k) => 2 ** k);
const fourOf = (entry: fc.Arbitrary<number>): fc.Arbitrary<number[]> =>
  fc.array(entry, { minLength: 4, maxLength: 4 });

export const partsCases: fc.Arbitrary<PartsCase> = fc.record({
  blocks: partitionInputs(4),
  choice: fc.constantFrom('uniform', 'importance'),
  bounds: fourOf(powers(-1, 1)),
  offsets: fourOf(powers(-1, 1)),
  ridge: fc.constantFrom(0, 2),
  rounds: fc.integer({ min: 1, max: 3 }),
  innerSteps: fc.constantFrom(3, 40, 400),
});

const everyone: Omit<Scenario, 'bounds' | 'sketch' | 'rounds' | 'innerSteps' | 'optimizer'> = {
  records: 20,
  adjacency: 'replace-one',
  epsilon: 1,
  delta: 1e-5,
  calibration: 'theorem',
  clip: null,
};
const noiseMultiplier = 3;

const total = (numbers: readonly number[]): number => numbers.reduce((sum, one) => sum + one, 0);

const extraOf = ({ offsets, ridge }: PartsCase, params: Readonly<Record<string, unknown>>) => ({
  facts: Object.fromEntries(offsets.map((offset, j) => [`startDistance.${j}`, offset])),
  params,
  ...(ridge === 0 ? {} : { regulariser: { name: 'l2-squared', params: { strength: ridge } } }),
});

/** `M` along parts, and the bound of a plan that steps by it, which its definition gives. */
export function partsViolation(subject: RunsSubject, given: PartsCase): Violation | undefined {
  const { blocks, choice, bounds, offsets, ridge, rounds, innerSteps } = given;
  const scenario: Scenario = {
    ...everyone,
    bounds,
    rounds,
    innerSteps,
    optimizer: 'dp-skgd',
    sketch: { family: 'blocks', blocks, choice },
  };
  const planWith = (params: Readonly<Record<string, unknown>>) =>
    plannedIn(
      plannedRun(subject, scenario, extraOf(given, { smoothness: 'block', noiseMultiplier, ...params })),
    );
  const plan = planWith({});
  const curvatureIn = (part: readonly number[], j: number): number =>
    (bounds[j] * total(part.map((k) => bounds[k]))) / 4 + ridge;
  const partOf = bounds.map((_, j) => blocks.find((block) => block.includes(j)) ?? []);
  const M = bounds.map((_, j) => curvatureIn(partOf[j], j));
  const { marginals: p } = lawOf(
    subject,
    scenario,
    bounds.map((bound) => (bound * total(bounds)) / 4),
  );
  const least = Math.min(...p);
  const perUnit = ((noiseMultiplier * lengthsMoved('replace-one')) / everyone.records) ** 2;
  const squares = partOf.map((part) => lipschitzAlong(bounds, part) ** 2);
  const stepNoise = perUnit * total(M.map((one, j) => squares[j] / one));
  const riskNoise = perUnit * total(M.map((one, j) => (p[j] * squares[j]) / one));
  const distance = total(M.map((one, j) => (one / p[j]) * offsets[j] ** 2));
  const gap = total(offsets.map((offset, j) => curvatureIn([0, 1, 2, 3], j) * offset ** 2)) / 2;
  const noise = (stepNoise + riskNoise / least) / 2;
  const once = (distance + 2 * (1 / least - 1) * gap) / (2 * innerSteps) + noise;
  const condition = Math.max(...M.map((one, j) => one / p[j])) / ridge + 1 / least - 1;
  const ratio = condition / innerSteps;
  const restarted =
    ratio < 1 ? ratio ** rounds * gap + (noise * (1 - ratio ** rounds)) / (1 - ratio) : Infinity;
  const bound = Math.min(rounds === 1 ? once : Infinity, restarted);
  const planned = ridge === 0 ? null : planWith({ innerSteps: undefined, schedule: 'strongly-convex' });
  return first(
    ...M.map((one, j) => differs(`M of coordinate ${j} along its part`, plan.smoothness[j], one)),
    differs('the bound along parts', plan.utility?.bound ?? 0, bound < Infinity ? bound : 0, 1e-6),
    planned === null
      ? undefined
      : above(
          'K of a restart along parts',
          Math.abs(planned.innerSteps - (2 * (1 + condition) + 0.5)),
          0.5 + 1e-6 * condition,
        ),
  );
}

/** Probabilities by distances: in proportion to `√M_j R_j`, of which none is near the least that is kept. */
export function distancesViolation(subject: RunsSubject, given: PartsCase): Violation | undefined {
  const { bounds, offsets, ridge, rounds, innerSteps } = given;
  const scenario: Scenario = {
    ...everyone,
    bounds,
    rounds,
    innerSteps,
    optimizer: 'dp-cd',
    sketch: { family: 'full' },
  };
  const plan = plannedIn(
    plannedRun(subject, scenario, extraOf(given, { choice: 'distances', noiseMultiplier })),
  );
  const lengths = bounds.map((bound, j) => Math.sqrt((bound * total(bounds)) / 4 + ridge) * offsets[j]);
  // The least of Σ_j M_j R_j²/p_j over all probabilities.
  return differs(
    'R² of the best probabilities',
    (plan.schedule.distance ?? 0) ** 2,
    total(lengths) ** 2,
    1e-6,
  );
}
