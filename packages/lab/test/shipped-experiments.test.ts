import { readdirSync } from 'node:fs';
import { separableRisk } from '@lethe/algorithms';
import {
  findPlugin,
  regulariserAt,
  resolvePlugin,
  seededRandom,
  type Calibrate,
  type Optimizer,
  type PublicPlan,
  type Ref,
  type Sketch,
} from '@lethe/core';
import { sketches } from '@lethe/mechanisms';
import { defined } from '@lethe/numerics';
import { afterAll, describe, expect, it } from 'vitest';
import { checkExperiment } from './support/check-experiment.js';
import { readExperiment } from '../src/experiment/read.js';
import type { EvaluationResult } from '../src/experiment/results.js';
import {
  isHard,
  labelOf,
  paramsOn,
  type BudgetSpec,
  type Evaluation,
  type MeanExperiment,
  type ProblemSpec,
  type SampledSpec,
} from '../src/experiment/schema.js';
import { registry } from '../src/registry.js';
import { generatedPopulation, isOfPopulation } from '../src/run/generated-population.js';
import { hardPopulation } from '../src/run/hard-population.js';
import { loadRecords } from '../src/run/load.js';
import { publicProblem, type PublicProblem } from '../src/run/problem.js';
import { ratesOf } from '../src/run/rates.js';
import { trustModelOf } from '../src/run/trust.js';
import { unreadFacts } from '../src/run/unread-facts.js';
import { labFolder, lethe } from './support/lab-folder.js';

const folder = new URL('../experiments/', import.meta.url).pathname;
const files = readdirSync(folder).filter((name) => name.startsWith('maranjyan-'));
const read = (file: string): Evaluation => readExperiment(`${folder}${file}`) as Evaluation;
/** Some noise: how much is another test's concern, and takes time to find. */
const calibrate: Calibrate = () => ({
  value: 100,
  achieved: { lower: 0, upper: 1, certificate: 'estimate', method: 'none', assumptions: [] },
});

/** What is read of the plans of sketched methods. */
interface SketchedPlan extends PublicPlan {
  readonly rounds: number;
  readonly innerSteps: number;
  readonly noiseMultiplier: number;
  readonly printedBound: number | null;
  readonly smoothness: readonly number[];
  readonly sketch: Ref<'sketch'>;
}

function planned(
  name: string,
  context: Pick<Parameters<Optimizer['prepare']>[0], 'problem' | 'budget' | 'params'>,
) {
  const { plan, factsRead } = findPlugin<Optimizer>(registry, 'optimizer', name).prepare({
    registry,
    ...context,
    calibrate,
    random: seededRandom('plan'),
  });
  return { plan, read: defined(factsRead)() };
}

/** Every optimizer of an experiment on one of its problems, planned. */
async function plansOn(experiment: Evaluation, spec: SampledSpec) {
  const { rows, columns, rowNorm, columnBounds } = await loadRecords(spec, folder);
  const { problem } = publicProblem(spec, {
    registry,
    adjacency: experiment.adjacency,
    n: rows,
    columns: columns,
    rowNorm,
    columnBounds,
  });
  return experiment.optimizers.flatMap((optimizer) =>
    experiment.budgets.map((budget) => ({
      optimizer,
      problem,
      ...planned(optimizer.name, { problem, budget, params: paramsOn(optimizer, spec.name) }),
    })),
  );
}

