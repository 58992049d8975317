import { logisticSum, softmaxResidualInPlace, softmaxSum, squaredSum } from '@lethe/numerics';
import type * as numerics from '@lethe/numerics';
import {
  defineLinearLoss,
  defineLoss,
  defineMultiOutputLoss,
  type Fact,
  type FusedSum,
  type LinearForm,
  type Loss,
  type RecordDomain,
  type RecordView,
  type Ref,
  type Vector,
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

/** What all of these losses have in common. */
const common = { ...plain, params: none, capabilities: { convex: true, nullRecord: true }, labels: anything };

/** A loss of one record that says when it reads one. */
type Parts = Pick<Loss, 'facts'> & {
  readonly value: (at: Vector, record: RecordView) => number;
  readonly gradientInto: (out: Vector, record: RecordView) => void;
};
const lossOf = (name: LossName, { value, gradientInto, facts }: Parts, observe: Observer): Loss =>
  defineLoss({
    ...common,
    name: `laws/${name}`,
    linear: null,
    value: (_params, at, record) => {
      observe({ did: 'read' });
      return value(at, record);
    },
    gradientInto(_params, out, _at, record) {
      observe({ did: 'read' });
      gradientInto(out, record);
    },
    facts,
  });

/** A loss of a margin that says when it reads a record. */
const marginLossOf = (
  name: LossName,
  { facts, value, slope, ...rest }: Pick<Loss, 'facts'> & LinearForm<object>,
  observe: Observer,
): Loss =>
  defineLinearLoss({
    ...common,
    name: `laws/${name}`,
    linear: {
      ...rest,
      value: (...given) => {
        observe({ did: 'read' });
        return value(...given);
      },
      slope: (...given) => {
        observe({ did: 'read' });
        return slope(...given);
      },
    },
    facts,
  });

/** The gradient of a record is its features; its loss is the first entry of the point times its label. */
const firstEntry: Omit<Parts, 'facts'> = {
  value: (at, { label }) => at[0] * label,
  gradientInto(out, { features }) {
    out.set(features);
  },
};
const plainOf = (observe: Observer): Loss =>
  lossOf(
    'plain',
    {
      ...firstEntry,
      facts: (_params, { featureNorm, labelBound }) =>
        definedFacts({ lipschitz: featureNorm, range: labelBound }),
    },
    observe,
  );

/** `⟨w, x⟩`: the gradient is the features, through the margin. */
const linearOf = (observe: Observer): Loss =>
  marginLossOf(
    'linear',
    {
      value: (_params, margin) => margin,
      slope: () => 1,
      facts: (_params, { featureNorm, iterateNorm }) =>
        definedFacts({
          lipschitz: featureNorm,
          smoothness: featureNorm === undefined ? undefined : 0,
          range:
            iterateNorm === undefined || featureNorm === undefined ? undefined : featureNorm * iterateNorm,
        }),
    },
    observe,
  );

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
  marginLossOf(
    'square',
    {
      fused: () => squaredSum,
      value: (_params, margin, label) => (margin - label) ** 2 / 2,
      slope: (_params, margin, label) => margin - label,
      facts: (_params, domain) => squareFacts(domain),
    },
    observe,
  );

const logisticValue = (z: number): number => Math.max(0, z) + Math.log1p(Math.exp(-Math.abs(z)));
/** The logistic loss of labels ±1, with the fused kernel of that name. */
const logisticOf = (observe: Observer): Loss =>
  marginLossOf(
    'logistic',
    {
      fused: () => logisticSum,
      value: (_params, margin, label) => logisticValue(-label * margin),
      slope: (_params, margin, label) => -label / (1 + Math.exp(label * margin)),
      facts: (_params, { featureNorm }) =>
        definedFacts({
          lipschitz: featureNorm,
          smoothness: featureNorm === undefined ? undefined : featureNorm ** 2 / 4,
        }),
    },
    observe,
  );

/** Classes of the softmax loss. */
const classes = 3;
/** The softmax loss of labels 0 to 2, with the fused kernel of that name. */
const softmaxOf = (observe: Observer): Loss =>
  defineMultiOutputLoss({
    ...common,
    name: 'laws/softmax',
    multiOutput: {
      fused: () => softmaxSum(classes),
      outputs: () => classes,
      value(_params, outputs, { label }) {
        observe({ did: 'read' });
        const top = Math.max(...outputs);
        return Math.log(outputs.reduce((sum, each) => sum + Math.exp(each - top), 0)) + top - outputs[label];
      },
      slopesInto(_params, out, outputs, { label }) {
        observe({ did: 'read' });
        out.set(outputs);
        softmaxResidualInPlace(out, label);
      },
    },
    facts: (_params, { featureNorm }) =>
      definedFacts({
        lipschitz: featureNorm === undefined ? undefined : Math.SQRT2 * featureNorm,
        smoothness: featureNorm === undefined ? undefined : featureNorm ** 2,
      }),
  });

/**
 * A zero record has a non-zero gradient, as in a loss with an
 * intercept; only a null record contributes nothing.
 */
const offsetOf = (observe: Observer): Loss =>
  lossOf(
    'offset',
    {
      value: (at, { label }) => 1 + at[0] * label,
      gradientInto(out, { features }) {
        for (let j = 0; j < out.length; j++) out[j] = features[j] + 1;
      },
      facts: (_params, { featureNorm, labelBound }) =>
        definedFacts({
          lipschitz: featureNorm === undefined ? undefined : featureNorm + 100,
          range: labelBound === undefined ? undefined : labelBound + 1,
        }),
    },
    observe,
  );

const ones = (scope: Fact['scope']): Facts => ({
  lipschitz: fact(1, scope),
  range: fact(1, scope),
  smoothness: fact(1, scope),
});
/** Declares constants for every record that its records violate: the curator must enforce them. */
const boastfulOf = (observe: Observer): Loss =>
  lossOf('boastful', { ...firstEntry, facts: () => ones('every-record') }, observe);

/** Declares constants of the population only. */
const typicalOf = (observe: Observer): Loss =>
  lossOf('typical', { ...firstEntry, facts: () => ones('population') }, observe);

/** Faults of records of {@link troubled}, by label. */
export const trouble = { fine: 0, notANumber: 1, infinite: 2, overflows: 3, throws: 4 } as const;

/** Fails at records with a fault label; else the gradient is the features and the loss their first entry. */
const troubledOf = (observe: Observer): Loss => {
  const spoilt = ({ features, label }: RecordView): number => {
    if (label === trouble.throws)
      throw new RangeError(`record with features ${features.join(' ')} and secret label ${label}`);
    if (label === trouble.notANumber) return Number.NaN;
    if (label === trouble.infinite) return Infinity;
    return label === trouble.overflows ? 1e308 * 10 : 1;
  };
  return lossOf(
    'troubled',
    {
      value: (_at, record) => spoilt(record) * record.features[0],
      gradientInto(out, record) {
        const factor = spoilt(record);
        for (let j = 0; j < out.length; j++) out[j] = factor === 1 ? record.features[j] : factor;
      },
      facts: () => ({ lipschitz: fact(1), range: fact(1) }),
    },
    observe,
  );
};

/** What `@lethe/numerics` exports under the name is a fused sum, or a function that makes one. */
type IsKernel<Export> = [Export] extends [FusedSum]
  ? true
  : Export extends (...given: never) => infer Made
    ? [Made] extends [never]
      ? false
      : [Made] extends [FusedSum]
        ? true
        : false
    : false;
/** Names of the fused sums that `@lethe/numerics` exports. */
type KernelName = {
  [Name in keyof typeof numerics]: IsKernel<(typeof numerics)[Name]> extends true ? Name : never;
}[keyof typeof numerics];
/**
 * A fake loss for each fused sum, with which curators clip. The type asks for one as soon as another sum is
 * exported.
 */
const kernelLosses = {
  logisticSum: { name: 'logistic', make: logisticOf },
  softmaxSum: { name: 'softmax', make: softmaxOf },
  squaredSum: { name: 'square', make: squareOf },
} as const satisfies Readonly<Record<KernelName, { name: string; make: (observe: Observer) => Loss }>>;
/** Names of the fake losses that bring a fused sum. */
export type KernelLossName = (typeof kernelLosses)[KernelName]['name'];

/** All fake losses. */
export const losses = (observe: Observer): readonly Loss[] =>
  [
    ...Object.values(kernelLosses).map(({ make }) => make),
    plainOf,
    linearOf,
    offsetOf,
    boastfulOf,
    typicalOf,
    troubledOf,
  ].map((make) => make(observe));
/** Names of the fake losses. */
export type LossName = KernelLossName | 'plain' | 'linear' | 'offset' | 'boastful' | 'typical' | 'troubled';
/** A plain reference. */
export const loss = (name: LossName): Ref<'loss'> => ({ kind: 'loss', name: `laws/${name}`, params: {} });
