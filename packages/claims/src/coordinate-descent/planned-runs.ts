import { calibrator } from '@lethe/accountants';
import {
  driveSync,
  seededRandom,
  type Adjacency,
  type Fact,
  type Optimizer,
  type PrivacyEvent,
  type Problem,
  type Ref,
  type Registry,
  type Run,
  type Vector,
} from '@lethe/core';
import { attachData, centralCurator, openLedger } from '@lethe/curator';
import { mechanisms } from '@lethe/mechanisms';
import fc, { type Arbitrary } from 'fast-check';
import { logisticProblem } from './curated-run.js';
import type { RunsSubject } from './runs-subject.js';
import { sketchCase, sketchInputs, type DrawnSet, type SketchInput } from './sketch-inputs.js';

/** The private optimizers of the paper. */
export const optimizerNames = ['dp-skgd', 'dp-cd', 'noisy-gradient-descent'] as const;
export type OptimizerName = (typeof optimizerNames)[number];

/** A problem with public bounds, and how it is to be solved: plain data. */
export interface Scenario {
  /** `B_j`: bounds of the features, of a logistic loss; so `L_U² = Σ_U B_j²` and `s_j = B_j²/4`. */
  readonly bounds: readonly number[];
  readonly records: number;
  readonly adjacency: Adjacency;
  readonly optimizer: OptimizerName;
  /** Of 'dp-skgd'; the others have their own. */
  readonly sketch: SketchInput;
  readonly rounds: number;
  readonly innerSteps: number;
  readonly epsilon: number;
  readonly delta: number;
  readonly calibration: 'exact' | 'theorem';
  /** Over `(Σ B_j²)^½`; none: by Lipschitz constants. */
  readonly clip: number | null;
}

/** Scenarios of up to four dimensions, three rounds and six steps, with every sketch of the paper. */
export const scenarios = (calibrations: readonly Scenario['calibration'][]): Arbitrary<Scenario> =>
  fc.integer({ min: 1, max: 4 }).chain((dimension) =>
    fc
      .record({
        bounds: fc.array(
          fc.integer({ min: -3, max: 3 }).map((k) => 1.25 * 2 ** k),
          { minLength: dimension, maxLength: dimension },
        ),
        records: fc.integer({ min: 1, max: 40 }),
        adjacency: fc.constantFrom<Adjacency>('replace-one', 'add-remove', 'zero-out'),
        optimizer: fc.constantFrom(...optimizerNames),
        sketch: sketchInputs(dimension),
        rounds: fc.integer({ min: 1, max: 3 }),
        innerSteps: fc.integer({ min: 1, max: 6 }),
        epsilon: fc.integer({ min: 1, max: 20 }).map((k) => k / 20),
        delta: fc.integer({ min: 2, max: 9 }).map((k) => 10 ** -k),
        calibration: fc.constantFrom(...calibrations),
        clip: fc.constantFrom(null, null, 0.3, 2),
      })
      .map((scenario) =>
        scenario.calibration === 'theorem' ? { ...scenario, adjacency: 'replace-one' } : scenario,
      ),
  );

/** Sensitivity of a sum of vectors up to length 1. */
export const lengthsMoved = (adjacency: Adjacency): number => (adjacency === 'replace-one' ? 2 : 1);
const sum = (numbers: Iterable<number>): number => Array.from(numbers).reduce((all, one) => all + one, 0);

/** `L_U = (Σ_U B_j²)^½`. */
export const lipschitzAlong = (bounds: readonly number[], coordinates: Iterable<number>): number =>
  Math.sqrt(sum(Array.from(coordinates, (j) => bounds[j] ** 2)));

/** `L_U`; or where gradients are clipped to `C` in all, `C (Σ_U M_j / Σ M_j)^½`. All coordinates for none. */
export function radiusAlong(
  { bounds, clip }: Scenario,
  smoothness: readonly number[],
  coordinates: readonly number[],
): number {
  const set = coordinates.length === 0 ? bounds.map((_, j) => j) : coordinates;
  if (clip === null) return lipschitzAlong(bounds, set);
  return (
    clip *
    lipschitzAlong(bounds, bounds.keys()) *
    Math.sqrt(sum(set.map((j) => smoothness[j])) / sum(smoothness))
  );
}

