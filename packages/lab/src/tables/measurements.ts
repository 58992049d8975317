import { labelOf } from '../experiment/schema.js';
import type { MeanErrorResult } from '../experiment/mean-error-results.js';
import type { MeanResult } from '../experiment/mean-results.js';
import type { EvaluationResult, ReleaseResult, Result, TestScore } from '../experiment/results.js';
import { trustText } from '../run/trust-text.js';

/** One measured number, with all that tells it from others. What does not apply is `null`. */
export interface Measurement {
  readonly experiment: string;
  readonly kind: Result['kind'];
  /** `release`, or `simulation: no privacy`. */
  readonly label: string;
  /** A problem, a law, or a series of errors. */
  readonly problem: string;
  /** Its label in figures. */
  readonly method: string;
  /** Name of the optimizer; of a mean its label. */
  readonly plugin: string;
  readonly trust: string;
  /** Records; of a mean its batch. */
  readonly n: number | null;
  readonly dimension: number | null;
  readonly epsilon: number | null;
  readonly delta: number | null;
  readonly seed: number | null;
  /** A swept parameter, `name=value`, or the feature of a weight. */
  readonly at: string | null;
  readonly quantity: string;
  readonly value: number;
  readonly standard_error: number | null;
  /** Gradients of a run at most, by its plan: with batches of hidden size many times the expected number. */
  readonly gradients: number | null;
  /** Upper end of the accounted ε. */
  readonly accounted: number | null;
  readonly data_digest: string | null;
  readonly lethe: string;
  readonly node: string;
  readonly platform: string;
}

/** The columns of a long table, in order. Those of numbers are whole or not, and may be empty. */
export const columns = {
  experiment: 'text',
  kind: 'text',
  label: 'text',
  problem: 'text',
  method: 'text',
  plugin: 'text',
  trust: 'text',
  n: 'number',
  dimension: 'number',
  epsilon: 'number',
  delta: 'number',
  seed: 'number',
  at: 'text',
  quantity: 'text',
  value: 'number',
  standard_error: 'number',
  gradients: 'number',
  accounted: 'number',
  data_digest: 'text',
  lethe: 'text',
  node: 'text',
  platform: 'text',
} as const satisfies Readonly<Record<keyof Measurement, 'text' | 'number'>>;

/** Every measured number of some results, one in a row: what a notebook reads. */
export const measurements = (results: readonly Result[]): readonly Measurement[] =>
  results.flatMap((result) => {
    switch (result.kind) {
      case 'evaluation':
        return ofEvaluation(result);
      case 'release':
        return ofRelease(result);
      case 'mean':
        return ofMeans(result);
      case 'mean-error':
        return ofMeanErrors(result);
    }
  });

type Shared = Pick<Measurement, 'experiment' | 'kind' | 'label' | 'lethe' | 'node' | 'platform'>;
type Own = Omit<Measurement, keyof Shared>;

const none = {
  n: null,
  dimension: null,
  epsilon: null,
  delta: null,
  seed: null,
  at: null,
  standard_error: null,
  gradients: null,
  accounted: null,
  data_digest: null,
} as const;

const sharedOf = ({ kind, label, experiment, environment }: Result): Shared => ({
  experiment: experiment.name,
  kind,
  label,
  lethe: environment.lethe,
  node: environment.node,
  platform: environment.platform,
});

/** A row with its columns in order. */
const rowOf = (shared: Shared, own: Own): Measurement => {
  const row: Measurement = { ...shared, ...own };
  return Object.fromEntries(Object.keys(columns).map((key) => [key, row[key as keyof Measurement]])) as {
    [Key in keyof Measurement]: Measurement[Key];
  };
};

