import { defineLoss, type Fact, type FusedSum, type Loss, type MultiOutputForm } from '@lethe/core';
import { subjectsOf, type Subject } from '@lethe/laws';
import {
  hinge,
  losses,
  matrixFactorisation,
  multiOutputSquared,
  poissonRegression,
  softmax,
  squared,
  squaredDistance,
  twoLayerPerceptron,
  type DenseRows,
} from '@lethe/losses';
import {
  defined,
  multiOutputSum,
  softmaxResidualInPlace,
  softmaxSum,
  type ClippedSum,
} from '@lethe/numerics';
import { defineMutant } from '../mutant.js';

const source = 'generic';
const first = (plugin: unknown): Subject<'loss'> =>
  subjectsOf(plugin as Loss, { registry: losses })[0] as Subject<'loss'>;
const but = (base: unknown, change: object): Subject<'loss'> =>
  first(defineLoss({ ...(base as Loss), ...change }));
const restated = (
  base: unknown,
  name: string,
  by: (fact: Fact, domain: Parameters<Loss['facts']>[1]) => number,
): Subject<'loss'> => {
  const { facts } = base as Loss;
  return but(base, {
    facts(params: unknown, domain: Parameters<Loss['facts']>[1]) {
      const own = facts(params, domain);
      const { [name]: fact } = own;
      return fact === undefined ? own : { ...own, [name]: { ...fact, value: by(fact, domain) } };
    },
  });
};
const withForm = (change: Partial<MultiOutputForm<{ classes: number }>>): Subject<'loss'> =>
  but(softmax, { multiOutput: { ...softmax.multiOutput, ...change } });
/** The fused sum of softmax with other coefficients. */
const fusedBy = (norm: (residual: number, x: number, radius: number) => number): Subject<'loss'> =>
  withForm({
    fused: ({ classes }): FusedSum => ({
      clippedSum({ labels, norms, radius, ...job }: ClippedSum) {
        multiOutputSum({
          ...job,
          outputs: classes,
          coefficientsInPlace(outputs, row) {
            const size = norm(softmaxResidualInPlace(outputs, labels[row]), norms[row], radius);
            if (!(size <= radius)) for (let k = 0; k < classes; k++) outputs[k] *= radius / size;
          },
        });
      },
    }),
  });

