import { defineMean, type CentralMean } from '@lethe/core';
import { subjectsOf, type Subject } from '@lethe/laws';
import { countSketchMean, mechanisms, srhtMean } from '@lethe/mechanisms';
import { defineMutant } from '../mutant.js';

const source = 'generic';
type Bug<O extends CentralMean> = Partial<Omit<O, 'kind'>>;
const srhtWith = (bug: Bug<typeof srhtMean>, rows = 1): Subject<'mean'> =>
  subjectsOf(defineMean({ ...srhtMean, ...bug } as CentralMean<typeof srhtMean.params>), {
    registry: mechanisms,
    params: { radius: 1, rows },
  })[0] as Subject<'mean'>;

export const xSketches1 = defineMutant({
  id: 'mean/answer-scaled-norm-sketch-once-not-twice',
  title: 'the answer is scaled by the norm of the sketch once, not twice',
  kind: 'mean',
  source,
  killedBy: ['mean/unbiased'],
  within: 2_000,
  plant: () =>
    srhtWith({
      begin(params, context, random) {
        const run = srhtMean.begin(params, context, random);
        const norm = Math.sqrt(2 ** Math.ceil(Math.log2(context.dimension)) / params.rows);
        return { ...run, finish: (noised) => run.finish(noised).map((x) => x / norm) };
      },
    }),
});
export const xSketches2 = defineMutant({
  id: 'mean/noise-hadamard-sketch-not-counted-often-comes',
  title: 'the noise of a Hadamard sketch is not counted as often as it comes back',
  kind: 'mean',
  source,
  killedBy: ['mean/variance-bound'],
  within: 2_000,
  plant: () =>
    srhtWith({
      varianceBound: (params, context, moment, noise) =>
        srhtMean.varianceBound(
          params,
          context,
          moment,
          noise / (2 ** Math.ceil(Math.log2(context.dimension)) / params.rows),
        ),
    }),
});
export const xSketches3 = defineMutant({
  id: 'mean/countsketch-not-divided-norm-taken-keep-lengths',
  title: 'a CountSketch is not divided by its norm: it is taken to keep lengths',
  kind: 'mean',
  source,
  killedBy: ['mean/sensitivity'],
  within: 5_000,
  plant: () =>
    subjectsOf(
      defineMean({
        ...countSketchMean,
        begin(params, context, random) {
          const run = countSketchMean.begin(params, context, random);
          const norm = Math.sqrt(context.dimension);
          return {
            ...run,
            value: () => run.value().map((x) => x * norm),
            finish: (noised) => run.finish(noised.map((x) => x / norm)),
          };
        },
      } as CentralMean<typeof countSketchMean.params>),
      { registry: mechanisms, params: { radius: 1, rows: 1, width: 1 } },
    )[0] as Subject<'mean'>,
});
export const xSketches4 = defineMutant({
  id: 'mean/variance-counts-collisions-over-rows-not-over',
  title: 'the variance counts collisions over rows, not over rows and buckets squared: too few',
  kind: 'mean',
  source,
  killedBy: ['mean/variance-bound'],
  within: 2_000,
  plant: () =>
    subjectsOf(
      defineMean({
        ...countSketchMean,
        varianceBound: (params, context, moment, noise) =>
          countSketchMean.varianceBound(
            { ...params, rows: params.rows * params.rows },
            context,
            moment,
            noise,
          ),
      } as CentralMean<typeof countSketchMean.params>),
      { registry: mechanisms, params: { radius: 1, rows: 3, width: 1 } },
    )[0] as Subject<'mean'>,
});
