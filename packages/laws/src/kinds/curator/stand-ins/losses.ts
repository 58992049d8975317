import { squaredSum } from '@lethe/numerics';
import {
  defineLinearLoss,
  defineLoss,
  type Fact,
  type Loss,
  type RecordDomain,
  type RecordView,
  type Ref,
} from '@lethe/core';
import { none, plain, type Observer } from './common.js';

const fact = (value: number, scope: Fact['scope'] = 'every-record'): Fact => ({
  value,
  scope,
  provenance: 'from-domain',
});
const anything = { rule: 'any number', accepts: () => true };
type Facts = Readonly<Record<string, Fact>>;
const definedFacts = (facts: Readonly<Record<string, number | undefined>>): Facts =>
  Object.fromEntries(
    Object.entries(facts).flatMap(([name, value]) => (value === undefined ? [] : [[name, fact(value)]])),
  );

/** The gradient of a record is its features; its loss is the first entry of the point times its label. */
const plainOf = (observe: Observer): Loss =>
  defineLoss({
    ...plain,
    name: 'laws/plain',
    params: none,
    capabilities: { convex: true, nullRecord: true },
    linear: null,
    labels: anything,
    value: (_params, at, { label }) => {
      observe({ did: 'read' });
      return at[0] * label;
    },
    gradientInto(_params, out, _at, { features }) {
      observe({ did: 'read' });
      out.set(features);
    },
    facts: (_params, { featureNorm, labelBound }) =>
      definedFacts({ lipschitz: featureNorm, range: labelBound }),
  });

/** `⟨w, x⟩`: the gradient is the features, through the margin. */
const linearOf = (observe: Observer): Loss =>
  defineLinearLoss({
    ...plain,
    name: 'laws/linear',
    params: none,
    capabilities: { convex: true, nullRecord: true },
    labels: anything,
    linear: {
      value: (_params, margin) => {
        observe({ did: 'read' });
        return margin;
      },
      slope: () => {
        observe({ did: 'read' });
        return 1;
      },
    },
    facts: (_params, { featureNorm, iterateNorm }) =>
      definedFacts({
        lipschitz: featureNorm,
        smoothness: featureNorm === undefined ? undefined : 0,
        range: iterateNorm === undefined || featureNorm === undefined ? undefined : featureNorm * iterateNorm,
      }),
  });

function squareFacts({ featureNorm, labelBound, iterateNorm }: RecordDomain): Facts {
  const most =
    featureNorm === undefined || labelBound === undefined || iterateNorm === undefined
      ? undefined
      : featureNorm * iterateNorm + labelBound;
  return definedFacts({
    smoothness: featureNorm === undefined ? undefined : featureNorm ** 2,
    lipschitz: most === undefined ? undefined : (featureNorm ?? Number.NaN) * most,
    range: most === undefined ? undefined : most ** 2 / 2,
  });
}

/** Half the squared residual, with the fused kernel of that name. */
const squareOf = (observe: Observer): Loss =>
  defineLinearLoss({
    ...plain,
    name: 'laws/square',
    params: none,
    capabilities: { convex: true, nullRecord: true },
    labels: anything,
    linear: {
      fused: () => squaredSum,
      value: (_params, margin, label) => {
        observe({ did: 'read' });
        return (margin - label) ** 2 / 2;
      },
      slope: (_params, margin, label) => {
        observe({ did: 'read' });
        return margin - label;
      },
    },
    facts: (_params, domain) => squareFacts(domain),
  });

/**
 * A zero record has a non-zero gradient, as in a loss with an
 * intercept; only a null record contributes nothing.
 */
const offsetOf = (observe: Observer): Loss =>
  defineLoss({
    ...plain,
    name: 'laws/offset',
    params: none,
    capabilities: { convex: true, nullRecord: true },
    linear: null,
    labels: anything,
    value: (_params, at, { label }) => {
      observe({ did: 'read' });
      return 1 + at[0] * label;
    },
    gradientInto(_params, out, _at, { features }) {
      observe({ did: 'read' });
      for (let j = 0; j < out.length; j++) out[j] = features[j] + 1;
    },
    facts: (_params, { featureNorm, labelBound }) =>
      definedFacts({
        lipschitz: featureNorm === undefined ? undefined : featureNorm + 100,
        range: labelBound === undefined ? undefined : labelBound + 1,
      }),
  });

/** Declares constants for every record that its records violate: the curator must enforce them. */
const boastfulOf = (observe: Observer): Loss =>
  defineLoss({
    ...plain,
    name: 'laws/boastful',
    params: none,
    capabilities: { convex: true, nullRecord: true },
    linear: null,
    labels: anything,
    value: (_params, at, { label }) => {
      observe({ did: 'read' });
      return at[0] * label;
    },
    gradientInto(_params, out, _at, { features }) {
      observe({ did: 'read' });
      out.set(features);
    },
    facts: () => ({ lipschitz: fact(1), range: fact(1), smoothness: fact(1) }),
  });

/** Declares constants of the population only. */
const typicalOf = (observe: Observer): Loss =>
  defineLoss({
    ...plain,
    name: 'laws/typical',
    params: none,
    capabilities: { convex: true, nullRecord: true },
    linear: null,
    labels: anything,
    value: (_params, at, { label }) => {
      observe({ did: 'read' });
      return at[0] * label;
    },
    gradientInto(_params, out, _at, { features }) {
      observe({ did: 'read' });
      out.set(features);
    },
    facts: () => ({
      lipschitz: fact(1, 'population'),
      range: fact(1, 'population'),
      smoothness: fact(1, 'population'),
    }),
  });

/** Faults of records of {@link troubled}, by label. */
export const trouble = { fine: 0, notANumber: 1, infinite: 2, overflows: 3, throws: 4 } as const;

/** Fails at records with a fault label; else the gradient is the features and the loss their first entry. */
const troubledOf = (observe: Observer): Loss => {
  const spoilt = ({ features, label }: RecordView): number => {
    observe({ did: 'read' });
    if (label === trouble.throws)
      throw new RangeError(`record with features ${features.join(' ')} and secret label ${label}`);
    if (label === trouble.notANumber) return Number.NaN;
    if (label === trouble.infinite) return Infinity;
    return label === trouble.overflows ? 1e308 * 10 : 1;
  };
  return defineLoss({
    ...plain,
    name: 'laws/troubled',
    params: none,
    capabilities: { convex: true, nullRecord: true },
    linear: null,
    labels: anything,
    value: (_params, _at, record) => spoilt(record) * record.features[0],
    gradientInto(_params, out, _at, record) {
      const factor = spoilt(record);
      for (let j = 0; j < out.length; j++) out[j] = factor === 1 ? record.features[j] : factor;
    },
    facts: () => ({ lipschitz: fact(1), range: fact(1) }),
  });
};

/** All fake losses. */
export const losses = (observe: Observer): readonly Loss[] =>
  [plainOf, linearOf, squareOf, offsetOf, boastfulOf, typicalOf, troubledOf].map((make) => make(observe));
/** Names of the fake losses. */
export type LossName = 'plain' | 'linear' | 'square' | 'offset' | 'boastful' | 'typical' | 'troubled';
/** A plain reference. */
export const loss = (name: LossName): Ref<'loss'> => ({ kind: 'loss', name: `laws/${name}`, params: {} });
