import { defineLinearLoss, defineLoss, type Fact, type Loss, type LinearForm } from '@lethe/core';
import { subjectsOf, type Subject } from '@lethe/laws';
import { linear, logistic, losses, squared } from '@lethe/losses';
import { defined } from '@lethe/numerics';
import { defineMutant } from '../mutant.js';

const source = 'generic';
const first = (plugin: Loss): Subject<'loss'> =>
  subjectsOf(plugin, { registry: losses })[0] as Subject<'loss'>;
const fields = (base: Loss): Loss => ({ ...base });

/** A linear model's loss with another form. */
function reshaped(base: Loss, form: Partial<LinearForm<unknown>>): Subject<'loss'> {
  const { value: _value, gradientInto: _gradientInto, linear: own, kind: _kind, ...rest } = fields(base);
  return first(defineLinearLoss({ ...rest, linear: { ...defined(own), ...form } }) as unknown as Loss);
}
/** A loss with other facts. */
const restated = (
  base: Loss,
  change: (
    facts: Readonly<Record<string, Fact>>,
    domain: Parameters<Loss['facts']>[1],
  ) => Readonly<Record<string, Fact>>,
): Subject<'loss'> =>
  first(
    defineLoss({
      ...fields(base),
      facts: (params, domain) => change(base.facts(params as never, domain), domain),
    }) as unknown as Loss,
  );
const scaled =
  (by: number, names: (name: string) => boolean) =>
  (facts: Readonly<Record<string, Fact>>): Readonly<Record<string, Fact>> =>
    Object.fromEntries(
      Object.entries(facts).map(([name, fact]) => [
        name,
        names(name) ? { ...fact, value: by * fact.value } : fact,
      ]),
    );