function ofEvaluation(result: EvaluationResult): readonly Measurement[] {
  const shared = sharedOf(result);
  let run = 0;
  return result.problems.flatMap(({ name, dimension, dataDigest, startExcess, heldOut, cells }) => {
    const problem = { ...none, problem: name, dimension, data_digest: dataDigest };
    const reference = (method: string, score: TestScore | null | undefined, excess: number | null) =>
      [
        ...(excess === null ? [] : [['excess risk', excess] as const]),
        ...(score === null || score === undefined ? [] : scoresOf(score)),
      ].map(([quantity, value]) =>
        rowOf(shared, { ...problem, method, plugin: method, trust: 'none', quantity, value }),
      );
    return [
      ...reference('start', heldOut?.start, startExcess),
      ...reference('non-private optimum', heldOut?.optimum, null),
      ...cells.flatMap(
        ({ optimizer, label, budget, n, trust, plan, accounted, unprotected, runs, startExcess: own }) =>
          runs.flatMap(({ seed, excessRisk, clipNorm, test }) => {
            const seconds = result.seconds[run++];
            const setting = {
              ...problem,
              method: label,
              plugin: optimizer,
              trust: trust === undefined ? 'central' : trustText(trust),
              n,
              ...budget,
              seed,
              gradients: plan.gradients,
              accounted: unprotected === true ? Infinity : accounted.upper,
            };
            const measured: readonly (readonly [string, number])[] = [
              ['excess risk', excessRisk],
              ...(own === undefined ? [] : [['excess risk of start', own] as const]),
              ...(clipNorm === undefined ? [] : [['private clip norm', clipNorm] as const]),
              ...(test === undefined ? [] : scoresOf(test)),
              ['seconds', seconds],
            ];
            return measured.map(([quantity, value]) => rowOf(shared, { ...setting, quantity, value }));
          }),
      ),
    ];
  });
}

const scoresOf = ({ loss, auc, accuracy, r2 }: TestScore): readonly (readonly [string, number])[] => [
  ['test loss', loss],
  ...(auc === undefined ? [] : [['test AUC', auc] as const]),
  ...(accuracy === undefined ? [] : [['test accuracy', accuracy] as const]),
  ...(r2 === undefined ? [] : [['test R2', r2] as const]),
];

function ofRelease(result: ReleaseResult): readonly Measurement[] {
  const { experiment, certificate, total, model, plan } = result;
  const shared = sharedOf(result);
  const own = {
    ...none,
    problem: experiment.problem.name,
    method: labelOf(experiment.optimizer),
    plugin: experiment.optimizer.name,
    trust: 'central',
    n: experiment.size ?? null,
    dimension: model.weights.length,
    ...experiment.budget,
    gradients: plan.gradients,
    accounted: certificate.upper,
  };
  return [
    rowOf(shared, { ...own, quantity: 'epsilon, lower end', value: certificate.lower }),
    rowOf(shared, { ...own, quantity: 'epsilon, upper end', value: certificate.upper }),
    rowOf(shared, { ...own, quantity: 'epsilon of the data set, upper end', value: total.interval.upper }),
    ...model.weights.map((value, i) =>
      rowOf(shared, { ...own, at: model.featureNames[i] ?? String(i), quantity: 'weight', value }),
    ),
  ];
}

function ofMeans(result: MeanResult): readonly Measurement[] {
  const shared = sharedOf(result);
  return result.cells.flatMap(({ law, label, trust, swept, s, bias, variance }) => {
    const own = {
      ...none,
      problem: law,
      method: label,
      plugin: label,
      trust,
      n: s,
      at: swept === null ? null : `${swept.name}=${swept.value}`,
    };
    return [['bias', bias] as const, ['variance', variance] as const].map(
      ([quantity, { value, standardError }]) =>
        rowOf(shared, { ...own, quantity, value, standard_error: standardError }),
    );
  });
}

function ofMeanErrors(result: MeanErrorResult): readonly Measurement[] {
  const shared = sharedOf(result);
  return result.cells.flatMap(({ series, label, at, error, lower, upper }) => {
    const own = {
      ...none,
      problem: series,
      method: label,
      plugin: label,
      trust: 'central',
      at: Object.entries(at)
        .map(([name, value]) => `${name}=${String(value)}`)
        .join(' '),
    };
    return [
      rowOf(shared, {
        ...own,
        quantity: 'root mean square error',
        value: error.value,
        standard_error: error.standardError,
      }),
      rowOf(shared, { ...own, quantity: 'lower bound', value: lower }),
      ...(upper === null ? [] : [rowOf(shared, { ...own, quantity: 'upper bound', value: upper })]),
    ];
  });
}
