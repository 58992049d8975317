import { defineLinearLoss, defineLoss, type Fact, type LinearForm, type Loss } from '@lethe/core';
import { subjectsOf, type Subject } from '@lethe/laws';
import { absolute, hinge, losses, sineLink, squared, squaredDistance } from '@lethe/losses';
import { defined } from '@lethe/numerics';
import { defineMutant } from '../mutant.js';

const source = 'generic';
const at = (plugin: Loss, params?: unknown): Subject<'loss'> =>
  subjectsOf(plugin, { registry: losses, ...(params === undefined ? {} : { params }) })[0] as Subject<'loss'>;
const fields = (base: unknown): Loss => ({ ...(base as Loss) });

/** A linear model's loss with another form, or with other declarations. */
function reshaped(
  base: unknown,
  form: Partial<LinearForm<never>>,
  rest: Partial<Loss> = {},
  params?: unknown,
): Subject<'loss'> {
  const { value: _value, gradientInto: _gradientInto, linear: own, kind: _kind, ...own_ } = fields(base);
  return at(
    defineLinearLoss({ ...own_, ...rest, linear: { ...defined(own), ...form } } as never) as unknown as Loss,
    params,
  );
}
/** A loss with other facts. */
function restated(
  base: unknown,
  change: (
    facts: Readonly<Record<string, Fact>>,
    domain: Parameters<Loss['facts']>[1],
    params: Readonly<Record<string, number>>,
  ) => Readonly<Record<string, Fact>>,
  params?: unknown,
): Subject<'loss'> {
  const own = fields(base);
  return at(
    defineLoss({
      ...own,
      facts: (given: unknown, domain: Parameters<Loss['facts']>[1]) =>
        change(own.facts(given, domain), domain, given as Readonly<Record<string, number>>),
    } as never) as unknown as Loss,
    params,
  );
}
const changed =
  (name: string, value: (fact: Fact) => Partial<Fact>) =>
  (facts: Readonly<Record<string, Fact>>): Readonly<Record<string, Fact>> =>
    facts[name] === undefined ? facts : { ...facts, [name]: { ...facts[name], ...value(facts[name]) } };