export const xLoss1 = defineMutant({
  id: 'loss/logistic-slope-wrong-sign-large-margins',
  title: 'the logistic slope has the wrong sign at large margins',
  kind: 'loss',
  source,
  killedBy: ['loss/gradient'],
  within: 100,
  plant: () =>
    reshaped(logistic, {
      slope: (_params, margin, label) =>
        label * margin < -30 ? label : -label / (1 + Math.exp(label * margin)),
    }),
});
export const xLoss2 = defineMutant({
  id: 'loss/smoothness-half',
  title: 'smoothness half of what it is',
  kind: 'loss',
  source,
  killedBy: ['loss/facts', 'loss/smoothness'],
  within: 100,
  plant: () =>
    restated(
      squared,
      scaled(0.5, (name) => name === 'smoothness'),
    ),
});
export const xLoss3 = defineMutant({
  id: 'loss/lipschitz-constant-forgets-label',
  title: 'the Lipschitz constant forgets the label',
  kind: 'loss',
  source,
  killedBy: ['loss/facts'],
  within: 100,
  plant: () =>
    restated(squared, (facts, { featureNorm, iterateNorm }) =>
      facts['lipschitz'] === undefined || featureNorm === undefined
        ? facts
        : { ...facts, lipschitz: { ...facts['lipschitz'], value: defined(iterateNorm) * featureNorm ** 2 } },
    ),
});
export const xLoss4 = defineMutant({
  id: 'loss/log-1-exp-ym-stands-overflows',
  title: 'log(1 + exp(−ym)) as it stands, which overflows',
  kind: 'loss',
  source,
  killedBy: ['loss/finite'],
  within: 100,
  plant: () =>
    reshaped(logistic, { value: (_params, margin, label) => Math.log(1 + Math.exp(-label * margin)) }),
});
export const xLoss5 = defineMutant({
  id: 'loss/lipschitz-constant-least-squares-iterates-without-bound',
  title: 'a Lipschitz constant of least squares for iterates without bound',
  kind: 'loss',
  source,
  killedBy: ['loss/facts'],
  within: 600,
  plant: () =>
    restated(squared, (facts, { featureNorm, labelBound, iterateNorm }) =>
      featureNorm === undefined || labelBound === undefined || iterateNorm !== undefined
        ? facts
        : {
            ...facts,
            lipschitz: {
              value: featureNorm * (featureNorm + labelBound),
              scope: 'every-record',
              provenance: 'from-domain',
            },
          },
    ),
});
export const xLoss6 = defineMutant({
  id: 'loss/smoothness-logistic-loss-without-quarter-claimed-attained',
  title: 'smoothness of the logistic loss without the quarter, claimed to be attained',
  kind: 'loss',
  source,
  killedBy: ['loss/facts-attained'],
  within: 20_000,
  plant: () =>
    restated(
      logistic,
      scaled(4, (name) => name === 'smoothness'),
    ),
});
export const xLoss7 = defineMutant({
  id: 'loss/twice-loss-fused-kernel-plain-one',
  title: 'twice the loss, with the fused kernel of the plain one',
  kind: 'loss',
  source,
  killedBy: ['loss/batch'],
  within: 60,
  plant: () =>
    reshaped(squared, {
      value: (_params, margin, label) => (margin - label) ** 2,
      slope: (_params, margin, label) => 2 * (margin - label),
    }),
});
export const xLoss8 = defineMutant({
  id: 'loss/gradient-added',
  title: 'the gradient is added to what was there',
  kind: 'loss',
  source,
  killedBy: ['loss/in-place'],
  within: 5,
  plant: () =>
    first(
      defineLoss({
        ...fields(linear),
        gradientInto(_params, out, _at, { features }) {
          for (let j = 0; j < out.length; j++) out[j] -= features[j];
        },
      }) as unknown as Loss,
    ),
});
export const xLoss9 = defineMutant({
  id: 'loss/every-label-accepted-nan-too',
  title: 'every label is accepted, NaN too',
  kind: 'loss',
  source,
  killedBy: ['loss/labels'],
  within: 5,
  plant: () =>
    first(
      defineLoss({ ...fields(squared), labels: { rule: 'any', accepts: () => true } }) as unknown as Loss,
    ),
});
export const xLoss10 = defineMutant({
  id: 'loss/ridge-every-record-null-record-included',
  title: 'a ridge on every record, the null record included',
  kind: 'loss',
  source,
  killedBy: ['loss/null-record'],
  within: 10,
  plant: () =>
    first(
      defineLoss({
        ...fields(squared),
        linear: null,
        capabilities: { ...squared.capabilities, linear: false },
        value: (params, at, record) =>
          squared.value(params as never, at, record) + 0.05 * at.reduce((sum, x) => sum + x * x, 0),
        gradientInto(params, out, at, record) {
          squared.gradientInto(params as never, out, at, record);
          for (let j = 0; j < out.length; j++) out[j] += 0.1 * at[j];
        },
      }) as unknown as Loss,
    ),
});
export const xLoss11 = defineMutant({
  id: 'loss/coordinate-smoothness-bound-instead-square',
  title: 'coordinate smoothness from the bound instead of its square',
  kind: 'loss',
  source,
  killedBy: ['loss/facts', 'loss/smoothness'],
  within: 600,
  plant: () =>
    restated(squared, (facts, { featureBounds }) => ({
      ...facts,
      ...Object.fromEntries(
        (featureBounds ?? []).map((bound, j) => [
          `coordinateSmoothness.${j}`,
          { ...facts[`coordinateSmoothness.${j}`], value: bound },
        ]),
      ),
    })),
});
export const xLoss12 = defineMutant({
  id: 'loss/range-least-squares-forgets-half-square-wrong',
  title: 'the range of least squares forgets the half of the square, the wrong way',
  kind: 'loss',
  source,
  killedBy: ['loss/facts'],
  within: 600,
  plant: () =>
    restated(
      squared,
      scaled(0.5, (name) => name === 'range'),
    ),
});
export const xLoss13 = defineMutant({
  id: 'loss/says-convex-not-saturating-residual',
  title: 'says it is convex and is not: a saturating residual',
  kind: 'loss',
  source,
  killedBy: ['loss/convexity', 'loss/gradient'],
  within: 600,
  plant: () =>
    reshaped(squared, {
      value: (_params, margin, label) => Math.log1p((margin - label) ** 2 / 2),
      slope: (_params, margin, label) => (margin - label) / (1 + (margin - label) ** 2 / 2),
    }),
});