describe('the experiments on random coordinates', () => {
  it.each(files)('%s is read, checked and planned on every problem', async (file) => {
    const experiment = read(file);
    checkExperiment(experiment, file, registry);
    for (const spec of experiment.problems as readonly SampledSpec[]) {
      const plans = await plansOn(experiment, spec);
      expect(plans.map(({ optimizer }) => labelOf(optimizer))).toEqual(experiment.optimizers.map(labelOf));
      for (const { plan } of plans) expect(plan.gradients).toBeGreaterThan(0);
      expect(
        unreadFacts([
          {
            problem: spec.name,
            declared: Object.keys(spec.facts),
            read: plans.flatMap(({ read: names }) => names),
          },
        ]),
      ).toBe(null);
    }
  });

  it.each(files.filter((file) => file.startsWith('maranjyan-x-')))(
    '%s expects what the formula says of its own plans',
    async (file) => {
      const experiment = read(file);
      for (const spec of experiment.problems as readonly SampledSpec[]) {
        for (const { optimizer, plan, problem } of await plansOn(experiment, spec)) {
          const { innerSteps, rounds, smoothness, noiseMultiplier, sketch, utility, printedBound } =
            plan as SketchedPlan;
          const d = problem.dimension;
          const expected = defined(optimizer.expected.find((one) => one.problem === spec.name));
          expect(rounds).toBe(1);
          expect(expected.source).toContain(`K = ${innerSteps};`);
          expect(Math.abs(defined(utility).bound / defined(expected.bound) - 1)).toBeLessThan(1e-4);
          expect(Math.abs(defined(printedBound) / expected.plan['printedBound'] - 1)).toBeLessThan(2e-4);
          const { plugin, params } = resolvePlugin<Sketch>(sketches, sketch);
          const ridge = defined(regulariserAt(registry, defined(spec.regulariser), d).ridge);
          const bounds = spec.record.featureBounds as number[];
          const noiseScale = new Float64Array(d);
          for (const {
            drawn: { coordinates },
          } of defined(plugin.enumerate(params as never, d))) {
            for (const j of coordinates)
              noiseScale[j] =
                (noiseMultiplier * 2 * Math.hypot(...Array.from(coordinates, (k) => bounds[k]))) /
                problem.slots[0];
          }
          const risk = separableRisk({
            curvature: ridge.strength,
            smoothness,
            marginals: plugin.marginals(params as never, d),
            noiseScale,
            offsets: ridge.centre,
            innerSteps,
          });
          expect(Math.abs(risk - defined(expected.excessRisk))).toBeLessThanOrEqual(
            expected.tolerance + 5e-6 * risk,
          );
        }
      }
    },
  );

  it('draws coordinates by √M_j startDistance.j where it says so, which are not alike', async () => {
    const experiment = read('maranjyan-real-rating-distances.yaml');
    const [spec] = experiment.problems as readonly SampledSpec[];
    const found = (await plansOn(experiment, spec)).find(
      ({ optimizer }) => labelOf(optimizer) === 'single, by distances',
    );
    const { plan, problem } = defined(found);
    const { smoothness, sketch } = plan as SketchedPlan;
    const { plugin, params } = resolvePlugin<Sketch>(sketches, sketch);
    const marginals = plugin.marginals(params as never, problem.dimension);
    const weights = Array.from(
      smoothness,
      (M, j) => Math.sqrt(M) * defined(problem.facts[`startDistance.${j}`]).value,
    );
    const total = weights.reduce((sum, weight) => sum + weight, 0);
    weights.forEach((weight, j) => expect(marginals[j]).toBeCloseTo(weight / total, 9));
    expect(Math.max(...marginals) / Math.min(...marginals)).toBeGreaterThan(5);
  });

  const lab = labFolder();
  afterAll(() => lab.remove());
  const shortened = (file: string, change: (experiment: Evaluation) => object): string => {
    const experiment = read(file);
    return lab.write(`${experiment.name}.json`, { ...experiment, ...change(experiment) });
  };
  const run = async (path: string, out: string): Promise<EvaluationResult> => {
    const { code, error } = await lethe('run', path, '--out', lab.file(out));
    expect(code, error).toBe(0);
    return (JSON.parse(lab.read(`${out}/results.json`)) as readonly EvaluationResult[])[0];
  };

  it('run, and stand beside what is expected of them', async () => {
    const path = shortened('maranjyan-x-imp-rev.yaml', ({ problems, optimizers }) => ({
      problems: problems.slice(0, 1),
      seeds: { first: 1, count: 8 },
      optimizers: optimizers.map((optimizer) => ({
        ...optimizer,
        paramsFor: { [problems[0].name]: optimizer.paramsFor[problems[0].name] ?? {} },
        expected: optimizer.expected.filter(({ problem }) => problem === problems[0].name),
      })),
    }));
    const {
      problems: [found],
    } = await run(path, 'imp-rev');
    expect(found.cells.every(({ ledgerMatchesPlan }) => ledgerMatchesPlan)).toBe(true);
    expect(defined(found.comparison).agrees).toBe(true);
    expect(defined(found.comparison).cells).toHaveLength(2);
  });

  it.each([
    ['maranjyan-real-rating.yaml', 12],
    ['maranjyan-real-late.yaml', 13],
  ])('run on few records: %s, the first %i methods', async (file, methods) => {
    const {
      problems: [found],
    } = await run(
      shortened(file, ({ optimizers }) => ({
        optimizers: optimizers.slice(0, methods),
        sizes: [260],
        seeds: { first: 1, count: 2 },
      })),
      file,
    );
    expect(found.cells).toHaveLength(methods);
    for (const { excess, accounted, ledgerMatchesPlan } of found.cells) {
      expect(Number.isFinite(excess.mean)).toBe(true);
      expect(accounted.upper).toBeLessThanOrEqual(1.0001);
      expect(ledgerMatchesPlan).toBe(true);
    }
  });
});