/** `M_j = B_j Σ_k B_k / 4`: the least that follow from the bounds. */
export const componentSmoothnessOf = (bounds: readonly number[]): number[] =>
  bounds.map((bound) => (bound * sum(bounds)) / 4);

/** What the paper says of a plan, by name. */
export interface Planned {
  readonly rounds: number;
  readonly innerSteps: number;
  readonly noiseMultiplier: number;
  readonly smoothness: readonly number[];
  readonly stepNoise: number;
  readonly riskNoise: number;
  readonly constants: { readonly smoothness: number; readonly noise: number; readonly riskNoise: number };
  readonly schedule: {
    readonly distance: number | null;
    readonly gap: number | null;
    readonly condition: number | null;
  };
  readonly noise: Readonly<
    Record<
      'exact' | 'theorem',
      { readonly noiseMultiplier: number; readonly gaussianMu: number; readonly stepNoise: number } | null
    >
  >;
  readonly utility: { readonly bound: number } | null;
  readonly printedBound: number | null;
  readonly event: PrivacyEvent;
  readonly gradients: number;
}
export const plannedIn = ({ plan }: Run): Planned => plan as Planned;

/** What a scenario is planned with besides. */
export interface Extra {
  /** Population facts. */
  readonly facts?: Readonly<Record<string, number>>;
  readonly params?: Readonly<Record<string, unknown>>;
  readonly regulariser?: Problem['regulariser'];
  readonly domain?: Ref<'domain'>;
}

const declared = (value: number): Fact => ({ value, scope: 'population', provenance: 'declared' });
const sketchNames = new Set(['full', 'single-coordinate', 'block', 'tau-nice', 'independent-coordinates']);

/** The shipped registry, with the sketches and the Gaussian of the subject. */
export const registryOf = (
  { gaussian, fullSketch, singleCoordinate, blockSketch, tauNice, independentCoordinates }: RunsSubject,
  noise: unknown = gaussian,
): Registry =>
  [
    noise,
    fullSketch,
    singleCoordinate,
    blockSketch,
    tauNice,
    independentCoordinates,
    ...mechanisms.filter(
      ({ kind, name }) =>
        !(kind === 'sketch' && sketchNames.has(name)) && !(kind === 'mechanism' && name === 'gaussian'),
    ),
  ] as Registry;

/** Optimizers of one type. */
const optimizerOf = ({ dpSkgd, dpCd, noisyGradientDescent }: RunsSubject, name: OptimizerName): Optimizer =>
  ({ 'dp-skgd': dpSkgd, 'dp-cd': dpCd, 'noisy-gradient-descent': noisyGradientDescent })[name] as Optimizer;

/** The sketch that an optimizer of a scenario draws from. */
export function sketchInputOf({ optimizer, sketch }: Scenario): SketchInput {
  if (optimizer === 'dp-cd') return { family: 'single', choice: 'uniform' };
  return optimizer === 'noisy-gradient-descent' ? { family: 'full' } : sketch;
}

/** The sets of a scenario with their probabilities, for smoothness constants. */
export function lawOf(
  subject: RunsSubject,
  scenario: Scenario,
  smoothness: readonly number[],
): { readonly law: readonly DrawnSet[]; readonly marginals: Float64Array } {
  return sketchCase(subject, sketchInputOf(scenario), Float64Array.from(smoothness));
}

/** The problem of a scenario: logistic regression with public bounds. */
export function problemOf(
  subject: RunsSubject,
  scenario: Scenario,
  { facts = {}, regulariser, domain }: Extra = {},
): Problem {
  const problem = logisticProblem(subject, { ...publicBounds(scenario), features: [] });
  return {
    ...problem,
    slots: [scenario.records],
    adjacency: scenario.adjacency,
    facts: {
      ...problem.facts,
      ...Object.fromEntries(Object.entries(facts).map(([name, value]) => [name, declared(value)])),
    },
    ...(regulariser === undefined ? {} : { regulariser }),
    ...(domain === undefined ? {} : { domain }),
  };
}

