import {
  findPlugin,
  seededRandom,
  type HardMean,
  type LowerBound,
  type MeanErrorValue,
  type PrivacyEvent,
  type Registry,
} from '@lethe/core';
import { attachData, centralCurator, openLedger } from '@lethe/curator';
import { defined } from '@lethe/numerics';
import type { MeanErrorCell, MeanErrorResult } from '../experiment/mean-error-results.js';
import type { MeanErrorExperiment } from '../experiment/schema.js';
import { environment } from '../run/environment.js';
import type { MeanContext } from '../means/evaluate.js';
import { hardSetting, settingsOfSeries } from './hard-setting.js';
import { methodOf, type MeanMethod } from './mean-method.js';
import { rateRows } from './rate-rows.js';

/** Number of standard errors beyond a bound from which a measurement contradicts it. */
const farthest = 6;
const rule =
  'A root mean square is within when it is not below the lower bound, nor above the upper one, by more ' +
  `than ${farthest} standard errors of its square, and when errors are as large as the bound says as ` +
  'often as it says, up to as many standard errors of a share.';

/**
 * Measures errors of private means on drawn hard records, with real curators, beside lower and upper bounds.
 * All settings are checked before the first is measured.
 */
export async function evaluateMeanErrors(
  experiment: MeanErrorExperiment,
  { registry, plugins, progress, signal, command }: MeanContext,
): Promise<MeanErrorResult> {
  const { series, tables, repetitions, seed } = experiment;
  const planned = series.flatMap((one) =>
    settingsOfSeries(one).map((at) => {
      const hard = hardSetting(one, at, registry);
      const methods = one.methods.map((spec) => ({
        label: spec.label ?? spec.mean,
        method: methodOf(spec, at, { radius: hard.radius, registry }),
      }));
      return { series: one, at, hard, methods };
    }),
  );
  const cells: MeanErrorCell[] = [];
  progress.start(planned.length);
  for (const { series: one, at, hard, methods } of planned) {
    const place = `${one.name}/${JSON.stringify(at)}`;
    const errors = methods.map((): { readonly squares: number[]; event?: PrivacyEvent } => ({ squares: [] }));
    for (let i = 0; i < repetitions; i++) {
      signal.throwIfAborted();
      await progress.pause();
      const seedLabel = `mean-error/${experiment.name}/${seed}/${place}/${i}`;
      const drawn = defined(hard.bound.instance)(hard.params, seededRandom(seedLabel));
      methods.forEach(({ method, label }, m) => {
        const { square, event } = squaredError(drawn, method, `${seedLabel}/${label}`, registry);
        errors[m].squares.push(square);
        errors[m].event ??= event;
      });
    }
    methods.forEach(({ label, method }, m) => {
      const { squares, event } = errors[m];
      cells.push({
        series: one.name,
        label,
        at,
        event: defined(event),
        ...judged(squares, hard.value, method.upper),
      });
    });
    progress.step(place);
  }
  return {
    kind: 'mean-error',
    label: 'simulation: no privacy',
    experiment,
    command,
    environment: environment(plugins),
    rule,
    bounds: series.map(({ name, bound }) => {
      const { statement, source } = findPlugin<LowerBound>(registry, 'lowerBound', bound.name);
      return { series: name, statement, source: `${source.id}, ${source.item}` };
    }),
    cells,
    rates: tables === undefined ? [] : rateRows(tables),
  };
}

function squaredError(
  { features, rows, columns, mean }: HardMean,
  method: MeanMethod,
  seedLabel: string,
  registry: Registry,
): { readonly square: number; readonly event: PrivacyEvent } {
  const curator = centralCurator({
    data: attachData({
      features:
        features instanceof Float64Array
          ? { data: features, rows, columns, offset: 0, rowStride: columns, columnStride: 1 }
          : features,
      loss: { kind: 'loss', name: 'linear', params: {} },
      registry,
      ledger: openLedger({ adjacency: 'replace-one' }),
    }),
    registry,
    run: seedLabel,
    random: seededRandom(`${seedLabel}/curator`),
    allowUnprotected: true,
  });
  const answer = method.answer(curator, seededRandom(`${seedLabel}/public`));
  let square = 0;
  // The gradient of the linear loss is minus the record.
  for (let j = 0; j < columns; j++) square += (answer[j] + mean[j]) ** 2;
  return { square, event: curator.spent() };
}

function judged(
  squares: readonly number[],
  { value, probability, rootMeanSquare }: MeanErrorValue,
  upper: number | null,
): Pick<MeanErrorCell, 'error' | 'lower' | 'tail' | 'upper' | 'verdict'> {
  const count = squares.length;
  const average = squares.reduce((sum, x) => sum + x, 0) / count;
  const spread = Math.sqrt(squares.reduce((sum, x) => sum + (x - average) ** 2, 0) / (count - 1) / count);
  const often = defined(probability ?? undefined);
  const lower = defined(rootMeanSquare ?? undefined);
  const share = squares.filter((x) => Math.sqrt(x) >= value).length / count;
  const room = farthest * spread;
  const isWithin =
    average + room >= lower * lower &&
    (upper === null || average - room <= upper * upper) &&
    share + farthest * Math.sqrt((often * (1 - often)) / count) >= often;
  const root = Math.sqrt(average);
  return {
    error: {
      value: root,
      standardError: root === 0 ? 0 : spread / (2 * root),
      median: Math.sqrt(squares.toSorted((a, b) => a - b)[Math.floor(count / 2)]),
    },
    lower,
    tail: { error: value, probability: often, share },
    upper,
    verdict: isWithin ? 'within' : 'outside',
  };
}