describe('the experiments on heavy tails', () => {
  const named = readdirSync(folder).filter((name) => name.startsWith('lowy-'));
  const shipped = named.map((file) => ({
    file,
    experiment: readExperiment(`${folder}${file}`) as Evaluation | MeanExperiment,
  }));
  const evaluations = shipped.filter(
    (one): one is { file: string; experiment: Evaluation } => one.experiment.kind === 'evaluation',
  );
  /** Flights by the thousand in place of millions: the same columns. */
  const fewer = (spec: ProblemSpec): ProblemSpec =>
    'package' in spec.data && defined(spec.data.package).endsWith('flights-3m.parquet')
      ? ({ ...spec, data: { ...spec.data, package: 'vega-datasets/data/flights-5k.json' } } as ProblemSpec)
      : spec;

  /** What plans may know of a problem, whatever its records come from. */
  async function describer(
    experiment: Evaluation,
    spec: ProblemSpec,
  ): Promise<(n: number, budget: BudgetSpec, optimizer: Evaluation['optimizers'][number]) => PublicProblem> {
    const surroundings = { registry, calibrate };
    if (isHard(spec) || isOfPopulation(spec)) {
      const { describe: of } = isHard(spec)
        ? hardPopulation(spec, experiment, surroundings)
        : generatedPopulation(spec, experiment, surroundings);
      return (n, budget, { trust }) => of(n, budget, trustModelOf(trust, n));
    }
    const { columns: dimension, rowNorm, columnBounds } = await loadRecords(spec, folder);
    return (n, _budget, { trust }) =>
      publicProblem(spec, {
        registry,
        adjacency: experiment.adjacency,
        n,
        columns: dimension,
        rowNorm,
        columnBounds,
        trust: trustModelOf(trust, n),
      });
  }

  it('are of every design, at least twenty seeds each, and say how each fact is known', () => {
    expect(named).toEqual(
      expect.arrayContaining(
        [
          'means',
          'least-squares',
          'non-smooth',
          'proximal',
          'hard-convex',
          'hard-strongly-convex',
          'figure-1-convex',
          'real-flights',
          'real-birdstrikes',
        ].map((name) => `lowy-${name}.yaml`),
      ),
    );
    for (const { file, experiment } of shipped) {
      expect(`${experiment.name}.yaml`).toBe(file);
      checkExperiment(experiment, file, registry);
      expect(experiment.about.length).toBeGreaterThan(200);
    }
    for (const {
      experiment: { seeds },
    } of evaluations)
      expect(seeds.count).toBeGreaterThanOrEqual(20);
  });

  it.each(evaluations)(
    '$file is planned at its least and its most records, with finite bounds and rates',
    async ({ experiment }) => {
      for (const whole of experiment.problems) {
        const spec = fewer(whole);
        const of = await describer(experiment, spec);
        const sizes = [defined(defined(experiment.sizes).at(0)), defined(defined(experiment.sizes).at(-1))];
        // By day the least with the first budget, the most with the last; at night each with each.
        const { budgets } = experiment;
        const corners = sizes.flatMap((n, i) =>
          (process.env['LETHE_EFFORT'] === 'full' ? budgets : [defined(budgets.at(-i))]).map((budget) => ({
            n,
            budget,
          })),
        );
        const factsRead: string[] = [];
        for (const optimizer of experiment.optimizers)
          for (const { n, budget } of corners) {
            const { plan, read: names } = planned(optimizer.name, {
              problem: of(n, budget, optimizer).problem,
              budget,
              params: paramsOn(optimizer, spec.name),
            });
            factsRead.push(...names);
            expect(plan.gradients).toBeGreaterThan(0);
            if (plan.utility !== null && plan.utility !== undefined)
              expect(plan.utility.bound).toBeLessThan(Infinity);
          }
        const rates = ratesOf(
          experiment,
          sizes,
          (n, budget) => of(n, budget, experiment.optimizers[0]).problem,
          { calibrate },
        );
        for (const { points } of rates)
          for (const { value } of points) expect(value > 0 && value < Infinity).toBe(true);
        expect(
          unreadFacts([{ problem: spec.name, declared: Object.keys(spec.facts), read: factsRead }]),
        ).toBe(null);
      }
    },
  );

  const lab = labFolder();
  afterAll(() => lab.remove());
  const runTiny = async <Found>(file: string, change: object): Promise<Found> => {
    const path = lab.write(`tiny-${file}.json`, { ...readExperiment(`${folder}${file}`), ...change });
    const { code, error } = await lethe('run', path, '--out', lab.file(file));
    expect(code, error).toBe(0);
    return (JSON.parse(lab.read(`${file}/results.json`)) as readonly Found[])[0];
  };
  const seeds = { first: 1, count: 2 };

  it.each([
    ['lowy-hard-convex.yaml', 64],
    ['lowy-hard-strongly-convex.yaml', 64],
    ['lowy-figure-1-convex.yaml', 64],
    ['lowy-least-squares.yaml', 64],
    ['lowy-proximal.yaml', 128],
    ['lowy-real-birdstrikes.yaml', 128],
  ])('%s runs on %i records: ledgers are as planned, and no mean is beyond a bound', async (file, n) => {
    const { problems: all, budgets } = defined(evaluations.find((one) => one.file === file)).experiment;
    const problems = all
      .slice(0, 2)
      .map((spec) =>
        isHard(spec) || !('generate' in spec.data)
          ? spec
          : { ...spec, data: { ...spec.data, generate: { ...spec.data.generate, rows: 1000 } } },
      );
    const result = await runTiny<EvaluationResult>(file, {
      problems,
      budgets: budgets.slice(-1),
      sizes: [n],
      seeds,
    });
    expect(result.problems).toHaveLength(problems.length);
    for (const { cells } of result.problems)
      for (const { excess, accounted, budget, ledgerMatchesPlan, bracket } of cells) {
        expect(ledgerMatchesPlan).toBe(true);
        expect(Number.isFinite(excess.mean)).toBe(true);
        expect(accounted.upper).toBeLessThanOrEqual(budget.epsilon * 1.0001);
        expect(['within', 'unclear', undefined]).toContain(bracket?.verdict);
      }
  });

  it('lowy-means.yaml runs with few repetitions, and nothing is outside its bound', async () => {
    const { laws, means } = defined(shipped.find(({ file }) => file === 'lowy-means.yaml'))
      .experiment as MeanExperiment;
    const few = means.map((mean) => ({
      ...mean,
      sweep: Object.fromEntries(
        Object.entries(mean.sweep ?? {}).map(([name, values]) => [name, values.slice(0, 1)]),
      ),
    }));
    const { cells } = await runTiny<{
      readonly cells: readonly {
        readonly bias: { readonly verdict: string };
        readonly variance: { readonly verdict: string };
      }[];
    }>('lowy-means.yaml', { laws: laws.slice(0, 1), means: few, batches: [128], repetitions: 20 });
    expect(cells.length).toBeGreaterThanOrEqual(few.length);
    for (const { bias, variance } of cells) expect([bias.verdict, variance.verdict]).not.toContain('outside');
  });
});
