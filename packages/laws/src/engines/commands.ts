import fc, { type Arbitrary, type Command } from 'fast-check';
import type { Violation } from '../law/finding.js';

/** One step on a stateful subject and on its model. */
export interface Step<Model, Real> {
  /** Printed name: "charge(0.5)". */
  readonly name: string;
  /** Whether the step is possible in this state. @defaultValue always */
  readonly allowed?: (model: Readonly<Model>) => boolean;
  /** Performs the step on both; returns a violation, if any. Errors are violations too. */
  readonly run: (model: Model, real: Real) => string | undefined;
}

/** Steps, subject and number of sequences. */
export interface CommandsOptions<Model, Real> {
  /** Kinds of steps, with equal probabilities. */
  readonly steps: readonly Arbitrary<Step<Model, Real>>[];
  /** Makes a model and the subject, anew for every sequence. */
  readonly setup: () => { readonly model: Model; readonly real: Real };
  readonly seed: number;
  /** Number of sequences. @defaultValue 100 */
  readonly runs?: number;
  /** Maximum length of a sequence. @defaultValue 20 */
  readonly longest?: number;
}

class Wrong extends Error {}

/**
 * Runs random sequences of steps and shrinks the first failing one. The input of the violation is the list of
 * step names. The steps are repeated at the end: a failure that does not repeat is reported as flaky.
 */
export function runCommands<Model extends object, Real>({
  steps,
  setup,
  seed,
  runs = 100,
  longest = 20,
}: CommandsOptions<Model, Real>): Violation | undefined {
  const commands = fc.commands(
    steps.map((step) => step.map((value) => commandOf(value))),
    { maxCommands: longest, size: 'max' },
  );
  const attempt = (sequence: Iterable<Command<Model, Real>>): void => fc.modelRun(setup, sequence);
  const details = fc.check(fc.property(commands, attempt), { seed, numRuns: runs });
  if (!details.failed) return undefined;
  const error = details.errorInstance;
  const [sequence] = details.counterexample ?? [[]];
  const again = thrownBy(() => attempt(sequence));
  const input = namesOf(sequence);
  const wrong = messageOf(error);
  const what = again === undefined ? `flaky: ${wrong}; the same steps passed when repeated` : wrong;
  return {
    what,
    input,
    fastCheck: { seed, path: details.counterexamplePath ?? '' },
    ...(error instanceof Wrong ? {} : { cause: error }),
  };
}

function commandOf<Model extends object, Real>({
  name,
  allowed,
  run,
}: Step<Model, Real>): Command<Model, Real> {
  return {
    check: (model) => allowed?.(model) ?? true,
    run(model, real) {
      const wrong = run(model, real);
      if (wrong !== undefined) throw new Wrong(`${name}: ${wrong}`);
    },
    toString: () => name,
  };
}

/** Names of the performed steps, as marked by fast-check; steps that were not allowed are omitted. */
const namesOf = (sequence: Iterable<object>): readonly string[] =>
  [...sequence].filter((step) => !('hasRan' in step) || step.hasRan === true).map(String);

const messageOf = (error: unknown): string => {
  if (error instanceof Wrong) return error.message;
  if (error instanceof Error) return `it throws ${error.name}: ${error.message}`;
  return `it throws ${String(error)}`;
};

function thrownBy(act: () => void): unknown {
  try {
    act();
    return undefined;
  } catch (error) {
    return error ?? 'undefined';
  }
}
