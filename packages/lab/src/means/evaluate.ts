import { InvalidParameter, type Registry, type Vector } from '@lethe/core';
import { defined } from '@lethe/numerics';
import type { Estimated, KnownDistribution, MeanCell, MeanResult } from '../experiment/mean-results.js';
import type { TargetSpec } from '../experiment/mean-schema.js';
import type { MeanExperiment } from '../experiment/schema.js';
import type { LoadedPlugins } from '../plugins/load-plugins.js';
import { environment } from '../run/environment.js';
import type { Progress } from '../run/progress.js';
import { distributionOf, type RecordDistribution } from './distribution.js';
import { errorsOf, momentsOfErrors, type Estimate } from './measure.js';
import { isCentral, settingsOf, subjectOf, type Subject } from './subject.js';

/** Number of standard errors beyond which a measurement contradicts a claim. */
const farthest = 6;
const rule =
  'A bias or a variance is within when it is not above its bound, nor away from the exact value where ' +
  `that is known, by more than ${farthest} standard errors; a bias is judged by its square.`;

/** Inputs of an experiment on means besides the experiment. */
export interface MeanContext {
  readonly registry: Registry;
  /** Modules of the plugins that do not ship with Lethe, recorded with the result. */
  readonly plugins?: readonly LoadedPlugins[];
  readonly progress: Progress;
  readonly signal: AbortSignal;
  readonly command: string;
}

/**
 * Measures bias and variance of private means on known distributions, with real curators and fresh records.
 * All settings are checked before the first is measured.
 */
export async function evaluateMeans(
  experiment: MeanExperiment,
  { registry, plugins, progress, signal, command }: MeanContext,
): Promise<MeanResult> {
  const { adjacency, batches, targets, repetitions, seed, means } = experiment;
  const laws = experiment.laws.map((spec) => ({ spec, law: distributionOf(spec) }));
  const settings = laws.flatMap(({ spec, law }) =>
    means.flatMap((mean) =>
      settingsOf(mean).flatMap(({ params, swept }) =>
        batches.flatMap((s) =>
          targetsFor(mean.name, targets, registry).map((target) => ({
            spec,
            law,
            mean,
            swept,
            s,
            target,
            subject: subjectOf(
              mean.name,
              params,
              { dimension: law.dimension, s, target, adjacency },
              registry,
            ),
          })),
        ),
      ),
    ),
  );
  const cells: MeanCell[] = [];
  progress.start(settings.length);
  for (const { spec, law, mean, swept, s, target, subject } of settings) {
    const { label = mean.name } = mean;
    const place = `${spec.name}/${label}/${swept?.value ?? ''}/${s}/${JSON.stringify(target)}`;
    const errors: Vector[] = [];
    let event: MeanCell['event'] | undefined;
    for (const found of errorsOf({
      law,
      subject,
      s,
      repetitions,
      seedLabel: `mean/${experiment.name}/${seed}/${place}`,
      adjacency,
      registry,
    })) {
      signal.throwIfAborted();
      await progress.pause();
      errors.push(found.error);
      event ??= found.event;
    }
    cells.push({
      law: spec.name,
      label,
      trust: subject.trust,
      swept,
      s,
      target,
      event: defined(event),
      repetitions,
      ...judged(errors, law, subject, s),
    });
    progress.step(place);
  }
  return {
    kind: 'mean',
    label: 'simulation: no privacy',
    experiment,
    command,
    environment: environment(plugins),
    laws: laws.map(({ spec, law }) => described(spec, law)),
    rule,
    cells,
  };
}

/**
 * Targets that a mean can be asked at.
 *
 * @throws {InvalidParameter} for one of the shuffle model, which takes ε and δ, where there is none of these.
 */
function targetsFor(name: string, targets: readonly TargetSpec[], registry: Registry): readonly TargetSpec[] {
  const fitting = isCentral(name, registry) ? targets : targets.filter((target) => 'epsilon' in target);
  if (fitting.length === 0)
    throw new InvalidParameter(
      `mean '${name}' takes epsilon and delta as target, since the noise of the shuffle model has no ` +
        'multiplier; add such a target',
      { name },
    );
  return fitting;
}

const described = (
  { name, title = name, orders }: MeanExperiment['laws'][number],
  { dimension, mean, moments, atoms }: RecordDistribution,
): KnownDistribution => ({
  name,
  title,
  dimension,
  mean: Math.hypot(...mean),
  isFinite: atoms !== null,
  moments: moments.map(({ value }, i) => ({ order: orders[i], root: value ** (1 / orders[i]) })),
});

function judged(
  errors: readonly Vector[],
  law: RecordDistribution,
  subject: Subject,
  s: number,
): Pick<MeanCell, 'bias' | 'variance'> {
  const { squaredBias, variance } = momentsOfErrors(errors);
  const exact = exactly(law, subject, s);
  const biasBound = subject.biasBound(law.moments);
  const value = Math.sqrt(Math.max(0, squaredBias.value));
  const square = (x: number | null): number | null => (x === null ? null : x * x);
  return {
    bias: {
      value,
      standardError:
        value === 0 ? Math.sqrt(squaredBias.standardError) : squaredBias.standardError / (2 * value),
      squared: squaredBias,
      bound: biasBound,
      exact: exact.bias,
      verdict: verdictOn(squaredBias, square(biasBound), square(exact.bias)),
    },
    variance: {
      ...variance,
      bound: subject.varianceBound(law.moments),
      exact: exact.variance,
      verdict: verdictOn(variance, subject.varianceBound(law.moments), exact.variance),
    },
  };
}

function verdictOn(
  { value, standardError }: Estimate,
  bound: number | null,
  exact: number | null,
): Estimated['verdict'] {
  const room = farthest * standardError + 1e-12 * Math.abs(value);
  return value - room > (bound ?? Infinity) ||
    (exact !== null && Math.abs(value - exact) > room) ||
    Number.isNaN(value)
    ? 'outside'
    : 'within';
}

/** Bias and variance by enumeration, for a finite law and a mean of what each record becomes. */
function exactly(
  { atoms, mean, dimension }: RecordDistribution,
  { perRecord, noise }: Subject,
  s: number,
): { readonly bias: number | null; readonly variance: number | null } {
  if (atoms === null || perRecord === null) return { bias: null, variance: null };
  const kept = atoms.map(({ at, probability }) => {
    const vector = at.slice();
    perRecord(vector);
    return { vector, probability };
  });
  const middle = Float64Array.from({ length: dimension }, (_, j) =>
    kept.reduce((sum, { vector, probability }) => sum + probability * vector[j], 0),
  );
  const spread = kept.reduce(
    (sum, { vector, probability }) =>
      sum + probability * vector.reduce((square, x, j) => square + (x - middle[j]) ** 2, 0),
    0,
  );
  return {
    bias: Math.hypot(...middle.map((x, j) => x - mean[j])),
    variance: noise === null ? null : noise + spread / s,
  };
}
