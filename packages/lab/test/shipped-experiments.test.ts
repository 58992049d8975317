import { readdirSync } from 'node:fs';
import { separableRisk } from '@lethe/algorithms';
import { findPlugin, resolvePlugin, ridgeFrom, seededRandom, type Calibrate, type Optimizer, type PublicPlan, type Ref, type Sketch } from '@lethe/core';
import { sketches } from '@lethe/mechanisms';
import { afterAll, describe, expect, it } from 'vitest';
import { checkExperiment } from '../src/experiment/check.js';
import { readExperiment } from '../src/experiment/read.js';
import type { EvaluationResult } from '../src/experiment/results.js';
import { labelOf, paramsOn, type Evaluation, type SampledSpec } from '../src/experiment/schema.js';
import { registry } from '../src/registry.js';
import { loadRecords } from '../src/run/load.js';
import { publicProblem } from '../src/run/problem.js';
import { labFolder, lethe } from './support/lab-folder.js';

const folder = new URL('../experiments/', import.meta.url).pathname;
const files = readdirSync(folder).filter((name) => name.startsWith('maranjyan-'));
const read = (file: string): Evaluation => readExperiment(`${folder}${file}`) as Evaluation;
/** Some noise: how much is another test's concern, and takes time to find. */
const calibrate: Calibrate = () => ({ value: 100, achieved: { lower: 0, upper: 1, certificate: 'estimate', method: 'none', assumptions: [] } });

/** What is read of the plans of sketched methods. */
interface SketchedPlan extends PublicPlan { readonly rounds: number; readonly innerSteps: number; readonly noiseMultiplier: number; readonly printedBound: number | null; readonly smoothness: readonly number[]; readonly sketch: Ref<'sketch'> }

/** Every optimizer of an experiment on one of its problems, planned. */
async function plansOn(experiment: Evaluation, spec: SampledSpec) {
  const { rows, columns, rowNorm, columnBounds } = await loadRecords(spec, folder, new Map());
  const { problem } = publicProblem(spec, { registry, adjacency: experiment.adjacency, n: rows, dimension: columns, rowNorm, columnBounds });
  return experiment.optimizers.flatMap((optimizer) => experiment.budgets.map((budget) => ({
    optimizer, problem,
    plan: findPlugin<Optimizer>(registry, 'optimizer', optimizer.name).prepare({ problem, budget, params: paramsOn(optimizer, spec.name), calibrate, random: seededRandom('plan') }).plan,
  })));
}

describe('the experiments on random coordinates', () => {
  it.each(files)('%s is read, checked and planned on every problem', async (file) => {
    const experiment = read(file);
    checkExperiment(experiment, file, registry);
    for (const spec of experiment.problems as readonly SampledSpec[]) {
      const planned = await plansOn(experiment, spec);
      expect(planned.map(({ optimizer }) => labelOf(optimizer))).toEqual(experiment.optimizers.map(labelOf));
      for (const { plan } of planned) expect(plan.gradients).toBeGreaterThan(0);
    }
  });

  it.each(files.filter((file) => file.startsWith('maranjyan-x-')))('%s expects what the formula says of its own plans', async (file) => {
    const experiment = read(file);
    for (const spec of experiment.problems as readonly SampledSpec[]) {
      for (const { optimizer, plan, problem } of await plansOn(experiment, spec)) {
        const { innerSteps, rounds, smoothness, noiseMultiplier, sketch, utility, printedBound } = plan as SketchedPlan, d = problem.dimension;
        const expected = optimizer.expected.find((one) => one.problem === spec.name)!;
        expect(rounds).toBe(1);
        expect(expected.source).toContain(`K = ${innerSteps};`);
        expect(Math.abs(utility!.bound / expected.bound! - 1)).toBeLessThan(1e-4);
        expect(Math.abs(printedBound! / expected.plan['printedBound']! - 1)).toBeLessThan(2e-4);
        const { plugin, params } = resolvePlugin<Sketch>(sketches, sketch), ridge = ridgeFrom(spec.regulariser!, d)!, bounds = spec.record.featureBounds as number[];
        const noiseScale = new Float64Array(d);
        for (const { drawn: { coordinates } } of plugin.enumerate(params as never, d)!) {
          for (const j of coordinates) noiseScale[j] = (noiseMultiplier * 2 * Math.hypot(...Array.from(coordinates, (k) => bounds[k]!))) / problem.slots[0]!;
        }
        const risk = separableRisk({ curvature: ridge.strength, smoothness, marginals: plugin.marginals(params as never, d), noiseScale, offsets: ridge.centre, innerSteps });
        expect(Math.abs(risk - expected.excessRisk!)).toBeLessThanOrEqual(expected.tolerance + 5e-6 * risk);
      }
    }
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
    return (JSON.parse(lab.read(`${out}/results.json`)) as readonly EvaluationResult[])[0]!;
  };

  it('run, and stand beside what is expected of them', async () => {
    const path = shortened('maranjyan-x-imp-rev.yaml', ({ problems, optimizers }) => ({
      problems: problems.slice(0, 1), seeds: { first: 1, count: 8 },
      optimizers: optimizers.map((optimizer) => ({ ...optimizer, paramsFor: { [problems[0]!.name]: optimizer.paramsFor[problems[0]!.name] ?? {} }, expected: optimizer.expected.filter(({ problem }) => problem === problems[0]!.name) })),
    }));
    const { problems: [found] } = await run(path, 'imp-rev');
    expect(found!.cells.every(({ ledgerMatchesPlan }) => ledgerMatchesPlan)).toBe(true);
    expect(found!.comparison!.agrees).toBe(true);
    expect(found!.comparison!.cells).toHaveLength(2);
  });

  it.each([['maranjyan-real-rating.yaml', 12], ['maranjyan-real-late.yaml', 13]])('run on few records: %s, the first %i methods', async (file, methods) => {
    const { problems: [found] } = await run(shortened(file, ({ optimizers }) => ({ optimizers: optimizers.slice(0, methods), sizes: [260], seeds: { first: 1, count: 2 } })), file);
    expect(found!.cells).toHaveLength(methods);
    for (const { excess, accounted, ledgerMatchesPlan } of found!.cells) {
      expect(Number.isFinite(excess.mean)).toBe(true);
      expect(accounted.upper).toBeLessThanOrEqual(1.0001);
      expect(ledgerMatchesPlan).toBe(true);
    }
  });
});