const publicBounds = ({ bounds }: Scenario) => ({
  featureNorm: lipschitzAlong(bounds, bounds.keys()),
  featureBounds: [...bounds],
});

/** Records at the corners of their bounds, seeded. */
function recordsOf({ bounds, records }: Scenario): readonly (readonly number[])[] {
  const random = seededRandom('records of a scenario');
  return Array.from({ length: records }, () =>
    bounds.map((bound) => (random.uniform() < 0.5 ? -bound : bound)),
  );
}

/** Plans the run of a scenario. */
export function plannedRun(subject: RunsSubject, scenario: Scenario, extra: Extra = {}): Run {
  const { bounds, clip, rounds, innerSteps, calibration, epsilon, delta, optimizer } = scenario;
  const problem = problemOf(subject, scenario, extra);
  const { sketch, params } = sketchCase(
    subject,
    sketchInputOf(scenario),
    Float64Array.from(componentSmoothnessOf(bounds)),
  );
  return optimizerOf(subject, optimizer).prepare({
    registry: registryOf(subject),
    problem,
    budget: { epsilon, delta },
    calibrate: calibrator([subject.gdp]),
    random: seededRandom('coins of a scenario'),
    params: {
      calibration,
      rounds,
      innerSteps,
      ...(clip === null ? {} : { clip: { radius: clip * lipschitzAlong(bounds, bounds.keys()) } }),
      ...(optimizer === 'dp-skgd' ? { sketch: { name: sketch.name, params } } : {}),
      ...extra.params,
    },
  });
}

/** A release of a curator: the coordinates, and the standard deviation of the noise on each. */
export interface Release {
  readonly coordinates: readonly number[];
  readonly scale: number;
}
/** A run that a curator carried out. */
export interface CarriedOut {
  readonly releases: readonly Release[];
  /** What the ledger was charged. */
  readonly event: PrivacyEvent;
  readonly output: Vector;
}

/** Carries a run out over records of its scenario, with a Gaussian mechanism that notes its noise. */
export function carriedOut(subject: RunsSubject, run: Run, scenario: Scenario): CarriedOut {
  const features = recordsOf(scenario);
  const columns = scenario.bounds.length;
  const scales: number[] = [];
  const asked: number[][] = [];
  const noting = {
    ...subject.gaussian,
    addNoise(...given: Parameters<RunsSubject['gaussian']['addNoise']>): void {
      scales.push(given[2]);
      subject.gaussian.addNoise(...given);
    },
  };
  const registry = [...registryOf(subject, noting), subject.logistic] as Registry;
  const ledger = openLedger({ adjacency: scenario.adjacency });
  const data = attachData({
    features: {
      data: Float64Array.from(features.flat()),
      rows: features.length,
      columns,
      offset: 0,
      rowStride: columns,
      columnStride: 1,
    },
    labels: new Float64Array(features.length).fill(1),
    loss: { kind: 'loss', name: 'logistic', params: {} },
    registry,
    domain: publicBounds(scenario),
    ledger,
  });
  const curator = centralCurator({
    data,
    registry,
    run: 'claim',
    random: seededRandom('noise of a scenario'),
    ...(scenario.adjacency === 'add-remove' ? { publicSlots: scenario.records } : {}),
  });
  const { output } = driveSync(run, curator, {
    start: new Float64Array(columns),
    random: seededRandom('coins of a scenario'),
    observe: (query) => {
      if (query.ask === 'mean') asked.push(Array.from(query.of.coordinates ?? features[0].keys()));
    },
  });
  return {
    releases: asked.map((coordinates, k) => ({ coordinates, scale: scales[k] })),
    event: ledger.spentBy('claim'),
    output,
  };
}
