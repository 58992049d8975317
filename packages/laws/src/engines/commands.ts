import fc, { type Arbitrary, type Command } from 'fast-check';
import type { Violation } from '../law/finding.js';

/** One step of a user of something with state, done to it and to a model of it. */
export interface Step<Model, Real> {
  /** As it is printed: "charge(0.5)". */
  readonly name: string;
  /** Whether it makes sense in this state. @defaultValue always */
  readonly allowed?: (model: Readonly<Model>) => boolean;
  /** Does it to both; says what is wrong, if anything is. What it throws is wrong too. */
  readonly run: (model: Model, real: Real) => string | undefined;
}

/** What is tried, on what, and how often. */
export interface CommandsOptions<Model, Real> {
  /** Kinds of steps, all equally likely. */
  readonly steps: readonly Arbitrary<Step<Model, Real>>[];
  /** Makes a model and the thing itself, anew for every sequence. */
  readonly setup: () => { readonly model: Model; readonly real: Real };
  readonly seed: number;
  /** Sequences tried. @defaultValue 100 */
  readonly runs?: number;
  /** Longest sequence. @defaultValue 20 */
  readonly longest?: number;
}

class Wrong extends Error {}

/**
 * Tries random sequences of steps and shrinks the first that goes wrong. Its input is the list of steps by name. The steps are done once more
 * at the end: something that fails only sometimes is reported as such.
 */
export function runCommands<Model extends object, Real>({ steps, setup, seed, runs = 100, longest = 20 }: CommandsOptions<Model, Real>): Violation | undefined {
  const commands = fc.commands(steps.map((step) => step.map((value) => commandOf(value))), { maxCommands: longest, size: 'max' });
  const attempt = (sequence: Iterable<Command<Model, Real>>): void => fc.modelRun(setup, sequence);
  const details = fc.check(fc.property(commands, attempt), { seed, numRuns: runs });
  if (!details.failed) return undefined;
  const error = details.errorInstance;
  const [sequence] = details.counterexample ?? [[]];
  const again = thrownBy(() => attempt(sequence));
  const input = namesOf(sequence);
  const wrong = messageOf(error);
  const what = again === undefined ? `flaky: ${wrong}; the same steps done again went well` : wrong;
  return { what, input, fastCheck: { seed, path: details.counterexamplePath ?? '' }, ...(error instanceof Wrong ? {} : { cause: error }) };
}

function commandOf<Model extends object, Real>({ name, allowed, run }: Step<Model, Real>): Command<Model, Real> {
  return {
    check: (model) => allowed?.(model) ?? true,
    run(model, real) {
      const wrong = run(model, real);
      if (wrong !== undefined) throw new Wrong(`${name}: ${wrong}`);
    },
    toString: () => name,
  };
}

/** Names of the steps that were done: those not allowed in their turn are left out. fast-check marks the others. */
const namesOf = (sequence: Iterable<object>): readonly string[] => [...sequence].filter((step) => !('hasRan' in step) || step.hasRan === true).map(String);

const messageOf = (error: unknown): string => (error instanceof Wrong ? error.message : error instanceof Error ? `it throws ${error.name}: ${error.message}` : `it throws ${String(error)}`);

function thrownBy(act: () => void): unknown {
  try {
    act();
    return undefined;
  } catch (error) {
    return error ?? 'undefined';
  }
}