export const xLossFused1 = defineMutant({
  id: 'loss/fused-softmax-norm-of-features-alone',
  title: 'fused softmax clips by the norm of the features alone',
  kind: 'loss',
  source,
  killedBy: ['loss/fused'],
  within: 60,
  plant: () => fusedBy((_residual, x) => x),
});
export const xLossFused2 = defineMutant({
  id: 'loss/fused-softmax-does-not-clip',
  title: 'fused softmax does not clip',
  kind: 'loss',
  source,
  killedBy: ['loss/fused'],
  within: 60,
  plant: () => fusedBy(() => 0),
});
export const xLossFused3 = defineMutant({
  id: 'loss/fused-softmax-overwrites-sum',
  title: 'fused softmax overwrites what it should add to',
  kind: 'loss',
  source,
  killedBy: ['loss/fused'],
  within: 10,
  plant: () =>
    withForm({
      fused: ({ classes }) => ({
        clippedSum(job) {
          job.out.fill(0);
          softmaxSum(classes).clippedSum(job);
        },
      }),
    }),
});
export const xLossFused4 = defineMutant({
  id: 'loss/fused-softmax-leaves-last-row-out',
  title: 'fused softmax leaves the last row of a range out',
  kind: 'loss',
  source,
  killedBy: ['loss/fused'],
  within: 60,
  plant: () =>
    withForm({
      fused: ({ classes }) => ({
        clippedSum: (job) => {
          softmaxSum(classes).clippedSum(
            job.rows instanceof Uint32Array || job.rows.to <= job.rows.from
              ? job
              : { ...job, rows: { from: job.rows.from, to: job.rows.to - 1 } },
          );
        },
      }),
    }),
});
export const xLossFused5 = defineMutant({
  id: 'loss/fused-squared-on-softmax-labels-shifted',
  title: 'fused softmax takes classes from 1',
  kind: 'loss',
  source,
  killedBy: ['loss/fused', 'loss/batch'],
  within: 60,
  plant: () =>
    withForm({
      fused: ({ classes }) => ({
        clippedSum: (job) => {
          softmaxSum(classes).clippedSum({
            ...job,
            labels: job.labels.map((label) => (label + 1) % classes),
          });
        },
      }),
    }),
});
export const xLossOutputs1 = defineMutant({
  id: 'loss/outputs-slopes-of-another-loss',
  title: 'the form of several outputs says other slopes than the gradient',
  kind: 'loss',
  source,
  killedBy: ['loss/batch'],
  within: 60,
  plant: () =>
    but(multiOutputSquared, {
      multiOutput: {
        ...multiOutputSquared.multiOutput,
        slopesInto(_params: unknown, out: Float64Array, outputs: Float64Array, { label }: { label: number }) {
          for (let k = 0; k < out.length; k++) out[k] = outputs[k] - label;
        },
      },
    }),
});
export const xLossOutputs2 = defineMutant({
  id: 'loss/softmax-lipschitz-without-root-two',
  title: 'the Lipschitz constant of softmax without √2',
  kind: 'loss',
  source,
  killedBy: ['loss/facts', 'loss/lipschitz'],
  within: 20_000,
  plant: () => restated(softmax, 'lipschitz', ({ value }) => value / Math.SQRT2),
});
export const xLossOutputs3 = defineMutant({
  id: 'loss/softmax-smoothness-quarter',
  title: 'softmax is said to be as smooth as the logistic loss',
  kind: 'loss',
  source,
  killedBy: ['loss/facts', 'loss/smoothness'],
  within: 20_000,
  plant: () => restated(softmax, 'smoothness', ({ value }) => value / 2),
});
export const xLossOutputs4 = defineMutant({
  id: 'loss/softmax-gradient-forgets-last-class',
  title: 'the gradient of softmax forgets the last class',
  kind: 'loss',
  source,
  killedBy: ['loss/gradient'],
  within: 600,
  plant: () =>
    but(softmax, {
      gradientInto(params: { classes: number }, out: Float64Array, at: Float64Array, record: never) {
        softmax.gradientInto(params, out, at, record);
        out.fill(0, out.length - out.length / params.classes);
      },
    }),
});
export const xLossOutputs5 = defineMutant({
  id: 'loss/softmax-exponentials-overflow',
  title: 'softmax without the largest output taken off',
  kind: 'loss',
  source,
  killedBy: ['loss/finite'],
  within: 400,
  plant: () =>
    but(softmax, {
      value: (
        params: { classes: number },
        at: Float64Array,
        { features, label }: { features: Float64Array; label: number },
      ) => {
        const outputs = Array.from({ length: params.classes }, (_, k) =>
          features.reduce((sum, x, j) => sum + x * at[k * features.length + j], 0),
        );
        return Math.log(outputs.reduce((sum, m) => sum + Math.exp(m), 0)) - outputs[label];
      },
    }),
});
export const xLossBounded1 = defineMutant({
  id: 'loss/poisson-smoothness-of-unit-margin',
  title: 'Poisson regression is said to be smooth for any iterates',
  kind: 'loss',
  source,
  killedBy: ['loss/facts'],
  within: 20_000,
  plant: () =>
    but(poissonRegression, {
      facts: (params: never, domain: Parameters<Loss['facts']>[1]) =>
        poissonRegression.facts(params, { iterateNorm: 1, ...domain }),
    }),
});
export const xLossBounded2 = defineMutant({
  id: 'loss/poisson-lipschitz-forgets-labels',
  title: 'the Lipschitz constant of Poisson regression forgets that labels may be far above the mean',
  kind: 'loss',
  source,
  killedBy: ['loss/facts', 'loss/lipschitz'],
  within: 20_000,
  plant: () =>
    but(poissonRegression, {
      facts: (params: never, { labelBound, ...domain }: Parameters<Loss['facts']>[1]) => ({
        ...poissonRegression.facts(params, {
          ...domain,
          ...(labelBound === undefined ? {} : { labelBound }),
        }),
        ...(labelBound === undefined || domain.iterateNorm === undefined || domain.featureNorm === undefined
          ? {}
          : {
              lipschitz: {
                value: domain.featureNorm * (Math.exp(domain.featureNorm * domain.iterateNorm) - labelBound),
                scope: 'every-record',
                provenance: 'from-domain',
              },
            }),
      }),
    }),
});
export const xLossBounded3 = defineMutant({
  id: 'loss/poisson-said-smooth-everywhere',
  title: 'Poisson regression is said to be smooth everywhere',
  kind: 'loss',
  source,
  killedBy: ['loss/capabilities', 'loss/finite'],
  within: 400,
  plant: () => but(poissonRegression, { capabilities: { ...poissonRegression.capabilities, smooth: true } }),
});
export const xLossBounded4 = defineMutant({
  id: 'loss/poisson-negative-below-its-entropy',
  title: 'the Poisson loss without y log y − y, said to be at least 0',
  kind: 'loss',
  source,
  killedBy: ['loss/floor', 'loss/facts', 'loss/linear-form'],
  within: 400,
  plant: () =>
    but(poissonRegression, {
      value: (
        _params: unknown,
        at: Float64Array,
        { features, label }: { features: Float64Array; label: number },
      ) => {
        const m = features.reduce((sum, x, j) => sum + x * at[j], 0);
        return Math.exp(m) - label * m;
      },
    }),
});
export const xLossBent1 = defineMutant({
  id: 'loss/factorisation-lipschitz-one-side',
  title: 'the Lipschitz constant of matrix factorisation is that of the residual of labels alone',
  kind: 'loss',
  source,
  killedBy: ['loss/facts', 'loss/lipschitz'],
  within: 20_000,
  plant: () =>
    restated(
      matrixFactorisation,
      'lipschitz',
      (_fact, { featureNorm = 0, iterateNorm = 0, labelBound = 0 }) =>
        0.5 * featureNorm ** 2 * iterateNorm * labelBound,
    ),
});
export const xLossBent2 = defineMutant({
  id: 'loss/factorisation-smoothness-without-residual',
  title: 'the smoothness of matrix factorisation forgets how the factors meet in the residual',
  kind: 'loss',
  source,
  killedBy: ['loss/facts', 'loss/smoothness', 'loss/gradient'],
  within: 20_000,
  plant: () =>
    restated(
      matrixFactorisation,
      'smoothness',
      (_fact, { featureNorm = 0, iterateNorm = 0 }) => (0.5 * featureNorm ** 2 * iterateNorm) ** 2,
    ),
});
export const xLossBent3 = defineMutant({
  id: 'loss/factorisation-gradient-of-own-factor',
  title: 'the gradient of matrix factorisation takes a side’s own factor for the other’s',
  kind: 'loss',
  source,
  killedBy: ['loss/gradient'],
  within: 600,
  plant: () =>
    but(matrixFactorisation, {
      gradientInto(
        params: { users: number; rank: number },
        out: Float64Array,
        at: Float64Array,
        record: { features: Float64Array; label: number },
      ) {
        matrixFactorisation.gradientInto(params, out, at, record);
        for (let j = 0; j < params.users * params.rank; j++) out[j] *= 1.01;
      },
    }),
});
export const xLossBent4 = defineMutant({
  id: 'loss/perceptron-gradient-without-derivative-of-tanh',
  title: 'back-propagation without the derivative of the activation',
  kind: 'loss',
  source,
  killedBy: ['loss/gradient'],
  within: 600,
  plant: () =>
    but(twoLayerPerceptron, {
      gradientInto(
        { hidden }: { hidden: number },
        out: Float64Array,
        at: Float64Array,
        { features, label }: { features: Float64Array; label: number },
      ) {
        const { length } = features;
        const active = Array.from({ length: hidden }, (_, k) =>
          Math.tanh(features.reduce((sum, x, j) => sum + x * at[k * length + j], 0)),
        );
        const residual = active.reduce((sum, a, k) => sum + a * at[hidden * length + k], 0) - label;
        active.forEach((a, k) => {
          for (let j = 0; j < length; j++)
            out[k * length + j] = residual * at[hidden * length + k] * features[j];
          out[hidden * length + k] = residual * a;
        });
      },
    }),
});
export const xLossBent5 = defineMutant({
  id: 'loss/perceptron-smoothness-of-output-squared-alone',
  title: 'the smoothness of a perceptron forgets the curvature of its output',
  kind: 'loss',
  source,
  killedBy: ['loss/facts', 'loss/smoothness', 'loss/gradient'],
  within: 20_000,
  plant: () =>
    restated(
      twoLayerPerceptron,
      'smoothness',
      (_fact, { featureNorm = 0, iterateNorm = 0 }) => (featureNorm * iterateNorm) ** 2,
    ),
});
export const xLossBlocks1 = defineMutant({
  id: 'loss/blocks-without-last-layer',
  title: 'blocks that leave the last layer out',
  kind: 'loss',
  source,
  killedBy: ['loss/blocks'],
  within: 5,
  plant: () =>
    but(twoLayerPerceptron, {
      blocks: ({ hidden }: { hidden: number }, columns: number) => [hidden * columns],
    }),
});
export const xLossBlocks2 = defineMutant({
  id: 'loss/starts-at-saddle',
  title: 'a factorisation that begins at 0, where nothing has a gradient',
  kind: 'loss',
  source,
  killedBy: ['loss/start'],
  within: 5,
  plant: () =>
    but(matrixFactorisation, {
      start: ({ rank }: { rank: number }, columns: number) => new Float64Array(rank * columns),
    }),
});
export const xLossSaid1 = defineMutant({
  id: 'loss/hinge-said-quadratic',
  title: 'a loss that is said to be quadratic and is not',
  kind: 'loss',
  source,
  killedBy: ['loss/quadratic'],
  within: 200,
  plant: () => but(hinge, { capabilities: { ...hinge.capabilities, quadratic: true } }),
});
export const xLossOptimum1 = defineMutant({
  id: 'loss/optimum-gap-zero',
  title: 'an optimum that is off, with a gap of 0',
  kind: 'loss',
  source,
  killedBy: ['loss/optimum'],
  within: 25,
  plant: () =>
    but(squaredDistance, {
      optimum(
        params: { scale: number },
        data: DenseRows,
        domain: Parameters<NonNullable<Loss['optimum']>>[2],
      ) {
        const found = defined(squaredDistance.optimum)(params, data, domain, {});
        const point = found.point.map((entry) => 0.9 * entry);
        let risk = 0;
        for (let i = 0; i < data.rows; i++)
          risk +=
            squaredDistance.value(params, point, {
              features: data.features.subarray(i * data.columns, (i + 1) * data.columns),
              label: 0,
            }) / data.rows;
        return { ...found, point, risk, gap: 0 };
      },
    }),
});
export const xLossOptimum2 = defineMutant({
  id: 'loss/optimum-outside-domain',
  title: 'an optimum of the whole space where a ball was asked for',
  kind: 'loss',
  source,
  killedBy: ['loss/optimum'],
  within: 25,
  plant: () =>
    but(squaredDistance, {
      optimum(
        params: { scale: number },
        data: DenseRows,
        domain: Parameters<NonNullable<Loss['optimum']>>[2],
      ) {
        const mean = new Float64Array(data.columns);
        for (let k = 0; k < data.features.length; k++) mean[k % data.columns] += data.features[k] / data.rows;
        return { ...defined(squaredDistance.optimum)(params, data, domain, {}), point: mean };
      },
    }),
});
export const xLossSaid2 = defineMutant({
  id: 'loss/linear-loss-said-non-negative',
  title: 'a loss below 0 that is said to be at least 0',
  kind: 'loss',
  source,
  killedBy: ['loss/floor'],
  within: 400,
  plant: () =>
    but(squared, {
      value: (_params: unknown, at: Float64Array, { features }: { features: Float64Array }) =>
        -features.reduce((sum, x, j) => sum + x * at[j], 0),
    }),
});
export const xLossSparsity = defineMutant({
  id: 'loss/softmax-gradients-as-sparse-as-records',
  title: 'gradients of softmax are said to have as many entries as records, where each class has as many',
  kind: 'loss',
  source,
  killedBy: ['loss/facts'],
  within: 600,
  plant: () => restated(softmax, 'sparsity', (_fact, { sparsity }) => defined(sparsity)),
});

export const slopesOverOutputs = defineMutant({
  id: 'loss/slopes-written-over-outputs-are-others',
  title: 'slopes that are written over the outputs are those of equal outputs',
  kind: 'loss',
  source,
  killedBy: ['loss/outputs-form'],
  within: 150,
  plant() {
    const form = defined(softmax.multiOutput);
    const slopesInto: typeof form.slopesInto = (params, out, outputs, label) =>
      form.slopesInto(params, out, out === outputs ? outputs.slice().fill(outputs[0]) : outputs, label);
    return first(Object.freeze({ ...softmax, multiOutput: { ...form, slopesInto } }));
  },
});