export const xLoss16 = defineMutant({
  id: 'loss/subgradient-hinge-loss-forgets-label',
  title: 'the subgradient of the hinge loss forgets the label',
  kind: 'loss',
  source,
  killedBy: ['loss/gradient'],
  within: 100,
  plant: () => reshaped(hinge, { slope: (_params, margin, label) => (label * margin < 1 ? -1 : 0) }),
});
export const xLoss17 = defineMutant({
  id: 'loss/hinge-loss-keeps-slope-beyond-kink',
  title: 'the hinge loss keeps its slope beyond the kink',
  kind: 'loss',
  source,
  killedBy: ['loss/gradient'],
  within: 100,
  plant: () => reshaped(hinge, { slope: (_params, margin, label) => (label * margin < 2 ? -label : 0) }),
});
export const xLoss18 = defineMutant({
  id: 'loss/absolute-loss-slope-1-below-kink-too',
  title: 'the absolute loss has slope 1 below its kink, too',
  kind: 'loss',
  source,
  killedBy: ['loss/gradient'],
  within: 100,
  plant: () => reshaped(absolute, { slope: (_params, margin, label) => (margin === label ? 0 : 1) }),
});
export const xLoss19 = defineMutant({
  id: 'loss/absolute-loss-said-smooth-constant-1',
  title: 'the absolute loss is said to be smooth, with constant 1',
  kind: 'loss',
  source,
  killedBy: ['loss/facts', 'loss/smoothness'],
  within: 800,
  plant: () =>
    restated(absolute, (facts, { featureNorm }) =>
      featureNorm === undefined
        ? facts
        : {
            ...facts,
            smoothness: { value: featureNorm ** 2, scope: 'every-record', provenance: 'from-domain' },
          },
    ),
});
export const xLoss20 = defineMutant({
  id: 'loss/slope-kink-absolute-loss-none-subgradients',
  title: 'the slope at the kink of the absolute loss is none of its subgradients',
  kind: 'loss',
  source,
  killedBy: ['loss/gradient'],
  within: 600,
  plant: () =>
    reshaped(absolute, {
      slope: (_params, margin, label) => (margin === label ? 2 : Math.sign(margin - label)),
    }),
});
export const xLoss21 = defineMutant({
  id: 'loss/smoothness-squared-distance-without-scale',
  title: 'smoothness of the squared distance without its scale',
  kind: 'loss',
  source,
  killedBy: ['loss/facts', 'loss/smoothness'],
  within: 100,
  plant: () =>
    restated(
      squaredDistance,
      changed('smoothness', () => ({ value: 1 })),
      { scale: 3 },
    ),
});
export const xLoss22 = defineMutant({
  id: 'loss/strong-convexity-squared-distance-without-scale',
  title: 'strong convexity of the squared distance without its scale',
  kind: 'loss',
  source,
  killedBy: ['loss/facts'],
  within: 600,
  plant: () =>
    restated(
      squaredDistance,
      changed('strongConvexity', () => ({ value: 1 })),
      { scale: 0.25 },
    ),
});
export const xLoss23 = defineMutant({
  id: 'loss/strong-convexity-least-squares-one-record-not',
  title: 'strong convexity of least squares, which one record does not have',
  kind: 'loss',
  source,
  killedBy: ['loss/facts'],
  within: 600,
  plant: () =>
    restated(squared, (facts) =>
      facts['smoothness'] === undefined
        ? facts
        : { ...facts, strongConvexity: { ...facts['smoothness'], value: 1e-3 * facts['smoothness'].value } },
    ),
});
export const xLoss24 = defineMutant({
  id: 'loss/lipschitz-constant-squared-distance-forgets-iterates-move',
  title: 'the Lipschitz constant of the squared distance forgets that iterates move',
  kind: 'loss',
  source,
  killedBy: ['loss/facts', 'loss/lipschitz'],
  within: 100,
  plant: () =>
    restated(squaredDistance, (facts, { featureNorm }, { scale }) =>
      featureNorm === undefined ? facts : changed('lipschitz', () => ({ value: scale * featureNorm }))(facts),
    ),
});
export const xLoss25 = defineMutant({
  id: 'loss/wavy-link-said-convex',
  title: 'a wavy link that is said to be convex',
  kind: 'loss',
  source,
  killedBy: ['loss/convexity', 'loss/gradient'],
  within: 100,
  plant: () => reshaped(sineLink, {}, { capabilities: { ...sineLink.capabilities, convex: true } }),
});
export const xLoss26 = defineMutant({
  id: 'loss/smoothness-behind-wavy-link-forgets-link-bends',
  title: 'smoothness behind a wavy link forgets that the link bends',
  kind: 'loss',
  source,
  killedBy: ['loss/facts', 'loss/smoothness'],
  within: 600,
  plant: () =>
    restated(
      sineLink,
      (facts, { featureNorm }, { amplitude }) =>
        featureNorm === undefined
          ? facts
          : changed('smoothness', () => ({ value: (1 + amplitude) ** 2 * featureNorm ** 2 }))(facts),
      { amplitude: 0.5 },
    ),
});
export const xLoss27 = defineMutant({
  id: 'loss/gradient-behind-wavy-link-leaves-out-slope',
  title: 'the gradient behind a wavy link leaves out the slope of the link',
  kind: 'loss',
  source: 'generic: the gradient of a matching loss',
  killedBy: ['loss/gradient', 'loss/long-gradient'],
  within: 600,
  plant: () =>
    reshaped(sineLink, {
      slope: ({ amplitude }: { readonly amplitude: number }, margin: number, label: number) =>
        margin + amplitude * Math.sin(margin) - label,
    } as never),
});
export const xLoss28 = defineMutant({
  id: 'loss/facts-population-loss-cannot-know',
  title: 'its facts are of the population, which a loss cannot know',
  kind: 'loss',
  source,
  killedBy: ['loss/facts'],
  within: 20,
  plant: () =>
    restated(
      hinge,
      changed('lipschitz', () => ({ scope: 'population' })),
    ),
});
export const xLoss29 = defineMutant({
  id: 'loss/constant-said-declared-nobody-declared',
  title: 'a constant is said to be declared, and nobody declared it',
  kind: 'loss',
  source,
  killedBy: ['loss/facts'],
  within: 20,
  plant: () =>
    restated(
      squaredDistance,
      changed('strongConvexity', () => ({ provenance: 'declared' })),
    ),
});
export const xLoss30 = defineMutant({
  id: 'loss/record-zeros-said-silent-pulls-origin',
  title: 'a record of zeros is said to be silent, and pulls to the origin',
  kind: 'loss',
  source,
  killedBy: ['loss/null-record'],
  within: 20,
  plant: () =>
    at(
      defineLoss({
        ...fields(squaredDistance),
        capabilities: { ...squaredDistance.capabilities, nullRecord: true },
      } as never) as unknown as Loss,
    ),
});
